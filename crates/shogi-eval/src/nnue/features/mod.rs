//! Which inputs of a network are on: the feature sets.
//!
//! A feature set turns the pieces that one player sees (see [`crate::BonaPiece`]) into indices of the
//! first layer's rows. Most sets combine every piece with the square of the perspective's own king, so
//! that all of them change when that king moves; then the sum of rows is taken anew ("refresh").
//! Otherwise a move changes a few indices ([`FeatureSet::deltas`]).

mod board;
mod deltas;
mod indexer;

pub(super) use board::{BoardFeatures, Codes, PLACES};
pub use deltas::{FeatureDelta, FeatureDeltas};
#[cfg(target_arch = "x86_64")]
pub(super) use indexer::ABSENT;
pub use indexer::FeatureIndexer;

use arrayvec::ArrayVec;
use shogi_core::{ByColor, Color, Delta, Position, Square};

use crate::{BonaPiece, PieceList};

/// Most features that are on at once: all pieces, and both kings in two parts of a set.
pub const MAX_ACTIVE: usize = PieceList::LEN + 4;

/// Most features that one move turns off; it turns as many on.
pub const MAX_CHANGED: usize = 3;

/// The features that are on for one indexer. A feature that is there n times counts n times
/// (missing pieces are all the same feature).
pub type ActiveFeatures = ArrayVec<u32, MAX_ACTIVE>;

/// A set of input features. The names are those of evaluation files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// Own king × piece: the classic set.
    HalfKp,
    /// [`Self::HalfKp`] with the board mirrored when the own king is on files 6 to 9.
    HalfKpVm,
    /// [`Self::HalfKp`] × how often both sides attack the piece's square (0, 1, 2 or more).
    HalfKpE9,
    /// Both kings.
    K,
    /// Pieces without kings.
    P,
    /// Kings and pieces beside each other.
    KP,
    /// Pieces with both kings, which share their planes.
    A2,
    /// Kings beside [`Self::A2`].
    KA2,
    /// Own king × piece, kings included and told apart.
    HalfKa1,
    /// Own king × piece, kings included in one plane.
    HalfKa2,
    /// [`Self::HalfKa1`], mirrored.
    HalfKaHm1,
    /// [`Self::HalfKa2`], mirrored.
    HalfKaHm2,
}

impl FeatureSet {
    /// All sets.
    pub const ALL: [Self; 12] = [
        Self::HalfKp,
        Self::HalfKpVm,
        Self::HalfKpE9,
        Self::K,
        Self::P,
        Self::KP,
        Self::A2,
        Self::KA2,
        Self::HalfKa1,
        Self::HalfKa2,
        Self::HalfKaHm1,
        Self::HalfKaHm2,
    ];

