//! The moves a node tried without success, for their share of the blame.

use arrayvec::ArrayVec;
use shogi_core::{Move, PieceKind};

/// Moves beyond these are forgotten.
const QUIETS: usize = 48;
const CAPTURES: usize = 24;

/// Tried moves of one node, in order.
#[derive(Debug, Default)]
pub(crate) struct TriedMoves {
    quiets: ArrayVec<Move, QUIETS>,
    captures: ArrayVec<(Move, Option<PieceKind>), CAPTURES>,
}

impl TriedMoves {
    /// `m` was searched and is not the refutation.
    #[inline]
    pub(crate) fn push(&mut self, m: Move, noisy: bool, victim: Option<PieceKind>) {
        if noisy {
            let _ = self.captures.try_push((m, victim));
        } else {
            let _ = self.quiets.try_push(m);
        }
    }

    /// Quiet moves.
    pub(crate) fn quiets(&self) -> &[Move] {
        &self.quiets
    }

    /// Captures and promotions, with what they captured.
    pub(crate) fn captures(&self) -> &[(Move, Option<PieceKind>)] {
        &self.captures
    }
}
