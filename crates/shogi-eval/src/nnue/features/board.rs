//! Features of the pieces on the board, all at once: a piece's number and its square's number are
//! added.

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Square};

use super::kings::{ABSENT, KingView, Kings};
use super::layout::king_again;
use super::{ChangedFeatures, FeatureSet, Update};
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

const fn pieces(viewer: Color, kings: Kings) -> [u16; 32] {
    let mut table = [ABSENT; 32];
    let first = seen_by(viewer, Square::ALL[0]);
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < PieceKind::ALL.len() {
            let piece = Piece::new(Color::ALL[color], PieceKind::ALL[kind]);
            table[piece as usize] = kings.place(BonaPiece::on_board(piece, first, viewer));
            kind += 1;
        }
        color += 1;
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

/// By viewer, then by what becomes of kings.
static PIECES: [[[u16; 32]; Kings::COUNT]; 2] = [tables(Color::Black), tables(Color::White)];

const fn tables(viewer: Color) -> [[u16; 32]; Kings::COUNT] {
    let mut tables = [[ABSENT; 32]; Kings::COUNT];
    let mut i = 0;
    while i < Kings::COUNT {
        tables[i] = pieces(viewer, Kings::ALL[i]);
        i += 1;
    }
    tables
}

/// By viewer, then as it is and mirrored.
static SQUARES: [[[u16; PLACES]; 2]; 2] = [
    [squares(Color::Black, false), squares(Color::Black, true)],
    [squares(Color::White, false), squares(Color::White, true)],
];

impl BoardFeatures {
    /// The view of `viewer`, whose king is on `own_king` as it sees it.
    #[inline(always)]
    pub(in crate::nnue) fn new(set: FeatureSet, viewer: Color, own_king: Square) -> Self {
        let view = KingView::new(set, own_king);
        Self {
            pieces: &PIECES[viewer.index()][view.kings as usize],
            squares: &SQUARES[viewer.index()][usize::from(view.mirrored)],
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

    /// Whether kings on the board are features.
    #[inline(always)]
    pub(in crate::nnue) fn has_kings(&self) -> bool {
        self.pieces[Piece::BlackKing as usize] != ABSENT
    }

    /// What [`FeatureSet::update`] writes, for this view of `set` by `viewer`.
    #[inline(always)]
    pub(in crate::nnue) fn update(
        &self,
        set: FeatureSet,
        delta: &Delta,
        viewer: Color,
        update: &mut Update,
    ) {
        let (removed, added) = (&mut update.removed, &mut update.added);
        removed.clear();
        added.clear();
        update.refresh = false;
        let Some((moved, to)) = delta.moved.after else {
            return;
        };
        let is_king = moved.kind() == PieceKind::King;
        let own_king_moved = is_king && moved.color() == viewer;
        update.refresh = set.depends_on_attacks() || (set.is_king_relative() && own_king_moved);
        if update.refresh {
            return;
        }
        let in_hand = |kind: HandKind, nth: u8| {
            let piece = BonaPiece::in_hand(kind, moved.color(), nth, viewer);
            self.base + piece.index() as u32
        };
        self.push(moved, to, added);
        if let Some((before, from)) = delta.moved.before {
            self.push(before, from, removed);
            if is_king && set == FeatureSet::KA2 {
                let second =
                    |square| king_again(BonaPiece::on_board(moved, square, viewer).index());
                removed.push_if(second(from), true);
                added.push_if(second(to), true);
            }
        } else if let Some((kind, left)) = delta.hand {
            removed.push_if(in_hand(kind, left + 1), set.has_pieces());
        }
        if let (Some((taken, square)), Some((kind, count))) =
            (delta.captured.and_then(|taken| taken.before), delta.hand)
        {
            self.push(taken, square, removed);
            added.push_if(in_hand(kind, count), set.has_pieces());
        }
    }

    #[inline(always)]
    fn push(&self, piece: Piece, square: Square, list: &mut ChangedFeatures) {
        let (feature, is_there) = self.feature(piece as u8, square.index());
        list.push_if(feature, is_there);
    }
}
