//! The middle part of the stream: what stands on the board.

use crate::NO_KING;
use crate::form::Form;
use crate::wide::window;
use shogi_core::{Bitboard, ByColor, Color, MoveClass, Piece, PieceKind, Position, Square};

/// The first 15 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) side: Color,
    /// The kings' squares, or [`NO_KING`].
    pub(crate) kings: ByColor<u8>,
}

/// Bits of the header.
pub(crate) const HEADER_BITS: u32 = 15;

impl Header {
    /// The header of a position.
    #[inline(always)]
    pub(crate) fn new(position: &Position) -> Self {
        let king = |color| position.king(color).map_or(NO_KING, |king| king as u8);
        Self {
            side: position.side_to_move(),
            kings: ByColor([king(Color::Black), king(Color::White)]),
        }
    }

    /// Reads the header; `None` when the kings' squares make no sense.
    #[inline(always)]
    pub(crate) fn read(bytes: &[u8; 32]) -> Option<Self> {
        let (black, white) = (bytes[0] >> 1, bytes[1] & 0x7f);
        let two_on_one = black == white && black != NO_KING;
        (black <= NO_KING && white <= NO_KING && !two_on_one).then(|| Self {
            side: Color::ALL[usize::from(bytes[0] & 1)],
            kings: ByColor([black, white]),
        })
    }

    /// The header's bits.
    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        let [black, white] = self.kings.0;
        self.side as u64 | u64::from(black) << 1 | u64::from(white) << 8
    }

    /// Returns the square of `color`'s king.
    #[inline(always)]
    pub(crate) fn king(self, color: Color) -> Option<Square> {
        Square::from_index(self.kings[color].into())
    }
}

/// The numbers of the pieces on all squares, zero for none; the bytes beyond the board are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Squares(pub(crate) [u8; 128]);

impl Squares {
    /// The board without pieces.
    pub(crate) const EMPTY: Self = Self([0; 128]);

    /// The piece on `square`.
    #[inline(always)]
    pub(crate) fn piece_on(&self, square: Square) -> Option<Piece> {
        PIECES[usize::from(self.0[square.index()] % 32)]
    }

    /// The content of all squares.
    #[inline]
    pub(crate) fn contents(&self) -> [Option<Piece>; 81] {
        let numbers = self.0.first_chunk().expect("81 of 128");
        #[allow(unsafe_code)]
        // SAFETY: nothing but numbers of pieces and zeros is ever written.
        unsafe {
            Piece::from_numbers_unchecked(*numbers)
        }
    }

    /// The pieces by the way they move, and by colour.
    pub(crate) fn sets(&self) -> Sets {
        let mut sets = Sets {
            classes: [Bitboard::EMPTY; MoveClass::COUNT],
            colors: ByColor([Bitboard::EMPTY; 2]),
        };
        for square in Square::ALL {
            if let Some(piece) = self.piece_on(square) {
                sets.classes[piece.kind().move_class() as usize] |= square.into();
                sets.colors[piece.color()] |= square.into();
            }
        }
        sets
    }

    /// Returns the number of pieces of each kind that can be in hand, promoted ones included: a
    /// byte a kind, pawns lowest.
    pub(crate) fn counts(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |counts, number| counts + ONES[usize::from(number % 8)])
    }
}

/// Sets of pieces.
pub(crate) struct Sets {
    /// By the way they move.
    pub(crate) classes: [Bitboard; MoveClass::COUNT],
    /// By colour.
    pub(crate) colors: ByColor<Bitboard>,
}

/// Addend of a piece of each kind in [`Squares::counts`].
const ONES: [u64; 8] = [0, 1, 1 << 8, 1 << 16, 1 << 24, 1 << 32, 1 << 40, 1 << 48];

/// The pieces by number.
const PIECES: [Option<Piece>; 32] = {
    let mut pieces = [None; 32];
    let mut i = 0;
    while i < Piece::ALL.len() {
        pieces[Piece::ALL[i] as usize] = Some(Piece::ALL[i]);
        i += 1;
    }
    pieces
};

/// The board as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) squares: Squares,
    /// The bits of the stream with which a square's code begins. Those from `end` on mean nothing.
    pub(crate) starts: [u64; 4],
    /// The bit after the last square's code.
    pub(crate) end: u32,
}

impl Board {
    /// A board without pieces that takes no bits.
    pub(crate) const EMPTY: Self = Self {
        squares: Squares::EMPTY,
        starts: [0; 4],
        end: 0,
    };
}

/// Reads one square after another; `None` when the stream ends too early.
pub(crate) fn read(words: &[u64; 4], header: Header, form: &Form) -> Option<Board> {
    let stream = [words[0], words[1], words[2], words[3], 0, 0];
    let mut board = Board::EMPTY;
    for color in Color::ALL {
        if let Some(king) = header.king(color) {
            board.squares.0[king.index()] = Piece::new(color, PieceKind::King) as u8;
        }
    }
    let mut at = HEADER_BITS;
    for square in &mut board.squares.0[..81] {
        if *square != 0 {
            continue;
        }
        *board.starts.get_mut((at / 64) as usize)? |= 1 << (at % 64);
        let (piece, len) = form.codes.read_board(window(&stream, at) as u8)?;
        at += len as u32;
        *square = piece.map_or(0, |piece| piece as u8);
    }
    board.end = at;
    (at <= 256).then_some(board)
}
