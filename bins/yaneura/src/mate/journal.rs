//! Results that are on the disk before the output is: an interrupted run goes on with them.
//!
//! The journal lies beside the output, with the result of each line as it is found. When all problems are solved
//! the output appears whole and the journal goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yane_io::{Error as FileError, Flush};

use super::record::Record;

/// Interval of flushing the journal to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(2));

/// An open journal: a unit is a line of the collection, its bytes are the record as JSON.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    units: yane_io::Journal,
}

/// The treatment of a journal that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is an error.
    Fresh,
    /// Go on with it; without one begin.
    Resume,
    /// Begin anew.
    Force,
}

impl Journal {
    /// The path of the journal of an output.
    pub(super) fn path_of(output: &Path) -> PathBuf {
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(".journal");
        output.with_file_name(name)
    }

    /// Opens the journal of `output` for a run with these settings; gives what it knows.
    pub(super) fn open(
        output: &Path,
        settings: &str,
        mode: Mode,
    ) -> anyhow::Result<(Self, Vec<Record>)> {
        let path = Self::path_of(output);
        if path.exists() && mode == Mode::Fresh {
            let text =
                "is what an interrupted run left: --resume goes on with it, --force begins anew";
            return Err(FileError::file(&path, text).into());
        }
        if path.exists() && mode == Mode::Force {
            std::fs::remove_file(&path).map_err(FileError::io(&path))?;
        }
        let units = yane_io::Journal::open(&path, settings, FLUSH)
            .map_err(|error| anyhow::anyhow!("{error} (--force begins anew)"))?;
        let mut journal = Self { path, units };
        let records = journal.records()?;
        Ok((journal, records))
    }

    fn records(&mut self) -> anyhow::Result<Vec<Record>> {
        let numbers: Vec<u64> = self.units.numbers().collect();
        let mut records = Vec::with_capacity(numbers.len());
        for number in numbers {
            let bytes = self.units.get(number)?.unwrap_or_default();
            let record = serde_json::from_slice(&bytes);
            records.push(record.map_err(|error| {
                let text = format!("line {number}: {error} (--force begins anew)");
                FileError::file(&self.path, text)
            })?);
        }
        Ok(records)
    }

    /// Adds a result, unless the one of that line is there.
    pub(super) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        let number = record.line as u64;
        if !self.units.contains(number) {
            self.units.put(number, &serde_json::to_vec(record)?)?;
        }
        Ok(())
    }

    /// Removes the journal: the output is there.
    pub(super) fn remove(self) -> Result<(), FileError> {
        drop(self.units);
        std::fs::remove_file(&self.path).map_err(FileError::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Verdict;
    use super::*;

    fn record(line: usize) -> Record {
        Record {
            result: Verdict::NoMate,
            ..Record::error(line, String::new())
        }
    }

    #[test]
    fn records_come_back_and_a_torn_one_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.jsonl");
        let (mut journal, records) = Journal::open(&output, "exact", Mode::Fresh).unwrap();
        assert!(records.is_empty());
        journal.add(&record(1)).unwrap();
        journal.add(&record(2)).unwrap();
        drop(journal);
        let path = Journal::path_of(&output);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, records) = Journal::open(&output, "exact", Mode::Resume).unwrap();
            let all = [record(1), record(2)];
            assert_eq!(records, all[..records.len()], "{cut}");
            assert_eq!(records.len() == 2, cut == whole.len(), "{cut}");
            journal.add(&record(9)).unwrap();
            journal.add(&record(9)).unwrap();
            drop(journal);
            let (_, again) = Journal::open(&output, "exact", Mode::Resume).unwrap();
            assert_eq!(again.last(), Some(&record(9)), "{cut}");
            assert_eq!(again.len(), records.len() + 1, "{cut}");
        }
    }

    #[test]
    fn another_run_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        drop(Journal::open(&output, "exact", Mode::Fresh).unwrap());
        let why = |mode, settings: &str| {
            let opened = Journal::open(&output, settings, mode);
            opened.err().map(|error| error.to_string())
        };
        assert!(why(Mode::Fresh, "exact").unwrap().contains("--resume"));
        let other = why(Mode::Resume, "off").unwrap();
        assert!(
            other.contains("another job") && other.contains("--force"),
            "{other}"
        );
        assert_eq!(why(Mode::Resume, "exact"), None);
        assert_eq!(why(Mode::Force, "off"), None);
        std::fs::write(Journal::path_of(&output), "what may this be?\n").unwrap();
        assert!(
            why(Mode::Resume, "off")
                .unwrap()
                .contains("expected a journal")
        );
    }
}
