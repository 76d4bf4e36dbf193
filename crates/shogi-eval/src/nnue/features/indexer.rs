//! The index of a piece's feature: one table look-up and one addition. The treatment of kings by the
//! sets, the counts of attacks of `HalfKPE9`, and the features of all pieces on the board at once.

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Position, Square};

use super::attacks::attack_counts;
use super::{ActiveFeatures, FeatureDeltas, FeatureSet, MIRRORED_KINGS};
use crate::{BonaPiece, PieceList, seen_by};

/// The index of a piece that is not a feature.
pub(in crate::nnue) const ABSENT: u16 = u16::MAX;

/// First number of the enemy's king.
const ENEMY_KING: usize = BonaPiece::PIECE_END + Square::COUNT;

/// The pieces that are features. The numbers index tables by kind.
#[derive(Clone, Copy)]
pub(super) enum Kings {
    /// All but kings.
    Absent,
    /// All; both kings have their planes.
    Apart,
    /// All; kings share one plane.
    Shared,
    /// Kings alone.
    Alone,
}

impl Kings {
    /// The number of kinds.
    pub(super) const COUNT: usize = 4;

    /// All kinds, in order.
    pub(super) const ALL: [Self; Self::COUNT] =
        [Self::Absent, Self::Apart, Self::Shared, Self::Alone];

    /// The place of `piece` among the features of one king square; [`ABSENT`] if it is none.
    pub(super) const fn place(self, piece: BonaPiece) -> u16 {
        let index = piece.index();
        let place = match self {
            Self::Absent if piece.is_king() => return ABSENT,
            Self::Alone if !piece.is_king() => return ABSENT,
            Self::Alone => index - BonaPiece::PIECE_END,
            Self::Shared if index >= ENEMY_KING => index - Square::COUNT,
            Self::Absent | Self::Apart | Self::Shared => index,
        };
        place as u16
    }

    /// Features of one king square.
    const fn places(self) -> usize {
        match self {
            Self::Absent => BonaPiece::PIECE_END,
            Self::Apart => BonaPiece::END,
            Self::Shared => ENEMY_KING,
            Self::Alone => 2 * Square::COUNT,
        }
    }
}

/// The view of a set on the pieces while the own king stands on one square (king bucket).
#[derive(Clone, Copy)]
pub(super) struct KingView {
    pub(super) kings: Kings,
    /// True if the board is mirrored.
    pub(super) mirrored: bool,
    /// The first feature of this king square.
    pub(super) base: u32,
}

impl KingView {
    /// The view of a player whose king is on `own_king` as it sees it.
    #[inline(always)]
    pub(super) fn new(set: FeatureSet, own_king: Square) -> Self {
        let mirrored = set.is_mirrored() && own_king.index() >= MIRRORED_KINGS;
        let king = if mirrored {
            own_king.mirror()
        } else {
            own_king
        };
        let kings = match set {
            FeatureSet::HalfKp | FeatureSet::HalfKpVm | FeatureSet::HalfKpE9 | FeatureSet::P => {
                Kings::Absent
            }
            // Pieces come first; the kings' numbers follow theirs.
            FeatureSet::KP | FeatureSet::HalfKa1 | FeatureSet::HalfKaHm1 => Kings::Apart,
            FeatureSet::A2 | FeatureSet::KA2 | FeatureSet::HalfKa2 | FeatureSet::HalfKaHm2 => {
                Kings::Shared
            }
            FeatureSet::K => Kings::Alone,
        };
        let base = if set.is_king_relative() {
            king.index() * kings.places()
        } else {
            0
        };
        Self {
            kings,
            mirrored,
            base: base as u32,
        }
    }
}

/// By piece number, the place of its feature among those of one king square; [`ABSENT`] for pieces
/// that are no features.
type IndexTable = [u16; BonaPiece::END];

const fn table(kings: Kings, mirrored: bool) -> IndexTable {
    let mut table = [ABSENT; BonaPiece::END];
    let mut index = 0;
    while index < BonaPiece::END {
        if let Some(piece) = BonaPiece::from_index(index) {
            table[index] = kings.place(if mirrored { piece.mirror() } else { piece });
        }
        index += 1;
    }
    table
}

/// By what becomes of kings, then as it is and mirrored.
static TABLES: [[IndexTable; 2]; Kings::COUNT] = {
    let mut tables = [[[ABSENT; BonaPiece::END]; 2]; Kings::COUNT];
    let mut i = 0;
    while i < Kings::COUNT {
        tables[i] = [table(Kings::ALL[i], false), table(Kings::ALL[i], true)];
        i += 1;
    }
    tables
};

/// The second feature of a king with this piece number, in the set that has it.
#[inline(always)]
pub(super) fn king_again(piece: usize) -> u32 {
    (piece + Square::COUNT) as u32
}

/// A feature set as a player with its king on one square sees it.
///
/// For [`FeatureSet::HalfKpE9`] these are the features of pieces that nobody attacks.
#[derive(Clone, Copy, Debug)]
pub struct FeatureIndexer {
    table: &'static IndexTable,
    base: u32,
    /// True if kings are a second feature, [`king_again`].
    kings_again: bool,
}

impl FeatureIndexer {
    /// The indexer of a player whose king is on `own_king` as it sees the board.
    #[inline]
    pub fn new(set: FeatureSet, own_king: Square) -> Self {
        let view = KingView::new(set, own_king);
        Self {
            table: &TABLES[view.kings as usize][usize::from(view.mirrored)],
            base: view.base,
            kings_again: set == FeatureSet::KA2,
        }
    }

    /// The feature of the piece with this number, and whether there is one.
    #[inline(always)]
    pub(in crate::nnue) fn feature(&self, piece: usize) -> (u32, bool) {
        let place = self.table[piece];
        (self.base.wrapping_add(u32::from(place)), place != ABSENT)
    }

    /// The second feature of the piece with this number: kings have two in some sets.
    #[inline(always)]
    pub(in crate::nnue) fn second_feature(&self, piece: usize) -> Option<u32> {
        (self.kings_again && piece >= BonaPiece::PIECE_END).then(|| king_again(piece))
    }

    /// Calls `f` with each feature that `piece` is in this set: none, one or two.
    #[inline]
    pub fn for_each(&self, piece: BonaPiece, mut f: impl FnMut(u32)) {
        let (feature, is_there) = self.feature(piece.index());
        if is_there {
            f(feature);
        }
        if let Some(feature) = self.second_feature(piece.index()) {
            f(feature);
        }
    }
}

// Features of the pieces on the board, all at once: a piece's number and its square's number are
// added.

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

    /// Writes to `deltas` which features of `set` the move of `delta` changes; `views` are those of black and of white.
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
impl FeatureSet {
    /// The features that are on as `perspective` sees `position`, whose pieces are `list`.
    pub fn active(
        self,
        position: &Position,
        list: &PieceList,
        perspective: Color,
    ) -> ActiveFeatures {
        let mut features = ActiveFeatures::new();
        let indexer = FeatureIndexer::new(self, list.own_king(perspective));
        if self.depends_on_attacks() {
            for &piece in list.view(perspective) {
                let counts = attack_counts(position, piece, perspective) as u32;
                let offset = counts * self.attack_stride();
                indexer.for_each(piece, |feature| features.push(feature + offset));
            }
            return features;
        }
        let kings = list.kings(perspective);
        for &piece in list.view(perspective).iter().chain(&kings) {
            indexer.for_each(piece, |feature| features.push(feature));
        }
        features
    }
}
