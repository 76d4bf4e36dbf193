//! What a judgement finds.

use crate::Edge;

/// A disagreement, and which moves of the position it brings out.
pub(super) struct Mismatch {
    pub(super) expected: i32,
    pub(super) found: i32,
    pub(super) moves: Moves,
}

/// Moves of a position that come out.
pub(super) enum Moves {
    /// All whose value is above this one.
    Above(i32),
    /// This one, which is the best.
    Best(Edge),
    /// None: there is none.
    None,
}

impl Mismatch {
    /// By how many discs.
    pub(super) const fn size(&self) -> u32 {
        self.expected.abs_diff(self.found)
    }
}
