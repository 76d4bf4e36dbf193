//! The inputs of a network in training: the rows of the feature transformer, and the factor rows that they share.
//!
//! A king-relative feature is seen too seldom to be learnt by itself. While it is trained, its row is the sum of its own weights and
//! those of *factors*: rows for a part of what the feature says (the piece without the king), which many features share. An exported
//! row is that sum (YaneuraOu: `Factorizer`).

use shogi_core::{Color, Position};
use shogi_eval::nnue::features::FeatureSet;
use shogi_eval::{BonaPiece, PieceList};

/// Most factors of a feature.
pub(crate) const MAX_FACTORS: usize = 2;

/// Features of a piece under different numbers of attacks in [`FeatureSet::HalfKpE9`].
const HALF_KP: usize = 81 * BonaPiece::PIECE_END;

/// A feature set with or without its factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrainingFeatures {
    set: FeatureSet,
    factorised: bool,
}

impl TrainingFeatures {
    /// `set`, with its factors if it has some and they are wanted.
    pub(crate) fn new(set: FeatureSet, factorised: bool) -> Self {
        Self {
            set,
            factorised: factorised && set.is_king_relative(),
        }
    }

    /// The rows of the exported transformer.
    pub(crate) const fn rows(self) -> usize {
        self.set.dimensions()
    }

    /// Active features of a perspective.
    pub(crate) const fn active_count(self) -> usize {
        self.set.active_count()
    }

    /// Returns whether rows have factors.
    pub(crate) const fn is_factorised(self) -> bool {
        self.factorised
    }

    /// Features of one king square: places of pieces.
    const fn places(self) -> usize {
        match self.set {
            FeatureSet::HalfKa1 | FeatureSet::HalfKaHm1 => BonaPiece::END,
            FeatureSet::HalfKa2 | FeatureSet::HalfKaHm2 => BonaPiece::PIECE_END + 81,
            _ => BonaPiece::PIECE_END,
        }
    }

    /// The number of factor rows.
    pub(crate) const fn factor_rows(self) -> usize {
        match (self.factorised, self.set) {
            (false, _) => 0,
            (true, FeatureSet::HalfKpE9) => self.places() + HALF_KP,
            (true, _) => self.places(),
        }
    }

    /// The factors of `row`: how many, and which.
    pub(crate) const fn factors(self, row: usize) -> (usize, [usize; MAX_FACTORS]) {
        if !self.factorised {
            return (0, [0; MAX_FACTORS]);
        }
        let places = self.places();
        match self.set {
            FeatureSet::HalfKpE9 => {
                let without_attacks = row % HALF_KP;
                (2, [row % places, places + without_attacks])
            }
            _ => (1, [row % places, 0]),
        }
    }

    /// Appends the active features of `position`: those of the side to move, then those of the other.
    pub(crate) fn append(self, position: &Position, list: &PieceList, features: &mut Vec<u32>) {
        let us = position.side_to_move();
        for perspective in [us, us.flip()] {
            self.append_view(position, list, perspective, features);
        }
    }

    fn append_view(
        self,
        position: &Position,
        list: &PieceList,
        perspective: Color,
        features: &mut Vec<u32>,
    ) {
        let active = self.set.active(position, list, perspective);
        debug_assert_eq!(active.len(), self.active_count());
        features.extend_from_slice(&active);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_rows_that_features_share() {
        for set in FeatureSet::ALL {
            let features = TrainingFeatures::new(set, true);
            let plain = TrainingFeatures::new(set, false);
            assert_eq!(plain.factor_rows(), 0);
            let last = features.rows() - 1;
            for row in [0, 1, 1547, last / 2, last] {
                let row = row.min(last);
                let (count, factors) = features.factors(row);
                assert_eq!(count > 0, set.is_king_relative(), "{set:?}");
                assert!(factors[..count].iter().all(|&f| f < features.factor_rows()));
            }
        }
        let half_kp = TrainingFeatures::new(FeatureSet::HalfKp, true);
        assert_eq!(half_kp.factors(3 * 1548 + 7), (1, [7, 0]));
        let e9 = TrainingFeatures::new(FeatureSet::HalfKpE9, true);
        let row = 4 * 125_388 + 3 * 1548 + 7;
        assert_eq!(e9.factors(row), (2, [7, 1548 + 3 * 1548 + 7]));
    }
}
