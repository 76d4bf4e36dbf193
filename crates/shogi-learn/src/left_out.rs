//! What the filter of positions left out, by reason.

/// The reason why a position was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterReason {
    /// It is in check.
    Check,
    /// Its move is a capture or a promotion.
    Capture,
    /// Its score is too great.
    Score,
    /// Its ply is not wanted.
    Ply,
    /// Its game was drawn.
    Draw,
    /// The side that the score favoured lost.
    Upset,
    /// Static evaluation and searched score differ.
    Sharp,
    /// It has no leaf.
    NoLeaf,
    /// It cannot be packed, as pieces are missing.
    Incomplete,
}

impl FilterReason {
    /// All reasons. A position is counted for the first of those that hold.
    pub const ALL: [Self; 9] = [
        Self::Check,
        Self::Capture,
        Self::Score,
        Self::Ply,
        Self::Draw,
        Self::Upset,
        Self::Sharp,
        Self::NoLeaf,
        Self::Incomplete,
    ];

    /// The name of the positions that it leaves out.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Check => "checks",
            Self::Capture => "captures",
            Self::Score => "scores",
            Self::Ply => "plies",
            Self::Draw => "draws",
            Self::Upset => "upsets",
            Self::Sharp => "sharp",
            Self::NoLeaf => "no_leaf",
            Self::Incomplete => "incomplete",
        }
    }
}

/// Positions that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts(pub(crate) [u64; FilterReason::ALL.len()]);

impl FilterCounts {
    /// Those left out for a reason.
    pub const fn of(&self, reason: FilterReason) -> u64 {
        self.0[reason as usize]
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a position.
    pub(crate) const fn count(&mut self, reason: FilterReason) {
        self.0[reason as usize] += 1;
    }

    /// Adds those of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(sum, count)| *sum += count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_in_their_own_place() {
        let mut counts = FilterCounts::default();
        for (number, reason) in FilterReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number);
            (0..=number).for_each(|_| counts.count(reason));
        }
        assert_eq!(counts.of(FilterReason::Draw), 5);
        assert_eq!(counts.total(), 45);
        counts.add(&counts.clone());
        assert_eq!((counts.of(FilterReason::Check), counts.total()), (2, 90));
    }
}
