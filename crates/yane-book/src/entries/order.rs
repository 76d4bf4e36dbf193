//! Whether keys rise, found out piece by piece.

/// The order of a stretch of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    ends: Option<(Vec<u8>, Vec<u8>)>,
    /// Keys that are smaller than the one before.
    pub(crate) falls: u64,
    /// Keys that are equal to the one before.
    pub(crate) repeats: u64,
}

impl Order {
    /// Adds the next key.
    pub(crate) fn add(&mut self, key: &[u8]) {
        let Some((_, last)) = &mut self.ends else {
            self.ends = Some((key.to_vec(), key.to_vec()));
            return;
        };
        match key.cmp(last.as_slice()) {
            std::cmp::Ordering::Less => self.falls += 1,
            std::cmp::Ordering::Equal => self.repeats += 1,
            std::cmp::Ordering::Greater => {}
        }
        last.clear();
        last.extend_from_slice(key);
    }

    /// Adds the stretch that follows.
    pub(crate) fn append(&mut self, next: Self) {
        let Some((first, last)) = next.ends else {
            return;
        };
        self.add(&first);
        self.falls += next.falls;
        self.repeats += next.repeats;
        if let Some((_, end)) = &mut self.ends {
            *end = last;
        }
    }

    /// Whether every key is greater than the one before.
    pub(crate) const fn is_strict(&self) -> bool {
        self.falls == 0 && self.repeats == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_tell_what_the_whole_tells() {
        let keys = [b"b", b"a", b"c", b"c", b"d", b"b"];
        for cut in 0..=keys.len() {
            let mut order = Order::default();
            for part in [&keys[..cut], &keys[cut..]] {
                let mut piece = Order::default();
                for key in part {
                    piece.add(*key);
                }
                order.append(piece);
            }
            assert_eq!((order.falls, order.repeats), (2, 1), "cut at {cut}");
            assert!(!order.is_strict());
        }
        let mut order = Order::default();
        order.add(b"a");
        order.add(b"b");
        assert!(order.is_strict());
    }
}
