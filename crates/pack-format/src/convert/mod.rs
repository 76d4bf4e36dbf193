//! Any format into any other that can hold it.
//!
//! # What is kept
//!
//! | from, to | |
//! |---|---|
//! | pack to hcpe, PSV | every position with its move and score; ply and end reason as far as the target has them |
//! | pack to hcpe3 | the move played is the only candidate, with one visit |
//! | hcpe to PSV | ply 0, which stands for "not known" |
//! | PSV to hcpe | the ply is dropped |
//! | hcpe3 to hcpe, PSV | candidates are dropped; ply counts from 0 within the game |
//! | hcpe3 to pack | candidates are dropped; the ply of the start is 1 or 2 by the side to move; the end reason follows from flags and result |
//! | hcpe, PSV to hcpe3 | a game of one move each, its only candidate with one visit |
//! | hcpe, PSV to pack | cannot be: a pack consists of whole games |
//! | to JSON lines, CSV and back | everything, see [`crate::text`] |
//! | game records (KIF, KI2, CSA, JKF, USI) to any | the game as it was played, with the evaluations in its comments |
//! | pack, hcpe3, games of JSON lines to records | moves, result, and scores as comments; candidates are dropped |
//!
//! Positions are written in canonical order of hands and box, whatever order they had. Every position
//! and move is checked on the way. A record without a move (0x0000) is whole; what becomes of it is a
//! setting ([`WithoutMove`]).

mod cross;
pub(crate) mod drive;
pub(crate) mod generic;
mod kifu;
mod pack;
mod realign;
pub(crate) mod records;
mod run;

use std::fmt;

use shogi_kifu::KifuFormat;
use yane_io::Overwrite;

use crate::TeacherFormat;
use crate::move_codes::MoveCodesChoice;
use crate::pack::Contradictions;

pub use crate::invalid::{Lost, TeacherConvertReport};
pub use kifu::{Undecided, Unscored};
pub use pack::Smoothing;
pub use run::convert;

/// A format that conversions read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFormat {
    /// Teacher data.
    Teacher(TeacherFormat),
    /// Game records. What is read is recognised by content, whichever of their formats this is.
    Kifu(KifuFormat),
}

impl DataFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        let teacher = TeacherFormat::ALL.into_iter().map(Self::Teacher);
        teacher.chain(KifuFormat::ALL.into_iter().map(Self::Kifu))
    }

    /// The name, which is also the usual extension of its files, but for `usi`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Teacher(format) => format.name(),
            Self::Kifu(format) => format.name(),
        }
    }

    /// The format of teacher data, if it is one.
    pub const fn teacher(self) -> Option<TeacherFormat> {
        match self {
            Self::Teacher(format) => Some(format),
            Self::Kifu(_) => None,
        }
    }

    /// Returns whether it is `format`.
    pub fn is(self, format: TeacherFormat) -> bool {
        self.teacher() == Some(format)
    }
}

impl From<TeacherFormat> for DataFormat {
    fn from(format: TeacherFormat) -> Self {
        Self::Teacher(format)
    }
}

impl From<KifuFormat> for DataFormat {
    fn from(format: KifuFormat) -> Self {
        Self::Kifu(format)
    }
}

impl fmt::Display for DataFormat {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

// The options of a conversion.

/// Treatment of damaged inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recover {
    /// The damage is an error and no output is made.
    #[default]
    No,
    /// Everything before the damage is converted. In files of fixed-size records, all but the
    /// damaged records are converted as long as the others stand at their expected offsets.
    Prefix,
    /// So is what can be proved to be good behind it: games of a pack ([`crate::pack::resync`]), and
    /// records that stand elsewhere than they should, because bytes were inserted or lost.
    Resync,
}

/// Treatment of records without a move (0x0000).
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
    /// Returns the default for these formats: records are kept where readers can do without the move,
    /// which readers of hcpe and hcpe3 (policy trainers) cannot.
    pub fn usual(from: DataFormat, to: DataFormat) -> Self {
        match to {
            DataFormat::Teacher(TeacherFormat::Hcpe | TeacherFormat::Hcpe3) if from != to => {
                Self::Refuse
            }
            _ => Self::Keep,
        }
    }
}

/// Options of a conversion.
#[derive(Clone, Debug)]
pub struct TeacherConvertOptions {
    /// Format of the inputs.
    pub from: DataFormat,
    /// Format of the output.
    pub to: DataFormat,
    /// Averages scores over plies; for inputs of whole games.
    pub smoothing: Option<Smoothing>,
    /// Treatment of games whose end reason contradicts their result.
    pub contradictions: Contradictions,
    /// Treatment of damaged inputs.
    pub recover: Recover,
    /// Treatment of records without a move.
    pub without_move: WithoutMove,
    /// Treatment of moves of records without an evaluation.
    pub unscored: Unscored,
    /// Treatment of records without a result.
    pub undecided: Undecided,
    /// Codes of the moves of PSV inputs.
    pub move_codes: MoveCodesChoice,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl TeacherConvertOptions {
    /// From one format to another, strictly.
    pub fn new(from: impl Into<DataFormat>, to: impl Into<DataFormat>) -> Self {
        let (from, to) = (from.into(), to.into());
        Self {
            from,
            to,
            smoothing: None,
            contradictions: Contradictions::Accept,
            recover: Recover::No,
            without_move: WithoutMove::usual(from, to),
            unscored: to.teacher().map_or(Unscored::Zero, Unscored::usual),
            undecided: Undecided::default(),
            move_codes: MoveCodesChoice::default(),
            overwrite: Overwrite::Refuse,
        }
    }
}
