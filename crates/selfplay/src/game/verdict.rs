//! How a game ends.

use pack_format::{EndReason, GameResult};
use shogi_core::Color;

/// The result of a game and why it is that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub reason: EndReason,
}

impl Verdict {
    pub(super) const fn draw(reason: EndReason) -> Self {
        Self {
            result: GameResult::Draw,
            reason,
        }
    }

    pub(super) const fn win(color: Color, reason: EndReason) -> Self {
        Self {
            result: GameResult::win_of(color),
            reason,
        }
    }

    pub(super) const fn loss(color: Color, reason: EndReason) -> Self {
        Self::win(color.flip(), reason)
    }
}
