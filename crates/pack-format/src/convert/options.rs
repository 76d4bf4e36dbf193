//! What a conversion is asked to do, and what it says when it is done.

use serde::Serialize;
use yane_io::Overwrite;

use super::Smoothing;
use super::drive::Part;
use crate::pack::Contradictions;
use crate::{Damage, TeacherFormat};

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

/// Bytes of an input that are not in the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// Name of the input.
    pub input: String,
    /// What is wrong.
    pub damage: Damage,
    /// Offset of the first byte that was left out.
    pub from: u64,
    /// Offset behind the last one; `None` at the end of an input of unknown length.
    pub to: Option<u64>,
}

/// What a conversion did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherConvertReport {
    /// Games read; 0 for formats without games.
    pub games: u64,
    /// Positions converted.
    pub positions: u64,
    /// Records without a move that were read, kept or not.
    pub without_move: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Games whose end reason cannot go with their result.
    pub contradictions: u64,
    /// Positions whose hands or box were not in canonical order, as far as that was looked at.
    #[serde(skip)]
    pub(crate) uncanonical: u64,
    /// Damaged places that were left out, in all.
    pub damaged: u64,
    /// Bytes that were left out for them, as far as that is known.
    pub bytes_lost: u64,
    /// The first of those places.
    #[serde(skip)]
    pub lost: Vec<Lost>,
}

/// Damaged places that a report names; the others are only counted.
const NAMED: usize = 100;

impl TeacherConvertReport {
    /// Counts what a part of a file became.
    pub(crate) fn add(&mut self, part: &Part) {
        self.games += part.games;
        self.positions += part.positions;
        self.without_move += part.without_move;
        self.contradictions += part.contradictions;
        self.uncanonical += part.uncanonical;
        self.bytes_read += part.good as u64;
        self.bytes_written += part.output.len() as u64;
    }

    /// Adds a place that was left out.
    pub(crate) fn lose(&mut self, lost: Lost) {
        self.damaged += 1;
        self.bytes_lost += lost.to.map_or(0, |to| to - lost.from);
        if self.lost.len() < NAMED {
            self.lost.push(lost);
        }
    }
}
