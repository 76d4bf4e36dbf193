//! What can go wrong with teacher data.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::convert::TeacherConvertReport;
use crate::record::FaultyRecord;
use crate::{TeacherFormat, hcpe3, pack, text};

/// The result of work on teacher data.
pub type Result<T> = std::result::Result<T, TeacherError>;

/// Something in a file that is not as it should be, with its place.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Damage {
    /// A game of a pack file.
    #[error(transparent)]
    Game(#[from] pack::PackGameProblem),
    /// A record of an hcpe or PSV file.
    #[error(transparent)]
    Record(#[from] FaultyRecord),
    /// A game of an hcpe3 file.
    #[error(transparent)]
    Hcpe3(#[from] hcpe3::Hcpe3GameProblem),
    /// A line of a text file.
    #[error(transparent)]
    Line(#[from] text::FaultyLine),
    /// Something that is in order but that the target format cannot say.
    #[error("byte {offset}: {reason}")]
    Unsayable {
        /// Offset of the game or record.
        offset: u64,
        /// What cannot be said.
        reason: String,
    },
    /// The same of a line of text.
    #[error("line {line}: {reason}")]
    UnsayableLine {
        /// Number of the line, from 1.
        line: u64,
        /// What cannot be said.
        reason: String,
    },
}

impl Damage {
    /// The same damage in a file that has `bytes`, `units` (games or records) and `lines` before the
    /// part that it was found in.
    #[must_use]
    pub fn moved(mut self, bytes: u64, units: u64) -> Self {
        match &mut self {
            Self::Game(fault) => {
                fault.offset += bytes;
                fault.game += units;
            }
            Self::Record(fault) => {
                fault.offset += bytes;
                fault.record += units;
            }
            Self::Hcpe3(fault) => {
                fault.offset += bytes;
                fault.game += units;
            }
            Self::Line(fault) => fault.line += units,
            Self::Unsayable { offset, .. } => *offset += bytes,
            Self::UnsayableLine { line, .. } => *line += units,
        }
        self
    }

    /// Offset of the first byte of the game or record; `None` for a line of text.
    pub const fn begins_at(&self) -> Option<u64> {
        match self {
            Self::Game(fault) => Some(fault.offset),
            Self::Record(fault) => Some(fault.offset),
            Self::Hcpe3(fault) => Some(fault.offset),
            Self::Unsayable { offset, .. } => Some(*offset),
            Self::Line(_) | Self::UnsayableLine { .. } => None,
        }
    }
}

/// Why work on teacher data failed. Whatever the error, no output file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TeacherError {
    /// A file could not be read or written, or the work was interrupted.
    #[error(transparent)]
    File(#[from] yane_io::Error),
    /// The contents of a file are not as they should be.
    #[error("{}: {damage}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong with it.
        damage: Box<Damage>,
    },
    /// The target format cannot hold what the source format has.
    #[error("{from} cannot become {to}: {reason}")]
    Unrepresentable {
        /// The source.
        from: TeacherFormat,
        /// The target.
        to: TeacherFormat,
        /// What is missing.
        reason: &'static str,
    },
    /// Nothing in the inputs is whole: an output would be empty.
    #[error("{input}: {damage}; nothing whole is left of it, so nothing was written")]
    NothingLeft {
        /// The first damaged input.
        input: String,
        /// What is wrong with it first.
        damage: Box<Damage>,
        /// All that was found.
        report: Box<TeacherConvertReport>,
    },
    /// An option has a value that makes no sense.
    #[error("{0}")]
    Option(String),
}

impl TeacherError {
    /// A [`TeacherError::Damaged`].
    pub fn damaged(path: impl AsRef<Path>, damage: Damage) -> Self {
        Self::Damaged {
            path: path.as_ref().to_owned(),
            damage: Box::new(damage),
        }
    }
}
