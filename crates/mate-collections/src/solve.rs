//! Solving the problems of a collection: the result of one as a line of JSON, and the journal of a run, with which an
//! interrupted one can be resumed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use farm::{FarmError, RunControl};
use serde::{Deserialize, Serialize};
use shogi_core::Move;
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::{Answer, Solution};
use thiserror::Error;
use yane_io::{Flush, Journal, RunIdentity};

use crate::run::{CollectionEvent, ordered_map};
use crate::{AnySolver, CollectionEntry, CollectionOptions};

/// The result for a problem in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProblemResult {
    /// Mate.
    Mate,
    /// There is no mate (proven).
    NoMate,
    /// The search did not decide.
    Unknown,
    /// The line is no problem.
    Error,
}

impl ProblemResult {
    /// The name in tables and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::NoMate => "nomate",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}

/// The result of a line of a collection, as it is written as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolvedProblem {
    /// Number of the line in the collection, from 1.
    pub line: usize,
    /// The position that was solved; empty when the line is no problem.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub sfen: String,
    /// The result.
    pub result: ProblemResult,
    /// Plies of the mate: the shortest if [`Self::exact`], else at most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<u32>,
    /// True if the length is proven shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Plies without futile interpositions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composer_len: Option<u32>,
    /// Number of plies that the composer's length exceeds, if that length was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composer_more_than: Option<u32>,
    /// The moves of the mate.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub pv: String,
    /// The moves without futile interpositions.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub composer_pv: String,
    /// Other first moves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub others: Vec<SolvedFirstMove>,
    /// The reason why it was not decided, or the error in the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Moves made in the search.
    pub nodes: u64,
    /// Time it took, in milliseconds.
    pub ms: f64,
}

/// The result of another first move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolvedFirstMove {
    /// The first move.
    pub first: String,
    /// The result when it is played.
    pub result: ProblemResult,
    /// Plies of the mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<u32>,
    /// True if the length is proven shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// The moves of the mate.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub pv: String,
}

