//! A move as it was played.

use shogi_core::Move16;

/// A move with its latest reply, and how often it was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) mv: Move16,
    pub(super) ponder: Move16,
    pub(super) count: u32,
}

impl Occurrence {
    pub(super) const fn new(mv: Move16, ponder: Move16) -> Self {
        Self {
            mv,
            ponder,
            count: 1,
        }
    }

    /// The same move was played later, too.
    pub(super) const fn absorb(&mut self, later: Self) {
        self.count = self.count.saturating_add(later.count);
        self.ponder = later.ponder;
    }
}