    /// The name in the header of evaluation files.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::HalfKp => "HalfKP(Friend)",
            Self::HalfKpVm => "HalfKP_vm(Friend)",
            Self::HalfKpE9 => "HalfKPE9(Friend)",
            Self::K => "K",
            Self::P => "P",
            Self::KP => "K+P",
            Self::A2 => "A2",
            Self::KA2 => "K+A2",
            Self::HalfKa1 => "HalfKA1(Friend)",
            Self::HalfKa2 => "HalfKA2(Friend)",
            Self::HalfKaHm1 => "HalfKA_hm1(Friend)",
            Self::HalfKaHm2 => "HalfKA_hm2(Friend)",
        }
    }

    /// The name as part of an architecture's, such as `halfkp` in `halfkp_256x2-32-32`.
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::HalfKp => "halfkp",
            Self::HalfKpVm => "halfkpvm",
            Self::HalfKpE9 => "halfkpe9",
            Self::K => "k",
            Self::P => "p",
            Self::KP => "kp",
            Self::A2 => "a2",
            Self::KA2 => "ka2",
            Self::HalfKa1 => "halfka1",
            Self::HalfKa2 => "halfka2",
            Self::HalfKaHm1 => "halfkahm1",
            Self::HalfKaHm2 => "halfkahm2",
        }
    }

    /// The set with this name, either way of writing it, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(|set| {
            let file_name = set.file_name();
            same(set.short_name())
                || same(file_name)
                || file_name.strip_suffix("(Friend)").is_some_and(same)
        })
    }

    /// The number by which files know the set.
    pub const fn hash(self) -> u32 {
        const K: u32 = 0xd3ce_e169;
        const P: u32 = 0x764c_fb4b;
        const A2: u32 = 0xa20d_cb9b;
        match self {
            // The two differ in size alone.
            Self::HalfKp | Self::HalfKpE9 => 0x5d69_d5b8,
            Self::HalfKpVm => 0x0b6b_1d9a,
            Self::K => K,
            Self::P => P,
            Self::KP => K ^ (P << 1) ^ (P >> 31),
            Self::A2 => A2,
            Self::KA2 => K ^ (A2 << 1) ^ (A2 >> 31),
            Self::HalfKa1 => 0x5f13_4cb8,
            Self::HalfKa2 => 0x5f23_4cb8,
            Self::HalfKaHm1 => 0x7f13_4cb8,
            Self::HalfKaHm2 => 0x7f23_4cb8,
        }
    }

    /// The number of features: inputs of the feature transformer. No two sets have the same number.
    pub const fn dimensions(self) -> usize {
        let squares = Square::COUNT;
        let pieces = BonaPiece::PIECE_END;
        match self {
            Self::HalfKp => squares * pieces,
            Self::HalfKpVm => MIRRORED_KINGS * pieces,
            Self::HalfKpE9 => squares * pieces * indexer::ATTACK_COUNTS,
            Self::K => 2 * squares,
            Self::P => pieces,
            Self::KP => 2 * squares + pieces,
            Self::A2 => pieces + squares,
            Self::KA2 => 2 * squares + pieces + squares,
            Self::HalfKa1 => squares * BonaPiece::END,
            Self::HalfKa2 => squares * (pieces + squares),
            Self::HalfKaHm1 => MIRRORED_KINGS * BonaPiece::END,
            Self::HalfKaHm2 => MIRRORED_KINGS * (pieces + squares),
        }
    }

    /// The number of active features in every position, counted with repetitions.
    pub const fn active_count(self) -> usize {
        match self {
            Self::HalfKp | Self::HalfKpVm | Self::HalfKpE9 | Self::P => PieceList::LEN,
            Self::K => 2,
            Self::KP
            | Self::A2
            | Self::HalfKa1
            | Self::HalfKa2
            | Self::HalfKaHm1
            | Self::HalfKaHm2 => PieceList::LEN + 2,
            Self::KA2 => PieceList::LEN + 4,
        }
    }

    /// Returns whether all features of an indexer change when its own king moves.
    pub const fn is_king_relative(self) -> bool {
        !matches!(self, Self::K | Self::P | Self::KP | Self::A2 | Self::KA2)
    }

    /// Returns whether pieces other than kings are features.
    pub const fn has_pieces(self) -> bool {
        !matches!(self, Self::K)
    }

    /// Returns whether the board is mirrored when the own king is on files 6 to 9.
    pub const fn is_mirrored(self) -> bool {
        matches!(self, Self::HalfKpVm | Self::HalfKaHm1 | Self::HalfKaHm2)
    }

    /// Returns whether any move may change features of pieces that did not move, so that every position has
    /// to be listed anew.
    pub const fn depends_on_attacks(self) -> bool {
        matches!(self, Self::HalfKpE9)
    }

    /// The distance between the features of a piece under different attacks; 0 for sets that do not
    /// depend on attacks.
    pub const fn attack_stride(self) -> u32 {
        match self {
            Self::HalfKpE9 => Self::HalfKp.dimensions() as u32,
            _ => 0,
        }
    }

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
                let counts = indexer::attack_counts(position, piece, perspective) as u32;
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

    /// Writes to `deltas` what a move changes in the features of both players. `own_kings` is where the king of each
    /// stands as it sees it (before or after the move: if it moved, sets that care are refreshed).
    #[inline]
    pub fn deltas(self, delta: &Delta, own_kings: ByColor<Square>, deltas: &mut FeatureDeltas) {
        let [black, white] = Color::ALL
            .map(|perspective| BoardFeatures::new(self, perspective, own_kings[perspective]));
        BoardFeatures::deltas([&black, &white], self, delta, deltas);
    }
}

/// Which of the features of the piece on `square` is on under the attacks on it, counted from that of
/// no attacks in steps of [`FeatureSet::attack_stride`]: 0 to 8.
pub(super) fn attack_feature(position: &Position, square: Square, perspective: Color) -> u8 {
    indexer::attack_counts_on(position, square, perspective) as u8
}

/// King squares that are left when files 6 to 9 are mirrored to 4 to 1.
const MIRRORED_KINGS: usize = 45;

#[cfg(test)]
mod tests;
