//! The end of what an engine wrote to its standard error.

/// How much of it is kept.
const BYTES: usize = 4096;

/// The last 4 KiB.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(BYTES);
        self.0.drain(..surplus);
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let mut tail = Tail::default();
        for number in 0..2000 {
            tail.push(format!("{number} ").as_bytes());
        }
        assert!(tail.text().len() == BYTES && tail.text().ends_with("1998 1999 "));
    }
}
