//! Statistics of teacher data: games, positions, results, scores.
//!
//! [`stats`] reads files once, on all threads, in memory that does not depend on their size; every
//! record and every move is checked. Everything but the number of different positions, an estimate,
//! is counted exactly. [`Stats`] of several files can be [merged](Stats::merge): the order does not
//! matter.
//!
//! [`Stats::to_text`], [`Stats::to_json`], [`Stats::to_html`] and [`Stats::to_svg`] show them.

mod collect;
mod counts;
mod distinct;
mod html;
mod json;
mod scores;
mod tally;
mod text;

pub use counts::{GameStats, Outcomes, PositionStats, ResultCounts};
pub use distinct::Distinct;
pub use scores::{BINNED, Fit, MATE, ScoreBin, ScoreStats};
pub use tally::Tally;

use std::path::PathBuf;

use yane_io::Job;

use crate::invalid::Skipped;
use crate::stream::{Input, process};
use crate::{EndReason, Result, TeacherError, TeacherFormat, hcpe3, kind};

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

/// Returns the statistics of `inputs`, all of the same format.
///
/// # Errors
/// [`TeacherError::File`] when a file cannot be read, [`TeacherError::Invalid`] at the first damage
/// unless it is a record and [`StatsOptions::skip_bad`] is set, [`TeacherError::Option`] for a format
/// that cannot be counted.
pub fn stats(
    inputs: &[Input],
    format: TeacherFormat,
    options: &StatsOptions,
    job: &Job,
) -> Result<Stats> {
    collect::accept(format, *options)?;
    let mut all = Stats::new(format);
    for input in inputs {
        read(input, &mut all, *options, job)?;
    }
    if all.positions.count() + all.games.count() + all.skipped.count == 0 {
        return Err(kind::nothing(inputs, format));
    }
    Ok(all)
}

/// Adds a file.
fn read(input: &Input, all: &mut Stats, options: StatsOptions, job: &Job) -> Result<()> {
    let format = all.format;
    let path = input.path().to_owned();
    let results = process(input, format, job, move |batch| {
        collect::batch(batch, format, options, &path)
    })?;
    let mut file = FileStats {
        path: input.path().to_owned(),
        bytes: 0,
        games: 0,
        positions: 0,
    };
    for done in results {
        let done = done?;
        if let Some(invalid) = done.invalid {
            return Err(TeacherError::invalid(input.path(), invalid));
        }
        file.bytes += done.len;
        file.games += done.value.games.count();
        file.positions += done.value.positions.count();
        all.merge(&done.value);
    }
    all.files.push(file);
    Ok(())
}
