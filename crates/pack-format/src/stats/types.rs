//! The statistics of teacher data: what they count, file by file.

use std::path::PathBuf;

use crate::invalid::Skipped;
use crate::stats::counts::{GameStats, PositionStats};
use crate::stats::distinct::Distinct;
use crate::stats::scores::ScoreStats;
use crate::{EndReason, TeacherFormat, hcpe3};

/// Options of counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatsOptions {
    /// Leave out damaged records, and say how many there were. Games cannot be left out: where the
    /// next one begins is not known.
    pub skip_bad: bool,
}

/// Statistics of one or several files.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// The format of the files.
    pub format: TeacherFormat,
    /// The files, in the order they were read.
    pub files: Vec<FileStats>,
    /// Games; all zero in formats without.
    pub games: GameStats,
    /// Positions and moves.
    pub positions: PositionStats,
    /// Scores.
    pub scores: ScoreStats,
    /// Different positions (board, hands and side to move; not the ply number).
    pub distinct: Distinct,
    /// Damaged records that were left out.
    pub skipped: Skipped,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStats {
    /// Path of the file.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of games; 0 in formats without.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
}

impl Stats {
    /// Returns empty statistics.
    pub fn new(format: TeacherFormat) -> Self {
        Self {
            format,
            files: Vec::new(),
            games: GameStats::default(),
            positions: PositionStats::default(),
            scores: ScoreStats::default(),
            distinct: Distinct::default(),
            skipped: Skipped::default(),
        }
    }

    /// Adds the statistics of other files.
    pub fn merge(&mut self, other: &Self) {
        self.files.extend_from_slice(&other.files);
        self.games.merge(&other.games);
        self.positions.merge(&other.positions);
        self.scores.merge(&other.scores);
        self.distinct.merge(&other.distinct);
        self.skipped.merge(&other.skipped);
    }

    /// Returns true if the format has games.
    pub const fn has_games(&self) -> bool {
        matches!(self.format, TeacherFormat::Pack | TeacherFormat::Hcpe3)
    }

    /// Returns the meaning of an end reason's number in this format.
    pub fn reason_name(&self, number: u8) -> String {
        match self.format {
            TeacherFormat::Hcpe3 => hcpe3::Flags::from_bits(number)
                .map_or_else(|| format!("unknown {number}"), |flags| flags.to_string()),
            _ => EndReason(number).to_string(),
        }
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// About how many positions there are that are the same as another one: positions less different
    /// positions.
    pub fn repeated(&self) -> f64 {
        (self.positions.count() as f64 - self.distinct.estimate()).max(0.0)
    }
}
