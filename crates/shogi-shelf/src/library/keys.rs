//! The positions of a game as the index keeps them: a key of 64 bits for each.

/// The keys of the positions of a game: the high halves of all, then the low halves, so that a search reads half of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionKeys(Box<[u32]>);

impl PositionKeys {
    /// Keeps keys.
    pub(super) fn of(keys: &[u64]) -> Self {
        let high = keys.iter().map(|key| (key >> 32) as u32);
        let low = keys.iter().map(|key| *key as u32);
        Self(high.chain(low).collect())
    }

    /// Returns whether a key is among them.
    pub(super) fn contains(&self, key: u64) -> bool {
        let (high, low) = self.0.split_at(self.0.len() / 2);
        let wanted = (key >> 32) as u32;
        high.contains(&wanted) && { high.iter().zip(low) }
            .any(|(high, low)| *high == wanted && *low == key as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_count() {
        let keys = PositionKeys::of(&[0x1_0000_0002, 0x3_0000_0004]);
        assert!(keys.contains(0x1_0000_0002) && keys.contains(0x3_0000_0004));
        for other in [0x1_0000_0004, 0x3_0000_0002, 0x2_0000_0001, 0] {
            assert!(!keys.contains(other), "{other:x}");
        }
    }
}
