//! What rules look at.

use shogi_core::Color;

use crate::facts::{Facts, PlayerFacts};
use crate::names::Opening;

/// A rule of an opening, asked from one player's side.
pub(crate) type Rule = (Opening, fn(&View<'_>) -> bool);

/// The facts from one player's side.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) side: Color,
    pub(crate) us: &'a PlayerFacts,
    pub(crate) them: &'a PlayerFacts,
    pub(crate) facts: &'a Facts,
}

impl View<'_> {
    /// Moves made since the start.
    pub(crate) const fn ply(&self) -> usize {
        self.facts.ply
    }

    /// Returns whether bishops were exchanged in the first moves.
    pub(crate) fn has_exchange(&self) -> bool {
        self.facts.exchanged_by(36).is_some()
    }
}
