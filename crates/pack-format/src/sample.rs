//! A position with its move, whatever record it comes from.

use shogi_core::{AperyMove16, Move, Move16, Position};
use shogi_packed::{Hcp, PackedSfen};
use thiserror::Error;

use crate::record::{TeacherRecord, TeacherRecordProblem};
use crate::{Hcpe, Psv, TeacherResult, TeacherScore};

/// A position, the move played there, its evaluation and how the game ended: what the records of all
/// formats have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The position. Its ply number is [`Self::ply`], or 1 where that is not known.
    pub position: Position,
    /// The move, which is legal there; `None` for a record without one.
    pub mv: Option<Move>,
    /// The evaluation of the position, from the side of the player to move.
    pub score: TeacherScore,
    /// Result of the game.
    pub result: TeacherResult,
    /// Ply number of the position (1 for the first of a game); `None` where it is not known.
    pub ply: Option<u32>,
}

/// Reason why a record cannot hold a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A king is missing; 32 bytes cannot hold such a position.
    #[error("the position has no king for one side")]
    MissingKing,
    /// The ply number does not fit in 16 bits.
    #[error("ply {0} is above 65535")]
    Ply(u32),
}

/// Word in place of the move in text output of a record without one.
pub(crate) const NO_MOVE: &str = "none";

impl Sample {
    /// The move as text, `none` where there is none.
    pub(crate) fn move_text(&self) -> String {
        self.mv
            .map_or_else(|| NO_MOVE.to_owned(), |mv| mv.to_string())
    }

    /// The sample of an hcpe record; its ply is not known.
    ///
    /// # Errors
    /// When the record's position or move breaks the rules.
    pub fn from_hcpe(record: &Hcpe) -> Result<Self, TeacherRecordProblem> {
        let (position, mv) = record.open()?;
        Ok(Self {
            position,
            mv,
            score: record.score,
            result: record.result,
            ply: None,
        })
    }

    /// The sample of a PSV record. Ply 0 stands for one that is not known.
    ///
    /// # Errors
    /// When the record's position or move breaks the rules.
    pub fn from_psv(record: &Psv) -> Result<Self, TeacherRecordProblem> {
        let (position, mv) = record.open()?;
        let result = record.outcome.of(position.side_to_move());
        Ok(Self {
            position: position.with_ply(record.ply.max(1).into()),
            mv,
            score: record.score,
            result,
            ply: (record.ply > 0).then_some(record.ply.into()),
        })
    }

    /// The hcpe record, which has no ply.
    ///
    /// # Errors
    /// [`SampleError::MissingKing`].
    pub fn to_hcpe(&self) -> Result<Hcpe, SampleError> {
        Ok(Hcpe {
            position: Hcp::encode(&self.position).map_err(|_| SampleError::MissingKing)?,
            score: self.score,
            mv: self.mv.map_or(AperyMove16(0), AperyMove16::from),
            result: self.result,
        })
    }

    /// The PSV record, with ply 0 where it is not known.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn to_psv(&self) -> Result<Psv, SampleError> {
        let ply = self.ply.unwrap_or(0);
        Ok(Psv {
            position: PackedSfen::encode(&self.position).map_err(|_| SampleError::MissingKing)?,
            score: self.score,
            mv: self.mv.map_or(Move16(0), Move16::from),
            ply: u16::try_from(ply).map_err(|_| SampleError::Ply(ply))?,
            outcome: self.result.seen_by(self.position.side_to_move()),
        })
    }
}
