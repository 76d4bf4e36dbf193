//! What counts as the same unit, which of them is kept, and what came of it.

use yane_io::Overwrite;

use crate::TeacherFormat;

/// Criterion by which records are duplicates of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DedupBy {
    /// Records of the same position, whatever their other fields (hcpe and PSV).
    #[default]
    Position,
    /// Records of the same position and the same move (hcpe and PSV).
    PositionAndMove,
    /// Records that are the same in all fields. In pack, hcpe3 and text files: games and lines of
    /// the same bytes, compared by their SHA-256.
    WholeRecord,
}

/// Duplicate that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
}

/// Options of deduplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DedupOptions {
    /// Format of all files.
    pub format: TeacherFormat,
    /// Criterion of the comparison.
    pub by: DedupBy,
    /// Duplicate that is kept.
    pub keep: Keep,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl DedupOptions {
    /// Compares positions where records are positions, else whole games or lines; keeps the first.
    pub fn new(format: TeacherFormat) -> Self {
        Self {
            format,
            by: match format {
                TeacherFormat::Hcpe | TeacherFormat::Psv => DedupBy::Position,
                _ => DedupBy::WholeRecord,
            },
            keep: Keep::default(),
            overwrite: Overwrite::default(),
        }
    }
}

/// Report of deduplication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DedupReport {
    /// Records, games or lines read.
    pub records: u64,
    /// Records without a move among them.
    pub without_move: u64,
    /// Records, games or lines written.
    pub kept: u64,
    /// Records, games or lines not written.
    pub dropped: u64,
    /// Records whose score is a mean ([`crate::average`]).
    pub averaged: u64,
    /// Bytes written to temporary files: 0 when all fitted in memory.
    pub spilled: u64,
}
