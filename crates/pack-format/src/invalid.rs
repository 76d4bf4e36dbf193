//! Invalid data in files, with its place, and the reports that list it.
//!
//! Each format has its own problems; here they are errors of any type.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Serialize, Serializer};
use shogi_kifu::Losses;
use thiserror::Error;

/// A place in a file. Games, records and lines are counted from 1, bytes from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlace {
    /// A byte of a game that begins at `offset`.
    Game {
        /// Number of the game.
        game: u64,
        /// Offset of its first byte.
        offset: u64,
        /// Offset of the wrong bytes.
        byte: u64,
    },
    /// A byte of a record that begins at `offset`.
    Record {
        /// Number of the record.
        record: u64,
        /// Offset of its first byte.
        offset: u64,
        /// Offset of the wrong bytes.
        byte: u64,
    },
    /// The game or record that begins at this offset.
    Offset(u64),
    /// The line of this number.
    Line(u64),
}

impl fmt::Display for DataPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game { game, offset, byte } => {
                write!(f, "byte {byte}: game {game} (begins at byte {offset})")
            }
            Self::Record {
                record,
                offset,
                byte,
            } => {
                write!(f, "byte {byte}: record {record} (begins at byte {offset})")
            }
            Self::Offset(offset) => write!(f, "byte {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Invalid data in a file, with its place.
#[derive(Clone, Debug, Error)]
#[error("{place}: {problem}")]
pub struct InvalidData {
    /// Its place in the file.
    pub place: DataPlace,
    problem: Arc<dyn Error + Send + Sync>,
    /// The data are valid, but the target format cannot express them.
    is_unrepresentable: bool,
}

impl InvalidData {
    /// A problem at a place.
    pub(crate) fn new(place: DataPlace, problem: impl Error + Send + Sync + 'static) -> Self {
        Self {
            place,
            problem: Arc::new(problem),
            is_unrepresentable: false,
        }
    }

    /// A game or record that is in order but that the target format cannot represent.
    pub(crate) fn unrepresentable(
        place: DataPlace,
        problem: impl Into<Arc<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            place,
            problem: problem.into(),
            is_unrepresentable: true,
        }
    }

    /// Returns true if the data are valid but the target format cannot express them.
    pub const fn is_unrepresentable(&self) -> bool {
        self.is_unrepresentable
    }

    /// The problem, if it is of this type.
    pub fn problem<P: Error + 'static>(&self) -> Option<&P> {
        self.problem.downcast_ref()
    }

    /// The same in a file that has `bytes` and `units` (games, records or lines) before the part that it was found in.
    #[must_use]
    pub fn moved(mut self, bytes: u64, units: u64) -> Self {
        match &mut self.place {
            DataPlace::Game {
                game: number,
                offset,
                byte,
            }
            | DataPlace::Record {
                record: number,
                offset,
                byte,
            } => {
                *number += units;
                *offset += bytes;
                *byte += bytes;
            }
            DataPlace::Offset(offset) => *offset += bytes,
            DataPlace::Line(line) => *line += units,
        }
        self
    }

    /// Offset of the first byte of the game or record; `None` for a line of text.
    pub const fn begins_at(&self) -> Option<u64> {
        match self.place {
            DataPlace::Game { offset, .. }
            | DataPlace::Record { offset, .. }
            | DataPlace::Offset(offset) => Some(offset),
            DataPlace::Line(_) => None,
        }
    }
}

impl PartialEq for InvalidData {
    /// The same place and the same message.
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place && self.problem.to_string() == other.problem.to_string()
    }
}

/// Bytes of an input that are not in the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// Name of the input.
    pub input: String,
    /// The damage.
    pub invalid: InvalidData,
    /// Offset of the first byte that was left out.
    pub from: u64,
    /// Offset behind the last one; `None` at the end of an input of unknown length.
    pub to: Option<u64>,
}

/// Report of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherConvertReport {
    /// Games read; 0 for formats without games.
    pub games: u64,
    /// Positions converted.
    pub positions: u64,
    /// Records without a move that were read, kept or not.
    pub without_move: u64,
    /// Moves of game records without an evaluation, left out or kept with score 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub unscored: u64,
    /// Game records without a result, left out or kept as draws.
    #[serde(skip_serializing_if = "is_zero")]
    pub undecided: u64,
    /// What the format of game records that are written cannot hold.
    #[serde(skip)]
    pub losses: Losses,
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
    /// The first damaged places.
    #[serde(skip)]
    pub lost: Vec<Lost>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Damaged places that a report names; the others are only counted.
const NAMED: usize = 100;

impl TeacherConvertReport {
    /// Adds a damaged place that was left out.
    pub(crate) fn lose(&mut self, lost: Lost) {
        self.damaged += 1;
        self.bytes_lost += lost.to.map_or(0, |to| to - lost.from);
        if self.lost.len() < NAMED {
            self.lost.push(lost);
        }
    }
}

/// Damaged records that were left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skipped {
    /// Number of records left out.
    pub count: u64,
    /// The first of them, [`Skipped::SHOWN`] at most, with their files.
    pub first: Vec<(PathBuf, InvalidData)>,
}

impl Skipped {
    /// Maximum number of records kept with their places.
    pub const SHOWN: usize = 10;

    /// Counts one.
    pub(crate) fn add(&mut self, path: &Path, invalid: InvalidData) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push((path.to_owned(), invalid));
        }
    }

    /// Adds the records of later files.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        let room = Self::SHOWN - self.first.len();
        self.first.extend(other.first.iter().take(room).cloned());
    }
}

/// Serialized form of a record in [`Skipped`].
#[derive(Serialize)]
struct Listed<'a> {
    count: u64,
    first: Vec<SkippedPlace<'a>>,
}

#[derive(Serialize)]
struct SkippedPlace<'a> {
    path: Cow<'a, str>,
    offset: Option<u64>,
    reason: String,
}

impl Serialize for Skipped {
    /// `count` and `first`, a list of `path`, `offset` and `reason`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let first = self.first.iter().map(|(path, invalid)| SkippedPlace {
            path: path.to_string_lossy(),
            offset: invalid.begins_at(),
            reason: invalid.to_string(),
        });
        let listed = Listed {
            count: self.count,
            first: first.collect(),
        };
        listed.serialize(serializer)
    }
}
