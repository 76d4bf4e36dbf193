//! The unit of scores in teacher data.

/// The unit of scores in teacher data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreUnit {
    /// A pawn is 100, as engines tell and all formats of this project have it.
    Centipawns,
    /// A pawn is 90, as in psv files of the classic learner.
    Internal,
}

impl ScoreUnit {
    /// A score in internal units.
    pub(crate) fn internal(self, score: i16) -> f64 {
        match self {
            Self::Centipawns => f64::from(score) * 0.9,
            Self::Internal => f64::from(score),
        }
    }

    /// A size of scores in internal units.
    pub(crate) fn internal_size(self, size: u16) -> f64 {
        match self {
            Self::Centipawns => f64::from(size) * 0.9,
            Self::Internal => f64::from(size),
        }
    }
}
