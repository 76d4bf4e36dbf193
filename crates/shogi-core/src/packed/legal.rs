//! Whether a move may be played in a position that has not been built.
//!
//! Conditions are joined without branches: where moves differ, a processor would guess wrong once for
//! every move.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, see above"
)]

use super::NO_KING;
use super::attack::{self, Change, NOWHERE};
use super::board::Squares;
use super::placement::Placement;
use crate::attacks::step_attacks;
use crate::{Color, HandKind, MoveClass, MoveText, Origin, Piece, PieceKind, Square};

/// How far each square is from the far edge of each player, 0 on the last rank.
static EDGES: [[u8; 81]; 2] = {
    let mut edges = [[0; 81]; 2];
    let mut i = 0;
    while i < 81 {
        let rank = Square::ALL[i].rank();
        edges[0][i] = rank.distance_to_edge(Color::Black) as u8;
        edges[1][i] = rank.distance_to_edge(Color::White) as u8;
        i += 1;
    }
    edges
};

/// [`PieceKind::dead_ranks`] by number of the kind.
const DEAD_RANKS: [u8; 16] = {
    let mut ranks = [0; 16];
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        ranks[PieceKind::ALL[i] as usize] = PieceKind::ALL[i].dead_ranks() as u8;
        i += 1;
    }
    ranks
};

impl Placement {
    /// [`Self::is_legal`]; `occupied` is [`attack::occupied`] or equal to it, `is_attacked` is
    /// [`attack::is_attacked`] or equal to it.
    #[inline(always)]
    pub(super) fn is_legal_with(
        &self,
        text: MoveText,
        occupied: impl FnOnce(&Squares, Square) -> u64,
        is_attacked: impl FnOnce(&Squares, Color, usize, Change) -> bool,
    ) -> bool {
        let us = self.header.side;
        let squares = &self.board.squares;
        let to = text.to;
        let taken = squares.0[to.index()];
        let edge = EDGES[us.index()][to.index()];
        let from = match text.origin {
            Origin::Board(from) => {
                let piece = squares.0[from.index()];
                let kind = piece % 16;
                // Nothing, which counts as black's, reaches nothing.
                let legal = (piece / 16 == us as u8)
                    & !is_own(taken, us)
                    & attack::reaches(piece, from, to, occupied(squares, to))
                    & if text.promote {
                        let near_edge = (edge < 3) | (EDGES[us.index()][from.index()] < 3);
                        near_edge & (kind < PieceKind::Gold as u8)
                    } else {
                        edge >= DEAD_RANKS[usize::from(kind)]
                    };
                if !legal {
                    return false;
                }
                from as u8
            }
            Origin::Hand(kind) => {
                let legal =
                    self.hands[us].has(kind) & (taken == 0) & (edge >= DEAD_RANKS[kind as usize]);
                if !legal || (kind == HandKind::Pawn && !self.may_drop_pawn(to)) {
                    return false;
                }
                NOWHERE
            }
        };
        let king = self.header.kings[us];
        let king = if from == king { to as u8 } else { king };
        let change = Change { from, to: to as u8 };
        king == NO_KING || !is_attacked(squares, us.flip(), king.into(), change)
    }

    /// Whether the drop of a pawn on an empty square breaks neither rule that pawns have.
    #[inline(always)]
    fn may_drop_pawn(&self, to: Square) -> bool {
        let us = self.header.side;
        let (files, _) = self.board.squares.0.as_chunks::<9>();
        let pawn = Piece::new(us, PieceKind::Pawn) as u8;
        if files[to.file().index()].contains(&pawn) {
            return false;
        }
        let king = self.header.king(us.flip());
        // Few pawns give check.
        !king.is_some_and(|king| step_attacks(us, MoveClass::Pawn, to).contains(king))
            || self.may_check_with_pawn(to)
    }

    /// Whether the drop of a pawn that gives check is legal: it may not mate, which takes more than is here.
    #[cold]
    #[inline(never)]
    fn may_check_with_pawn(&self, to: Square) -> bool {
        let text = MoveText {
            origin: Origin::Hand(HandKind::Pawn),
            to,
            promote: false,
        };
        let position = self.to_position(1);
        position
            .complete(text)
            .is_some_and(|m| position.is_legal(m))
    }
}

/// Whether a number is that of a piece of `color`.
#[inline(always)]
const fn is_own(number: u8, color: Color) -> bool {
    (number != 0) & (number >> 4 == color as u8)
}
