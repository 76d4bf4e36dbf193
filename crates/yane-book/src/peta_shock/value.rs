//! A value with the plies to it, as books write it.

// Results of best play.

/// Depth of a line that repeats for ever.
pub(super) const ENDLESS: u16 = 9999;

/// Depth of a line back into a loop for the side that is being checked.
pub(super) const EVADES: u16 = 9998;

/// Depth of a move that gives perpetual check.
pub(super) const PERPETUAL: u16 = 9997;

/// Values are cut to this, so that they can be negated and told from the start of a maximum.
pub(super) const MATE: i16 = 32000;

/// A value with the number of plies to the end of the book, for the side that chooses the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetaValue {
    /// The value, from -32000 to 32000.
    pub value: i16,
    /// Plies, or one of 9997 (gives perpetual check), 9998, 9999 (repeats for ever).
    pub depth: u16,
}

impl PetaValue {
    /// Place where a maximum begins: worse than any move.
    pub(crate) const WORST: Self = Self {
        value: -32767,
        depth: ENDLESS,
    };

    /// A move that leaves the book.
    pub(crate) const fn leaf(value: i16) -> Self {
        Self { value, depth: 0 }
    }

    /// Returns whether this is chosen over `other`: the larger value, then what is no perpetual check, then
    /// the shorter way to an advantage and the longer one to a disadvantage.
    #[inline]
    pub(crate) const fn is_better_than(self, other: Self) -> bool {
        if self.value != other.value {
            return self.value > other.value;
        }
        if self.depth == PERPETUAL || other.depth == PERPETUAL {
            return self.depth != PERPETUAL;
        }
        if self.value >= 0 {
            self.depth < other.depth
        } else {
            self.depth > other.depth
        }
    }

    /// The better of both; this one when neither is.
    #[inline]
    pub(super) const fn or_better(self, other: Self) -> Self {
        if other.is_better_than(self) {
            other
        } else {
            self
        }
    }

    /// Returns what the best move of a position is worth to the side that moves into it.
    #[inline]
    pub(crate) const fn for_parent(self) -> Self {
        let depth = if self.depth < ENDLESS {
            self.depth + 1
        } else {
            ENDLESS
        };
        Self {
            value: -self.value,
            depth,
        }
    }
}