/// Solves the problems of a collection; the results of `known` lines are taken over when the position is the same.
///
/// Ends early when `control` or an error of `on_event` ends it; returns whether all problems were tried.
///
/// # Errors
/// Those of `on_event`; a problem at which the solver panics again and again.
pub fn solve_collection<E: From<FarmError>>(
    entries: &[CollectionEntry],
    options: &CollectionOptions,
    known: &BTreeMap<usize, SolvedProblem>,
    control: &RunControl,
    on_event: impl FnMut(CollectionEvent<'_, SolvedProblem>) -> Result<(), E>,
) -> Result<bool, E> {
    ordered_map(
        entries,
        options.jobs,
        control,
        || AnySolver::new(options),
        |solver, entry, stop| solve(entry, options, solver, known, stop),
        on_event,
    )
}

fn solve(
    entry: &CollectionEntry,
    options: &CollectionOptions,
    solver: &mut AnySolver,
    known: &BTreeMap<usize, SolvedProblem>,
    stop: &AtomicBool,
) -> SolvedProblem {
    let line = entry.line;
    let start = match &entry.problem {
        Ok(problem) => match problem.to_solve() {
            Ok(start) => start,
            Err(error) => return SolvedProblem::error(line, error.to_string()),
        },
        Err(error) => return SolvedProblem::error(line, error.to_string()),
    };
    let sfen = start.pieces().to_sfen();
    if let Some(record) = known.get(&line).filter(|record| record.sfen == sfen) {
        return record.clone();
    }
    let solution = solver.solve(&start, &options.limits, stop);
    let mut record = SolvedProblem::new(line, sfen, &solution);
    if let (true, Answer::Mate(mate)) = (options.composer, &solution.answer) {
        let limits = options.composer_limits();
        let bound = mate.length.plies();
        record.add_composer(&composer_length(
            &start,
            solution.role,
            bound,
            &limits,
            stop,
        ));
    }
    record
}

fn line_text(moves: &[Move]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

/// The fields `result`, `len`, `exact` and `pv` of an answer.
fn answer_fields(answer: &Answer) -> (ProblemResult, Option<u32>, Option<bool>, String) {
    match answer {
        Answer::Mate(mate) => (
            ProblemResult::Mate,
            Some(mate.length.plies()),
            Some(mate.length.is_exact()),
            line_text(&mate.moves),
        ),
        Answer::NoMate => (ProblemResult::NoMate, None, None, String::new()),
        Answer::Unknown(_) => (ProblemResult::Unknown, None, None, String::new()),
    }
}

impl SolvedProblem {
    fn new(line: usize, sfen: String, solution: &Solution) -> Self {
        let (result, len, exact, pv) = answer_fields(&solution.answer);
        let others = solution.others.iter().map(|other| {
            let (result, len, exact, pv) = answer_fields(&other.answer);
            SolvedFirstMove {
                first: other.first.to_string(),
                result,
                len,
                exact,
                pv,
            }
        });
        Self {
            sfen,
            result,
            len,
            exact,
            pv,
            others: others.collect(),
            reason: match solution.answer {
                Answer::Unknown(reason) => Some(reason.name().to_owned()),
                _ => None,
            },
            nodes: solution.nodes,
            ms: (solution.elapsed.as_secs_f64() * 1e6).round() / 1e3,
            ..Self::error(line, String::new())
        }
    }

    /// The record of a line that is no problem.
    pub(super) const fn error(line: usize, reason: String) -> Self {
        Self {
            line,
            sfen: String::new(),
            result: ProblemResult::Error,
            len: None,
            exact: None,
            composer_len: None,
            composer_more_than: None,
            pv: String::new(),
            composer_pv: String::new(),
            others: Vec::new(),
            reason: Some(reason),
            nodes: 0,
            ms: 0.0,
        }
    }

    /// Adds the length without futile interpositions.
    fn add_composer(&mut self, found: &ComposerLength) {
        match found {
            ComposerLength::Known(mate) => {
                self.composer_len = Some(mate.length.plies());
                self.composer_pv = line_text(&mate.moves);
            }
            ComposerLength::Unknown { more_than, .. } => {
                self.composer_more_than = Some(*more_than);
            }
        }
    }
}

// The journal of a run: results that are on the disk before the output is, so that an interrupted run can be resumed.

/// Interval of flushing the journal to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(2));

/// An open journal: a unit is a line of the collection, its bytes are the result as JSON.
///
/// It lies beside the output and has the result of each line as it is found. When all problems are solved the output
/// appears whole and the journal is removed.
#[derive(Debug)]
pub struct SolveJournal {
    path: PathBuf,
    units: Journal,
}

/// The treatment of a journal that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalMode {
    /// It is an error.
    New,
    /// Resume the run; without a journal, begin one.
    Resume,
    /// Replace it.
    Replace,
}

/// An error of opening a journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveJournalError {
    /// There is a journal of an interrupted run, and [`JournalMode::New`] was asked for.
    #[error("{}: is the journal of an interrupted run", .0.display())]
    Exists(PathBuf),
    /// The file is not a journal, or that of another run.
    #[error("{0}")]
    Foreign(#[source] yane_io::Error),
    /// A result in the journal cannot be read.
    #[error("{}: line {line}: {reason}", path.display())]
    Record {
        /// The journal.
        path: PathBuf,
        /// The line of the collection.
        line: u64,
        /// The error.
        reason: serde_json::Error,
    },
    /// The system refuses a file.
    #[error("{0}")]
    File(#[from] yane_io::Error),
}

impl SolveJournal {
    /// The path of the journal of an output.
    pub fn path_of(output: &Path) -> PathBuf {
        Journal::path_of(output)
    }

    /// Opens the journal of `output` for the run `identity`; returns it with the results that it holds. `note` gets a
    /// sentence for people about each result that was lost.
    ///
    /// # Errors
    /// See [`SolveJournalError`].
    pub fn open(
        output: &Path,
        identity: &RunIdentity,
        mode: JournalMode,
        note: impl FnMut(&str),
    ) -> Result<(Self, Vec<SolvedProblem>), SolveJournalError> {
        let path = Self::path_of(output);
        if path.exists() && mode == JournalMode::New {
            return Err(SolveJournalError::Exists(path));
        }
        let units = if mode == JournalMode::Replace {
            Journal::begin(&path, identity, FLUSH)
        } else {
            Journal::open(&path, identity, FLUSH).map(|opened| opened.tell(note))
        };
        let units = units.map_err(|error| match error {
            yane_io::Error::InUse { .. } => SolveJournalError::File(error),
            _ => SolveJournalError::Foreign(error),
        })?;
        let mut journal = Self { path, units };
        let records = journal.records()?;
        Ok((journal, records))
    }

    fn records(&mut self) -> Result<Vec<SolvedProblem>, SolveJournalError> {
        let lines: Vec<u64> = self.units.numbers().collect();
        let mut records = Vec::with_capacity(lines.len());
        for line in lines {
            let bytes = self.units.get(line)?.unwrap_or_default();
            let record = serde_json::from_slice(&bytes);
            records.push(record.map_err(|reason| SolveJournalError::Record {
                path: self.path.clone(),
                line,
                reason,
            })?);
        }
        Ok(records)
    }

    /// Adds a result, unless the one of that line is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, record: &SolvedProblem) -> yane_io::Result<()> {
        let line = record.line as u64;
        if self.units.contains(line) {
            return Ok(());
        }
        let json = serde_json::to_vec(record);
        let json = json.map_err(|error| yane_io::Error::file(&self.path, error.to_string()))?;
        self.units.put(line, &json)
    }

    /// Removes the journal: the output is there.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn remove(self) -> yane_io::Result<()> {
        self.units.remove()
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn records_come_back_from_json() {
        let mut record = SolvedProblem::error(7, "bad".to_owned());
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"line":7,"result":"error","reason":"bad","nodes":0,"ms":0.0}"#
        );
        record.others.push(SolvedFirstMove {
            first: "G*5b".to_owned(),
            result: ProblemResult::Mate,
            len: Some(1),
            exact: Some(true),
            pv: "G*5b".to_owned(),
        });
        record.composer_len = Some(3);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(
            serde_json::from_str::<SolvedProblem>(&text).unwrap(),
            record
        );
    }

    fn record(line: usize) -> SolvedProblem {
        SolvedProblem {
            result: ProblemResult::NoMate,
            ..SolvedProblem::error(line, String::new())
        }
    }

    #[test]
    fn records_come_back_and_a_torn_one_is_left_out() {
        let folder = TestFolder::new();
        let output = folder.path("out.jsonl");
        let identity = RunIdentity::new("exact");
        let open = |mode| SolveJournal::open(&output, &identity, mode, |_| ()).unwrap();
        let (mut journal, records) = open(JournalMode::New);
        assert!(records.is_empty());
        journal.add(&record(1)).unwrap();
        journal.add(&record(2)).unwrap();
        drop(journal);
        let path = SolveJournal::path_of(&output);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, records) = open(JournalMode::Resume);
            let all = [record(1), record(2)];
            assert_eq!(records, all[..records.len()], "{cut}");
            assert_eq!(records.len() == 2, cut == whole.len(), "{cut}");
            journal.add(&record(9)).unwrap();
            journal.add(&record(9)).unwrap();
            drop(journal);
            let (_, again) = open(JournalMode::Resume);
            assert_eq!(again.last(), Some(&record(9)), "{cut}");
            assert_eq!(again.len(), records.len() + 1, "{cut}");
        }
    }

    #[test]
    fn another_run_is_not_resumed() {
        let folder = TestFolder::new();
        let output = folder.path("out");
        let open = |mode, settings: &str| {
            SolveJournal::open(&output, &RunIdentity::new(settings), mode, |_| ())
        };
        drop(open(JournalMode::New, "exact").unwrap());
        let exists = open(JournalMode::New, "exact");
        assert!(matches!(exists, Err(SolveJournalError::Exists(_))));
        let other = open(JournalMode::Resume, "off").unwrap_err().to_string();
        assert!(other.contains("another run"), "{other}");
        let living = open(JournalMode::Resume, "exact").unwrap();
        // Not even by force.
        for mode in [JournalMode::Resume, JournalMode::Replace] {
            let in_use = open(mode, "exact").unwrap_err().to_string();
            assert!(in_use.contains("is in use by another process"), "{in_use}");
        }
        drop(living);
        drop(open(JournalMode::Replace, "off").unwrap());
        folder.write("out.journal", "what may this be?\n");
        let foreign = open(JournalMode::Resume, "off").unwrap_err().to_string();
        assert!(foreign.contains("expected a journal"), "{foreign}");
    }
}
