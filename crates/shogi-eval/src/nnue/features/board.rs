//! Features of the pieces on the board, all at once: a piece's number and its square's number are
//! added.

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Square};

use super::indexer::{ABSENT, KingView, Kings, king_again};
use super::{FeatureDeltas, FeatureSet};
use crate::{BonaPiece, seen_by};

/// Squares, filled up for vectors.
pub(in crate::nnue) const PLACES: usize = 96;

/// By square, the number of the piece on it, 0 for none.
pub(in crate::nnue) type Codes = [u8; PLACES];

/// A feature set as a player with its king on one square sees the board: the feature of a piece is
/// `base` + `pieces` of its number + `squares` of its square's number, unless the second is [`ABSENT`].
#[derive(Clone, Copy, Debug)]
pub(in crate::nnue) struct BoardFeatures {
    pub(in crate::nnue) pieces: &'static [u16; 32],
    pub(in crate::nnue) squares: &'static [u16; PLACES],
    pub(in crate::nnue) base: u32,
}

const fn pieces(perspective: Color, kings: Kings) -> [u16; 32] {
    let mut table = [ABSENT; 32];
    let first = seen_by(perspective, Square::ALL[0]);
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < PieceKind::ALL.len() {
            let piece = Piece::new(Color::ALL[color], PieceKind::ALL[kind]);
            table[piece as usize] = kings.place(BonaPiece::on_board(piece, first, perspective));
            kind += 1;
        }
        color += 1;
    }
    table
}

const fn squares(perspective: Color, mirrored: bool) -> [u16; PLACES] {
    let mut table = [0; PLACES];
    let mut number = 0;
    while number < Square::COUNT {
        let square = seen_by(perspective, Square::ALL[number]);
        table[number] = if mirrored {
            square.mirror() as u16
        } else {
            square as u16
        };
        number += 1;
    }
    table
}

/// By perspective, then by what becomes of kings.
static PIECES: [[[u16; 32]; Kings::COUNT]; 2] = [tables(Color::Black), tables(Color::White)];

const fn tables(perspective: Color) -> [[u16; 32]; Kings::COUNT] {
    let mut tables = [[ABSENT; 32]; Kings::COUNT];
    let mut i = 0;
    while i < Kings::COUNT {
        tables[i] = pieces(perspective, Kings::ALL[i]);
        i += 1;
    }
    tables
}

/// By perspective, then as it is and mirrored.
static SQUARES: [[[u16; PLACES]; 2]; 2] = [
    [squares(Color::Black, false), squares(Color::Black, true)],
    [squares(Color::White, false), squares(Color::White, true)],
];

impl BoardFeatures {
    /// The view of `perspective`, whose king is on `own_king` as it sees it.
    #[inline(always)]
    pub(in crate::nnue) fn new(set: FeatureSet, perspective: Color, own_king: Square) -> Self {
        let view = KingView::new(set, own_king);
        Self {
            pieces: &PIECES[perspective.index()][view.kings as usize],
            squares: &SQUARES[perspective.index()][usize::from(view.mirrored)],
            base: view.base,
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

    /// Returns whether kings on the board are features.
    #[inline(always)]
    pub(in crate::nnue) fn has_kings(&self) -> bool {
        self.pieces[Piece::BlackKing as usize] != ABSENT
    }

    /// The feature of `piece` on `square` in each of the views `of`, and whether it is one: in both or in none.
    #[inline(always)]
    fn in_both(of: [&Self; 2], piece: Piece, square: Square) -> ([u32; 2], bool) {
        let [black, white] = of.map(|view| view.feature(piece as u8, square.index()));
        ([black.0, white.0], black.1)
    }

    /// Writes the deltas of [`FeatureSet::deltas`]; `views` are those of black and of white.
    #[inline(always)]
    pub(in crate::nnue) fn deltas(
        views: [&Self; 2],
        set: FeatureSet,
        delta: &Delta,
        deltas: &mut FeatureDeltas,
    ) {
        deltas.clear(set.depends_on_attacks());
        let Some((moved, to)) = delta.moved.after else {
            return;
        };
        let in_hand = |kind: HandKind, nth: u8| {
            let feature = |perspective: Color| {
                let piece = BonaPiece::in_hand(kind, moved.color(), nth, perspective);
                views[perspective.index()].base + piece.index() as u32
            };
            [feature(Color::Black), feature(Color::White)]
        };
        let (after, is_there) = Self::in_both(views, moved, to);
        if let Some((before, from)) = delta.moved.before {
            let (before, _) = Self::in_both(views, before, from);
            deltas.push_if(before, after, is_there);
            if moved.kind() == PieceKind::King {
                deltas.refresh_if(moved.color(), set.is_king_relative());
                if set == FeatureSet::KA2 {
                    let second = |square| {
                        Color::ALL.map(|perspective| {
                            king_again(BonaPiece::on_board(moved, square, perspective).index())
                        })
                    };
                    deltas.push_if(second(from), second(to), true);
                }
            }
        } else if let Some((kind, left)) = delta.hand {
            deltas.push_if(in_hand(kind, left + 1), after, set.has_pieces());
        }
        if let (Some((taken, square)), Some((kind, count))) =
            (delta.captured.and_then(|taken| taken.before), delta.hand)
        {
            let (before, _) = Self::in_both(views, taken, square);
            deltas.push_if(before, in_hand(kind, count), set.has_pieces());
        }
    }
}
