//! The journal of a run: results that are on the disk before the output is, so that an interrupted run can be resumed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use yane_io::{Flush, Journal};

use super::solve::SolvedProblem;

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
    #[error(transparent)]
    Foreign(yane_io::Error),
    /// A result in the journal cannot be read.
    #[error("{}: line {line}: {source}", path.display())]
    Record {
        /// The journal.
        path: PathBuf,
        /// The line of the collection.
        line: u64,
        /// The error.
        source: serde_json::Error,
    },
    /// The system refuses a file.
    #[error(transparent)]
    File(#[from] yane_io::Error),
}

impl SolveJournal {
    /// The path of the journal of an output.
    pub fn path_of(output: &Path) -> PathBuf {
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(".journal");
        output.with_file_name(name)
    }

    /// Opens the journal of `output` for a run with these settings; returns it with the results that it holds.
    ///
    /// # Errors
    /// See [`SolveJournalError`].
    pub fn open(
        output: &Path,
        settings: &str,
        mode: JournalMode,
    ) -> Result<(Self, Vec<SolvedProblem>), SolveJournalError> {
        let path = Self::path_of(output);
        if path.exists() && mode == JournalMode::New {
            return Err(SolveJournalError::Exists(path));
        }
        if path.exists() && mode == JournalMode::Replace {
            std::fs::remove_file(&path).map_err(yane_io::Error::io(&path))?;
        }
        let units = Journal::open(&path, settings, FLUSH).map_err(SolveJournalError::Foreign)?;
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
            records.push(record.map_err(|source| SolveJournalError::Record {
                path: self.path.clone(),
                line,
                source,
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
        drop(self.units);
        std::fs::remove_file(&self.path).map_err(yane_io::Error::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::solve::ProblemResult;
    use super::*;
    use test_support::TestFolder;

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
        let open = |mode| SolveJournal::open(&output, "exact", mode).unwrap();
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
        let open = |mode, settings: &str| SolveJournal::open(&output, settings, mode).map(drop);
        open(JournalMode::New, "exact").unwrap();
        let exists = open(JournalMode::New, "exact");
        assert!(matches!(exists, Err(SolveJournalError::Exists(_))));
        let other = open(JournalMode::Resume, "off").unwrap_err().to_string();
        assert!(other.contains("another job"), "{other}");
        open(JournalMode::Resume, "exact").unwrap();
        open(JournalMode::Replace, "off").unwrap();
        folder.write("out.journal", "what may this be?\n");
        let foreign = open(JournalMode::Resume, "off").unwrap_err().to_string();
        assert!(foreign.contains("expected a journal"), "{foreign}");
    }
}
