//! A position: what stands on the board, what is in hand, whose turn it is, and which pieces give
//! check or stand between a king and a slider.
//!
//! A [`Position`] knows nothing of the moves that led to it (see [`crate::Game`] for repetition) nor
//! of evaluation or search. It is plain data of about 380 bytes without heap memory.

mod apply;
mod checks;
mod diagram;
mod keys;
mod setup;

use crate::zobrist::BoardKey;
use crate::{Bitboard, ByColor, Color, Hand, MoveClass, Piece, PieceKind, Square, zobrist};

pub use apply::{Delta, IllegalMove, PieceChange, Undo};
pub use checks::CheckSquares;
pub use diagram::Diagram;
pub use setup::{PositionParts, Setup, SetupError};

/// A position that can be played: no more pieces than a set holds, at most one king a side, and the
/// side that is not to move is not in check.
///
/// Kings may be missing (tsume problems leave out the attacker's), so may any other pieces.
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    /// Pieces of both players by the way they move.
    classes: [Bitboard; MoveClass::COUNT],
    /// Pieces of each player.
    colors: ByColor<Bitboard>,
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of either player that alone stand between the side to move's king and an enemy slider.
    blockers: Bitboard,
    /// Key of the board and the side to move, without the hands.
    board_key: BoardKey,
    hands: ByColor<Hand>,
    kings: ByColor<Option<Square>>,
    side: Color,
    ply: u32,
    board: [Option<Piece>; 81],
}

impl Position {
    /// SFEN of the initial position of an even game (平手).
    pub const STARTPOS_SFEN: &'static str =
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    /// The initial position of an even game (平手).
    ///
    /// # Panics
    /// Never: the SFEN is a constant that the tests read.
    pub fn startpos() -> Self {
        Self::from_sfen(Self::STARTPOS_SFEN).expect("the initial position is valid")
    }

    /// The piece on `square`, if any.
    #[inline(always)]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square as usize]
    }

    /// The piece on every square, by the square's number.
    #[inline(always)]
    pub const fn board(&self) -> &[Option<Piece>; Square::COUNT] {
        &self.board
    }

    /// The player to move.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side
    }

    /// Number of the move to be played, 1 in the initial position (SFEN's last field).
    #[inline(always)]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The same position with another move number.
    #[must_use]
    pub fn with_ply(mut self, ply: u32) -> Self {
        self.ply = ply;
        self
    }

    /// The pieces in `color`'s hand.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// The square of `color`'s king; `None` when the position has no such king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }

    /// The squares of all pieces of `color`.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// The squares of all pieces of both players that move like `class`.
    #[inline(always)]
    pub const fn class(&self, class: MoveClass) -> Bitboard {
        self.classes[class as usize]
    }

    /// The squares of `color`'s pieces that move like `class`.
    #[inline(always)]
    pub fn class_of(&self, color: Color, class: MoveClass) -> Bitboard {
        self.classes[class as usize] & self.colors[color]
    }

    /// The squares of `color`'s pieces of exactly this kind.
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        let class = self.class_of(color, kind.move_class());
        if kind.move_class() == MoveClass::Gold {
            let piece = Some(Piece::new(color, kind));
            class
                .into_iter()
                .filter(|&square| self.piece_on(square) == piece)
                .collect()
        } else {
            class
        }
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors.0[0] | self.colors.0[1]
    }

    /// The enemy pieces that give check to the side to move.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns whether the side to move is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The side to move's own pieces that may leave the line to their king only by uncovering a
    /// check.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.blockers & self.colors[self.side]
    }

    /// Pieces of either player that alone stand between the king of the side to move and an enemy
    /// slider. The enemy's among them give check by moving away.
    #[inline(always)]
    pub const fn blockers(&self) -> Bitboard {
        self.blockers
    }

    /// 64-bit Zobrist key of board, side to move and hands: the low half of [`Self::key128`].
    /// The move number does not enter.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.board_key.low() ^ zobrist::hands_key(self.hands.0[0], self.hands.0[1])
    }

    /// 128-bit Zobrist key of board, side to move and hands, for books and other large sets.
    #[inline(always)]
    pub const fn key128(&self) -> u128 {
        self.board_key.wide() ^ zobrist::hands_key_128(self.hands.0[0], self.hands.0[1])
    }

    /// 64-bit key of board and side to move, without the hands.
    #[inline(always)]
    pub const fn board_key(&self) -> u64 {
        self.board_key.low()
    }

    /// The position turned by 180 degrees with the players exchanged: the same game from the other
    /// chair.
    ///
    /// # Panics
    /// Never: what a position may be does not depend on the side it is seen from.
    #[must_use]
    pub fn flip(&self) -> Self {
        let mut setup = Setup {
            board: [None; 81],
            hands: ByColor([self.hands.0[1], self.hands.0[0]]),
            side: self.side.flip(),
            ply: self.ply,
        };
        for square in self.occupied() {
            setup.board[square.rotate().index()] = self.piece_on(square).map(Piece::flip_color);
        }
        Self::from_setup(&setup).expect("turning the board keeps a position valid")
    }

    /// The position as plain data.
    pub fn to_setup(&self) -> Setup {
        Setup {
            board: self.board,
            hands: self.hands,
            side: self.side,
            ply: self.ply,
        }
    }
}
