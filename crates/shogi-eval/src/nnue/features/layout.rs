//! Where a set's feature for a piece lies: one table look-up and one addition.

use shogi_core::Square;

use super::{FeatureSet, MIRRORED_KINGS};
use crate::BonaPiece;

/// By piece number, the place of its feature among those of one king square; [`ABSENT`] for pieces
/// that are no features.
type Table = [u16; BonaPiece::END];

const ABSENT: u16 = u16::MAX;

/// What a table does with kings.
#[derive(Clone, Copy)]
enum Kings {
    /// They are no features.
    Absent,
    /// Both have their planes.
    Apart,
    /// They share one plane.
    Shared,
}

const fn table(kings: Kings, mirrored: bool) -> Table {
    let mut table = [ABSENT; BonaPiece::END];
    let mut index = 0;
    while index < BonaPiece::END {
        if let Some(piece) = BonaPiece::from_index(index) {
            let place = if mirrored {
                piece.mirror().index()
            } else {
                index
            };
            table[index] = match kings {
                Kings::Absent if piece.is_king() => ABSENT,
                Kings::Shared if place >= ENEMY_KING => (place - Square::COUNT) as u16,
                _ => place as u16,
            };
        }
        index += 1;
    }
    table
}

const fn kings_only() -> Table {
    let mut table = [ABSENT; BonaPiece::END];
    let mut index = BonaPiece::PIECE_END;
    while index < BonaPiece::END {
        table[index] = (index - BonaPiece::PIECE_END) as u16;
        index += 1;
    }
    table
}

const ENEMY_KING: usize = BonaPiece::PIECE_END + Square::COUNT;

static PIECES: Table = table(Kings::Absent, false);
static PIECES_MIRRORED: Table = table(Kings::Absent, true);
static APART: Table = table(Kings::Apart, false);
static APART_MIRRORED: Table = table(Kings::Apart, true);
static SHARED: Table = table(Kings::Shared, false);
static SHARED_MIRRORED: Table = table(Kings::Shared, true);
static KINGS: Table = kings_only();

/// A feature set as a player with its king on one square sees it.
///
/// For [`FeatureSet::HalfKpE9`] these are the features of pieces that nobody attacks.
#[derive(Clone, Copy, Debug)]
pub struct Perspective {
    table: &'static Table,
    base: u32,
    /// Kings are a second feature this much above their piece number.
    kings_again: Option<u32>,
}

impl Perspective {
    /// The perspective of a player whose king is on `own_king` as it sees the board.
    #[inline]
    pub fn new(set: FeatureSet, own_king: Square) -> Self {
        // The king's square is left or right of the mirror, or there is none.
        let king = own_king.index();
        let (mirrored_king, is_mirrored) = if king >= MIRRORED_KINGS {
            (own_king.mirror().index(), true)
        } else {
            (king, false)
        };
        let either = |plain, mirrored| if is_mirrored { mirrored } else { plain };
        let pieces = BonaPiece::PIECE_END;
        let (table, base) = match set {
            FeatureSet::HalfKp | FeatureSet::HalfKpE9 => (&PIECES, king * pieces),
            FeatureSet::HalfKpVm => (either(&PIECES, &PIECES_MIRRORED), mirrored_king * pieces),
            FeatureSet::K => (&KINGS, 0),
            FeatureSet::P => (&PIECES, 0),
            // Pieces come first; the kings' numbers follow theirs.
            FeatureSet::KP => (&APART, 0),
            FeatureSet::A2 | FeatureSet::KA2 => (&SHARED, 0),
            FeatureSet::HalfKa1 => (&APART, king * BonaPiece::END),
            FeatureSet::HalfKa2 => (&SHARED, king * ENEMY_KING),
            FeatureSet::HalfKaHm1 => (
                either(&APART, &APART_MIRRORED),
                mirrored_king * BonaPiece::END,
            ),
            FeatureSet::HalfKaHm2 => (
                either(&SHARED, &SHARED_MIRRORED),
                mirrored_king * ENEMY_KING,
            ),
        };
        Self {
            table,
            base: base as u32,
            kings_again: (set == FeatureSet::KA2).then_some(Square::COUNT as u32),
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
        let offset = self.kings_again?;
        (piece >= BonaPiece::PIECE_END).then_some(piece as u32 + offset)
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
