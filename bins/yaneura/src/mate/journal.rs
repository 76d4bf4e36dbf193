//! Results that are on the disk before the output is: an interrupted run goes on with them.
//!
//! The journal lies beside the output: a line about the run, then a line for each problem as it is solved. A
//! line that was cut off by the end of the machine is left out. When all problems are solved the output
//! appears whole and the journal goes.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use yane_cli::UsageError;
use yane_io::Error as FileError;

use super::record::{Record, Verdict};

/// How often the journal is flushed to the disk.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);

/// The first line of a journal.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// What was asked for, as far as it changes results.
    pub(super) settings: String,
}

/// An open journal.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    flushed: Instant,
}

/// What to do with a journal that is there.
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
    /// Where the journal of an output lies.
    pub(super) fn path_of(output: &Path) -> PathBuf {
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(".journal");
        output.with_file_name(name)
    }

    /// Opens the journal of `output`; gives what it knows.
    pub(super) fn open(
        output: &Path,
        head: &Head,
        mode: Mode,
    ) -> anyhow::Result<(Self, Vec<Record>)> {
        let path = Self::path_of(output);
        let failed = |error| FileError::io(&path)(error);
        if path.exists() && mode == Mode::Fresh {
            let text =
                "is what an interrupted run left: --resume goes on with it, --force begins anew";
            return Err(UsageError(format!("{}: {text}", path.display())).into());
        }
        let mut records = Vec::new();
        let mut kept = 0;
        if path.exists() && mode == Mode::Resume {
            let text = std::fs::read(&path).map_err(failed)?;
            (records, kept) = read(&text, head).map_err(|reason| {
                UsageError(format!(
                    "{}: {reason} (--force begins anew)",
                    path.display()
                ))
            })?;
        }
        let options = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let mut file = options.map_err(failed)?;
        // What follows the last whole line was being written when the run ended.
        file.set_len(kept as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut journal = Self {
            path: path.clone(),
            file,
            flushed: Instant::now(),
        };
        if kept == 0 {
            journal.line(&serde_json::to_string(head)?)?;
        }
        Ok((journal, records))
    }

    /// Adds a result.
    pub(super) fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        self.line(&serde_json::to_string(record)?)?;
        if self.flushed.elapsed() >= FLUSH_INTERVAL {
            self.file.sync_data().map_err(FileError::io(&self.path))?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<(), FileError> {
        let line = format!("{text}\n");
        self.file
            .write_all(line.as_bytes())
            .map_err(FileError::io(&self.path))
    }

    /// Removes the journal: the output is there.
    pub(super) fn remove(self) -> Result<(), FileError> {
        drop(self.file);
        std::fs::remove_file(&self.path).map_err(FileError::io(&self.path))
    }
}

/// The results in a journal and the length of its whole lines; or why it is of no use.
fn read(text: &[u8], head: &Head) -> Result<(Vec<Record>, usize), String> {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n');
    let whole = |line: &&[u8]| line.ends_with(b"\n");
    let Some(first) = lines.next().filter(whole) else {
        return Ok((Vec::new(), 0));
    };
    let there: Head = serde_json::from_slice(first)
        .map_err(|error| format!("no journal of this program: {error}"))?;
    if there != *head {
        return Err(format!(
            "belongs to a run with other settings ({})",
            there.settings
        ));
    }
    let mut kept = first.len();
    let mut records = Vec::new();
    for line in lines.take_while(whole) {
        let record: Record = serde_json::from_slice(line)
            .map_err(|error| format!("line {}: {error}", records.len() + 2))?;
        kept += line.len();
        records.push(record);
    }
    // What was not decided for want of time gets another chance only with other settings.
    records.retain(|record| record.result != Verdict::Error);
    Ok((records, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            settings: "exact".to_owned(),
        }
    }

    fn record(line: usize) -> Record {
        Record {
            result: Verdict::NoMate,
            ..Record::error(line, String::new())
        }
    }

    #[test]
    fn a_torn_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.jsonl");
        let (mut journal, records) = Journal::open(&output, &head(), Mode::Fresh).unwrap();
        assert!(records.is_empty());
        journal.add(&record(1)).unwrap();
        journal.add(&record(2)).unwrap();
        drop(journal);
        let path = Journal::path_of(&output);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, records) = Journal::open(&output, &head(), Mode::Resume).unwrap();
            let lines = whole[..cut].split(|&byte| byte == b'\n').count() - 1;
            assert_eq!(records.len(), lines.saturating_sub(1), "{cut}");
            journal.add(&record(9)).unwrap();
            drop(journal);
            let (_, again) = Journal::open(&output, &head(), Mode::Resume).unwrap();
            assert_eq!(again.last(), Some(&record(9)), "{cut}");
            assert_eq!(again.len(), records.len() + 1, "{cut}");
        }
    }

    #[test]
    fn another_run_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        drop(Journal::open(&output, &head(), Mode::Fresh).unwrap());
        let why = |mode, settings: &str| {
            let head = Head {
                settings: settings.to_owned(),
            };
            let opened = Journal::open(&output, &head, mode);
            opened.err().map(|error| error.to_string())
        };
        assert!(why(Mode::Fresh, "exact").unwrap().contains("--resume"));
        assert!(why(Mode::Resume, "off").unwrap().contains("other settings"));
        assert_eq!(why(Mode::Resume, "exact"), None);
        assert_eq!(why(Mode::Force, "off"), None);
        std::fs::write(Journal::path_of(&output), "what is this\n").unwrap();
        assert!(why(Mode::Resume, "off").unwrap().contains("no journal"));
    }
}
