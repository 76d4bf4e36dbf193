//! The options of a conversion.

use yane_io::Overwrite;

use super::Smoothing;
use crate::TeacherFormat;
use crate::pack::Contradictions;

/// What becomes of a damaged input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recover {
    /// The damage is an error and no output is made.
    #[default]
    No,
    /// What is before the damage is converted. Of records of one size, all but the damaged ones are,
    /// as long as the others stand where they should.
    Prefix,
    /// So is what can be proved to be good behind it: games of a pack ([`crate::pack::resync`]), and
    /// records that stand elsewhere than they should, because bytes were inserted or lost.
    Resync,
}

/// What becomes of a record without a move (0x0000).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutMove {
    /// It is an error, or left out as damage is.
    Refuse,
    /// It is left out, and counted.
    Skip,
    /// It is kept: the new record has no move either.
    Keep,
}

impl WithoutMove {
    /// What is usual: it is kept where readers can do without the move, which those of hcpe and hcpe3
    /// (trainers of a policy) cannot.
    pub fn usual(from: TeacherFormat, to: TeacherFormat) -> Self {
        match to {
            TeacherFormat::Hcpe | TeacherFormat::Hcpe3 if from != to => Self::Refuse,
            _ => Self::Keep,
        }
    }
}

/// What to convert, and how.
#[derive(Clone, Debug)]
pub struct TeacherConvertOptions {
    /// Format of the inputs.
    pub from: TeacherFormat,
    /// Format of the output.
    pub to: TeacherFormat,
    /// Averages scores over plies; for inputs of whole games.
    pub smoothing: Option<Smoothing>,
    /// Whether a game's end reason must go with its result.
    pub contradictions: Contradictions,
    /// What becomes of damaged inputs.
    pub recover: Recover,
    /// What becomes of records without a move.
    pub without_move: WithoutMove,
    /// Whether the output may be one of the inputs.
    pub overwrite: Overwrite,
}

impl TeacherConvertOptions {
    /// From one format to another, strictly.
    pub fn new(from: TeacherFormat, to: TeacherFormat) -> Self {
        Self {
            from,
            to,
            smoothing: None,
            contradictions: Contradictions::Accept,
            recover: Recover::No,
            without_move: WithoutMove::usual(from, to),
            overwrite: Overwrite::Refuse,
        }
    }
}
