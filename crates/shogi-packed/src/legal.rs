//! Legality of a move in a position that has not been built.
//!
//! Conditions are joined without branches: where moves differ, a processor would guess wrong once for
//! every move.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, see above"
)]

use crate::NO_KING;
use crate::attack::{self, Change};
use crate::board::Squares;
use crate::moves::Shift;
use crate::placement::Placement;
use shogi_core::hand;
use shogi_core::{Color, File, HandKind, MoveText, Origin, Piece, PieceKind, Square};

/// Distance of each square from the far edge of each player, 0 on the last rank. Squares that do not exist
/// are far from it.
static EDGES: [[u8; 128]; 2] = {
    let mut edges = [[u8::MAX; 128]; 2];
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

/// The parts of the rules that are looked up in several ways.
pub(crate) struct Look<V, P, A> {
    /// [`attack::visible`] or equal to it.
    pub(crate) visible: V,
    /// [`has_on_file`] or equal to it.
    pub(crate) has_on_file: P,
    /// [`attack::is_attacked`] or equal to it.
    pub(crate) is_attacked: A,
}

/// Returns whether the pieces allow the move of `us`, who has the pieces of `hand` in hand ([`Hand::bits`](shogi_core::Hand::bits)):
/// all rules but the safety of the king and mate by a dropped pawn.
#[inline(always)]
pub(crate) fn is_pseudo_legal(
    squares: &Squares,
    us: Color,
    hand: u32,
    shift: Shift,
    visible: impl FnOnce(&Squares, u8, Square) -> u64,
    has_on_file: impl FnOnce(&Squares, File, u8) -> bool,
) -> bool {
    let to = shift.destination();
    let taken = squares.0[to.index()];
    let edges = &EDGES[us.index()];
    let edge = edges[to.index()];
    if shift.is_drop() {
        let kind = shift.kind();
        let own_pawn = Piece::new(us, PieceKind::Pawn) as u8;
        let is_pawn = kind == PieceKind::Pawn as u8;
        (hand & hand::FIELD[usize::from(kind)] != 0)
            & (taken == 0)
            & (edge >= DEAD_RANKS[usize::from(kind)])
            & !(is_pawn & has_on_file(squares, to.file(), own_pawn))
    } else {
        let from = usize::from(shift.from % 128);
        let piece = squares.0[from];
        let kind = piece % 16;
        let near_edge = (edge < 3) | (edges[from] < 3);
        let may_promote = near_edge & (kind < PieceKind::Gold as u8);
        let may_stay = edge >= DEAD_RANKS[usize::from(kind)];
        // Nothing, which counts as black's, reaches nothing.
        (piece / 16 == us as u8)
            & !is_own(taken, us)
            & attack::reaches(piece, shift.from, to, visible(squares, shift.from, to))
            & ((shift.promote & may_promote) | (!shift.promote & may_stay))
    }
}

impl Placement {
    /// [`Self::is_legal`].
    #[inline(always)]
    pub(crate) fn is_legal_with(
        &self,
        shift: Shift,
        look: Look<
            impl FnOnce(&Squares, u8, Square) -> u64,
            impl FnOnce(&Squares, File, u8) -> bool,
            impl FnOnce(&Squares, Color, usize, Change) -> bool,
        >,
    ) -> bool {
        let us = self.header.side;
        let squares = &self.board.squares;
        // Before the branches below: what a wrong guess there throws away is not this.
        let king = self.header.kings[us];
        let is_safe = king == NO_KING || {
            let king = if shift.from == king { shift.to } else { king };
            let (from, to) = (shift.from, shift.to);
            !(look.is_attacked)(squares, us.flip(), king.into(), Change { from, to })
        };
        let hand = self.hands[us].bits();
        if !is_pseudo_legal(squares, us, hand, shift, look.visible, look.has_on_file) {
            return false;
        }
        if shift.is_drop() {
            // Few pawns give check.
            let to = shift.destination();
            let checks = (shift.kind() == PieceKind::Pawn as u8) & self.is_before_king(to);
            if checks && !self.may_check_with_pawn(to) {
                return false;
            }
        }
        is_safe
    }

    /// Returns true if a pawn on this square gives check.
    #[inline(always)]
    fn is_before_king(&self, to: Square) -> bool {
        let us = self.header.side;
        let king = self.header.kings[us.flip()];
        // The squares of a file are in a row.
        let ahead = match us {
            Color::Black => (to as u8).wrapping_sub(1),
            Color::White => to as u8 + 1,
        };
        (king == ahead) & (EDGES[us.index()][to.index()] != 0)
    }

    /// Returns true if the drop of a pawn that gives check is legal: it may not mate, for which the whole
    /// position is needed.
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

/// Returns true if the piece is on the file.
#[inline(always)]
pub(crate) fn has_on_file(squares: &Squares, file: File, piece: u8) -> bool {
    let (files, _) = squares.0.as_chunks::<9>();
    files[file.index()].contains(&piece)
}

/// Returns true if a number is that of a piece of `color`.
#[inline(always)]
const fn is_own(number: u8, color: Color) -> bool {
    (number != 0) & (number >> 4 == color as u8)
}
