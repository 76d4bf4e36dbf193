//! Where generated moves go.
//!
//! The generator produces sets: one piece and its destinations, all pawns at once, one kind of drop
//! and its squares. A sink turns them into what its caller wants: a list, or just a number.

use arrayvec::ArrayVec;

use crate::{Bitboard, Color, HandKind, Move, Piece, PieceKind, Square};

/// No position has more legal moves than this (593 is the known maximum; positions that cannot arise in play may have
/// a few more).
pub const MAX_MOVES: usize = 640;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Receives sets of moves.
pub trait MoveSink {
    /// Each of `targets` is reached by a pawn of `color` from the square behind it.
    fn pawns(&mut self, color: Color, targets: Bitboard, promote: bool);
    /// `piece` goes from `from` to each of `targets`; it arrives as `after`, which differs from
    /// `piece` when it promotes.
    fn piece(&mut self, from: Square, after: Piece, promote: bool, targets: Bitboard);
    /// `color` drops a piece of `kind` on each of `targets`.
    fn drops(&mut self, color: Color, kind: HandKind, targets: Bitboard);

    /// Whether the sink has seen enough: generation stops then. Asked between kinds of pieces.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
}

/// The square one rank back for `color`; the caller knows that it is on the board.
#[inline(always)]
pub(crate) fn behind(color: Color, square: Square) -> Square {
    let index = match color {
        Color::Black => square as usize + 1,
        Color::White => square as usize - 1,
    };
    Square::ALL[index]
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn pawns(&mut self, color: Color, targets: Bitboard, promote: bool) {
        let kind = if promote {
            PieceKind::ProPawn
        } else {
            PieceKind::Pawn
        };
        let after = Piece::new(color, kind);
        targets.for_each(|to| self.push(board_move(behind(color, to), to, after, promote)));
    }

    #[inline(always)]
    fn piece(&mut self, from: Square, after: Piece, promote: bool, targets: Bitboard) {
        targets.for_each(|to| self.push(board_move(from, to, after, promote)));
    }

    #[inline(always)]
    fn drops(&mut self, color: Color, kind: HandKind, targets: Bitboard) {
        targets.for_each(|to| self.push(Move::drop(color, kind, to)));
    }
}

#[inline(always)]
pub(crate) fn board_move(from: Square, to: Square, after: Piece, promote: bool) -> Move {
    if promote {
        Move::promoted(from, to, after)
    } else {
        Move::normal(from, to, after)
    }
}

/// Counts moves without writing them down.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveCounter(pub usize);

impl MoveSink for MoveCounter {
    #[inline(always)]
    fn pawns(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.0 += targets.len() as usize;
    }

    #[inline(always)]
    fn piece(&mut self, _: Square, _: Piece, _: bool, targets: Bitboard) {
        self.0 += targets.len() as usize;
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, _: HandKind, targets: Bitboard) {
        self.0 += targets.len() as usize;
    }
}

/// Whether there is a move at all; stops generation at the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyMove(pub(crate) bool);

impl MoveSink for AnyMove {
    #[inline(always)]
    fn pawns(&mut self, _: Color, targets: Bitboard, _: bool) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn piece(&mut self, _: Square, _: Piece, _: bool, targets: Bitboard) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, _: HandKind, targets: Bitboard) {
        self.0 |= targets.any();
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.0
    }
}
