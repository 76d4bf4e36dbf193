//! The moves of a node, and what orders them.

use arrayvec::ArrayVec;
use othello_core::{Board, Kernel, Square, Squares};

use crate::endgame::{CORNERS, odd_quadrants};
use crate::endgame::{corner_stability, stable_edges};

/// More than any number of legal moves.
pub(crate) const MAX_MOVES: usize = 40;

/// A legal move of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    /// The square.
    pub(crate) square: Square,
    /// The board behind the move.
    pub(crate) board: Board,
    /// The discs that the move flips.
    pub(crate) flips: Squares,
    /// The order: greater is earlier.
    pub(crate) order: i32,
}

/// The legal moves of a node.
pub(crate) type Children = ArrayVec<Child, MAX_MOVES>;

/// The order of a move that wipes the opponent out.
pub(crate) const WIPE_OUT: i32 = 1 << 30;

/// The effort put into the order of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// None: the moves alone.
    None,
    /// Replies, parity and squares.
    Simple,
    /// Also potential replies and stable discs.
    Full,
}

/// By square: corners are good, squares next to them bad.
pub(super) static SQUARE_VALUE: [u8; 64] = {
    const ROWS: [[u8; 4]; 4] = [
        [18, 4, 16, 12],
        [4, 2, 6, 8],
        [16, 6, 14, 10],
        [12, 8, 10, 0],
    ];
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        let file = if file < 4 { file } else { 7 - file };
        let rank = if rank < 4 { rank } else { 7 - rank };
        all[square] = ROWS[rank][file];
        square += 1;
    }
    all
};

/// The empty squares next to discs.
#[inline(always)]
pub(super) fn around(discs: u64, empty: u64) -> u64 {
    let left = (discs & 0xfefe_fefe_fefe_fefe) >> 1;
    let right = (discs & 0x7f7f_7f7f_7f7f_7f7f) << 1;
    let row = discs | left | right;
    (row | row << 8 | row >> 8) & empty
}

/// The number of squares, corners counted twice.
#[inline(always)]
pub(super) const fn weighted(squares: u64) -> i32 {
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}

/// All legal moves with their order.
#[inline(always)]
pub(crate) fn children<K: Kernel>(
    kernel: K,
    board: Board,
    effort: Effort,
    children: &mut Children,
) {
    let (mover, opponent) = (board.mover(), board.opponent());
    let empty = !(mover | opponent);
    let odd = odd_quadrants(empty);
    let parity = match empty.count_ones() {
        0..12 => 8,
        12..21 => 4,
        21..30 => 2,
        _ => 0,
    };
    let mut moves = kernel.legal_moves(mover, opponent);
    while moves != 0 {
        let square = at(moves.trailing_zeros());
        moves &= moves - 1;
        let flips = kernel.flips(mover, opponent, square);
        let (next, own) = (opponent ^ flips, mover | flips | square.bit());
        let Ok(after) = Board::new(next, own) else {
            debug_assert!(false, "flips are the opponent's");
            continue;
        };
        let mut order = 0;
        if next == 0 {
            order = WIPE_OUT;
        } else if effort != Effort::None {
            let replies = kernel.legal_moves(next, own);
            order = (36 - weighted(replies)) << 15;
            order += i32::from(SQUARE_VALUE[square.index()]);
            if odd & square.bit() != 0 {
                order += parity;
            }
            if effort == Effort::Full {
                order += corner_stability(own) << 11;
                order += (stable_edges(own, next).count_ones() as i32) << 11;
                order += (36 - weighted(around(own, empty & !square.bit()))) << 5;
            }
        }
        children.push(Child {
            square,
            board: after,
            flips: Squares(flips),
            order,
        });
    }
}

#[inline(always)]
pub(super) fn at(square: u32) -> Square {
    Square::ALL[(square & 63) as usize]
}
