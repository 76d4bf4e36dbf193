//! Features of the pieces on the board, all at once: a piece's number and its square's number are
//! added.

use shogi_core::{Color, Piece, PieceKind, Square};

use super::{FeatureSet, MIRRORED_KINGS};
use crate::{BonaPiece, seen_by};

/// Squares, filled up for vectors.
pub(in crate::nnue) const PLACES: usize = 96;

/// By square, the number of the piece on it, 0 for none.
pub(in crate::nnue) type Codes = [u8; PLACES];

/// What stands for a piece that is no feature.
pub(in crate::nnue) const ABSENT: u16 = u16::MAX;

/// A feature set as a player with its king on one square sees the board: the feature of a piece is
/// `base` + `pieces` of its number + `squares` of its square's number, unless the second is [`ABSENT`].
#[derive(Clone, Copy, Debug)]
pub(in crate::nnue) struct BoardFeatures {
    pub(in crate::nnue) pieces: &'static [u16; 32],
    pub(in crate::nnue) squares: &'static [u16; PLACES],
    pub(in crate::nnue) base: u32,
}

/// What becomes of kings.
#[derive(Clone, Copy)]
enum Kings {
    Absent,
    Apart,
    Shared,
}

const fn pieces(viewer: Color, kings: Kings) -> [u16; 32] {
    let mut table = [ABSENT; 32];
    let first = seen_by(viewer, Square::ALL[0]);
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < PieceKind::ALL.len() {
            let piece = Piece::new(Color::ALL[color], PieceKind::ALL[kind]);
            let seen = BonaPiece::on_board(piece, first, viewer);
            table[piece as usize] = match kings {
                Kings::Absent if seen.is_king() => ABSENT,
                Kings::Shared if seen.is_king() => BonaPiece::PIECE_END as u16,
                _ => seen.index() as u16,
            };
            kind += 1;
        }
        color += 1;
    }
    table
}

/// Pieces that are no kings as no features at all.
const fn kings_only(viewer: Color) -> [u16; 32] {
    let mut table = pieces(viewer, Kings::Apart);
    let mut code = 0;
    while code < table.len() {
        if table[code] != ABSENT {
            table[code] = match table[code].checked_sub(BonaPiece::PIECE_END as u16) {
                Some(place) => place,
                None => ABSENT,
            };
        }
        code += 1;
    }
    table
}

const fn squares(viewer: Color, mirrored: bool) -> [u16; PLACES] {
    let mut table = [0; PLACES];
    let mut number = 0;
    while number < Square::COUNT {
        let square = seen_by(viewer, Square::ALL[number]);
        table[number] = if mirrored {
            square.mirror() as u16
        } else {
            square as u16
        };
        number += 1;
    }
    table
}

static PIECES: [[[u16; 32]; 4]; 2] = [tables(Color::Black), tables(Color::White)];

const fn tables(viewer: Color) -> [[u16; 32]; 4] {
    [
        pieces(viewer, Kings::Absent),
        pieces(viewer, Kings::Apart),
        pieces(viewer, Kings::Shared),
        kings_only(viewer),
    ]
}

static SQUARES: [[[u16; PLACES]; 2]; 2] = [
    [squares(Color::Black, false), squares(Color::Black, true)],
    [squares(Color::White, false), squares(Color::White, true)],
];

impl BoardFeatures {
    /// The view of `viewer`, whose king is on `own_king` as it sees it.
    #[inline(always)]
    pub(in crate::nnue) fn new(set: FeatureSet, viewer: Color, own_king: Square) -> Self {
        let king = own_king.index();
        let (king, mirrored) = if set.is_mirrored() && king >= MIRRORED_KINGS {
            (own_king.mirror().index(), true)
        } else {
            (king, false)
        };
        let (kings, stride) = match set {
            FeatureSet::HalfKp | FeatureSet::HalfKpVm | FeatureSet::HalfKpE9 => {
                (0, BonaPiece::PIECE_END)
            }
            FeatureSet::P => (0, 0),
            FeatureSet::KP => (1, 0),
            FeatureSet::HalfKa1 | FeatureSet::HalfKaHm1 => (1, BonaPiece::END),
            FeatureSet::A2 | FeatureSet::KA2 => (2, 0),
            FeatureSet::HalfKa2 | FeatureSet::HalfKaHm2 => {
                (2, BonaPiece::PIECE_END + Square::COUNT)
            }
            FeatureSet::K => (3, 0),
        };
        Self {
            pieces: &PIECES[viewer.index()][kings],
            squares: &SQUARES[viewer.index()][usize::from(mirrored)],
            base: (king * stride) as u32,
        }
    }

    /// The feature of the piece with number `code` on the square with number `at`, and whether it is
    /// one.
    #[inline(always)]
    pub(in crate::nnue) fn feature(&self, code: u8, at: usize) -> (u32, bool) {
        let piece = self.pieces[usize::from(code % 32)];
        let place = u32::from(piece) + u32::from(self.squares[at]);
        (self.base + place, piece != ABSENT)
    }
}
