//! Where a set's feature for a piece lies: one table look-up and one addition.

use shogi_core::Square;

use super::FeatureSet;
use super::kings::{ABSENT, KingView, Kings};
use crate::BonaPiece;

/// By piece number, the place of its feature among those of one king square; [`ABSENT`] for pieces
/// that are no features.
type Table = [u16; BonaPiece::END];

const fn table(kings: Kings, mirrored: bool) -> Table {
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
static TABLES: [[Table; 2]; Kings::COUNT] = {
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
    table: &'static Table,
    base: u32,
    /// Whether kings are a second feature, [`king_again`].
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
