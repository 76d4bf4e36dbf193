//! What the sets do with kings: which of them are features, and how the own one's square counts.

use shogi_core::Square;

use super::{FeatureSet, MIRRORED_KINGS};
use crate::BonaPiece;

/// What stands for a piece that is no feature.
pub(in crate::nnue) const ABSENT: u16 = u16::MAX;

/// First number of the enemy's king.
const ENEMY_KING: usize = BonaPiece::PIECE_END + Square::COUNT;

/// Which pieces are features. The numbers index tables by kind.
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
    /// How many kinds there are.
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

/// How a set looks at pieces while the own king stands on one square.
#[derive(Clone, Copy)]
pub(super) struct KingView {
    pub(super) kings: Kings,
    /// Whether the board is mirrored.
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
