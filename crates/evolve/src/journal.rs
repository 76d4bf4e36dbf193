//! The journal of a run: a line of JSON for each finished stage, and for the settings of each generation that was begun.
//!
//! Lines are only appended, each with its checksum. A last line that is cut off was being written when the run was interrupted: it is
//! dropped, and its stage is done again.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tournament::{LineSeal, check_line, seal_line};
use yane_io::{Error, ReadLimit, RunIdentity};

use crate::error::{EvolveError, Result};
use crate::history::{EvolveHistory, JOURNAL_FILE, StageRecord};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalLine {
    /// The settings of a generation, with its first stage; those of generation 0 belong to the whole run.
    Settings(GenerationSettings),
    /// A finished stage.
    Stage(Box<StageRecord>),
}

/// What decides the results of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct GenerationSettings {
    generation: u32,
    identity: String,
}

/// The journal of a run, to which lines are appended.
#[derive(Debug)]
pub struct EvolveJournal {
    path: PathBuf,
    file: File,
    settings: Vec<GenerationSettings>,
}

/// What is read of a journal.
#[derive(Debug, Default)]
struct ReadJournal {
    settings: Vec<GenerationSettings>,
    records: Vec<StageRecord>,
    /// Bytes of whole lines.
    whole: usize,
    /// Bytes behind them.
    torn: usize,
}

impl EvolveJournal {
    /// Opens the journal in the folder of a run, or begins one. `note` gets a sentence when a line was cut off.
    ///
    /// # Errors
    /// When a line is damaged or none of a journal, or the file cannot be read or written.
    pub fn open(folder: &Path, note: &mut dyn FnMut(&str)) -> Result<(Self, EvolveHistory)> {
        let path = folder.join(JOURNAL_FILE);
        let read = read(&path)?;
        if read.torn > 0 {
            note(&format!(
                "{}: cut {} bytes at the end: a line that was being written when the last run was interrupted",
                path.display(),
                read.torn
            ));
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        let file = file.map_err(Error::write(&path, 0))?;
        file.set_len(read.whole as u64)
            .map_err(Error::write(&path, 0))?;
        let journal = Self {
            path,
            file,
            settings: read.settings,
        };
        Ok((journal, EvolveHistory::new(read.records)))
    }

    /// The finished stages of the run in a folder, which may be in progress.
    ///
    /// # Errors
    /// As those of [`Self::open`]; when there is no journal.
    pub fn history(folder: &Path) -> Result<EvolveHistory> {
        let path = folder.join(JOURNAL_FILE);
        if !path.is_file() {
            let folder = folder.to_owned();
            return Err(EvolveError::NoRun { folder });
        }
        Ok(EvolveHistory::new(read(&path)?.records))
    }

    /// Checks that a generation has these settings, or notes them when it begins.
    ///
    /// # Errors
    /// [`EvolveError::OtherRun`] when it began with others; when the journal cannot be written.
    pub fn begin(&mut self, generation: u32, identity: &RunIdentity) -> Result<()> {
        let mut known = self.settings.iter();
        if let Some(begun) = known.find(|begun| begun.generation == generation) {
            let begun = RunIdentity::parse(&begun.identity);
            return match identity.difference(&begun) {
                None => Ok(()),
                Some(difference) => Err(EvolveError::OtherRun {
                    path: self.path.clone(),
                    difference: difference.to_string(),
                }),
            };
        }
        let settings = GenerationSettings {
            generation,
            identity: identity.to_string(),
        };
        self.append(&JournalLine::Settings(settings.clone()))?;
        self.settings.push(settings);
        Ok(())
    }

    /// Notes a finished stage. It is safe on the disk afterwards.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn finish(&mut self, record: &StageRecord) -> Result<()> {
        self.append(&JournalLine::Stage(Box::new(record.clone())))
    }

    fn append(&mut self, line: &JournalLine) -> Result<()> {
        let mut bytes =
            serde_json::to_vec(line).map_err(|error| Error::file(&self.path, error.to_string()))?;
        seal_line(&mut bytes);
        bytes.push(b'\n');
        let written = self.file.write_all(&bytes);
        let written = written.and_then(|()| self.file.sync_data());
        Ok(written.map_err(Error::write(&self.path, 0))?)
    }
}

fn read(path: &Path) -> Result<ReadJournal> {
    let bytes = ReadLimit::Records.read_if_there(path)?.unwrap_or_default();
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = end.map_or(0, |end| end + 1);
    let mut read = ReadJournal {
        whole,
        torn: bytes.len() - whole,
        ..ReadJournal::default()
    };
    let lines = bytes[..whole].split(|&byte| byte == b'\n');
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let wrong = |reason: &str| EvolveError::Journal {
            path: path.to_owned(),
            line: index + 1,
            reason: reason.to_owned(),
        };
        match check_line(line) {
            LineSeal::Whole => {}
            LineSeal::Broken => return Err(wrong("the line is damaged: it has another checksum")),
            LineSeal::Absent => return Err(wrong("expected a line of the journal of a run")),
        }
        match serde_json::from_slice(line) {
            Ok(JournalLine::Settings(settings)) => read.settings.push(settings),
            Ok(JournalLine::Stage(record)) => read.records.push(*record),
            Err(error) => return Err(wrong(&error.to_string())),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;
    use crate::history::StageFigures;
    use crate::stage::EvolveStage;

    fn record(generation: u32, games: u64) -> StageRecord {
        StageRecord {
            generation,
            stage: EvolveStage::Selfplay,
            command: "gensfen --run".to_owned(),
            started: "2026-01-01T00:00:00Z".to_owned(),
            ended: "2026-01-01T01:00:00Z".to_owned(),
            output: None,
            figures: StageFigures {
                games: Some(games),
                ..StageFigures::default()
            },
        }
    }

    fn open(folder: &TestFolder) -> (EvolveJournal, EvolveHistory, Vec<String>) {
        let mut notes = Vec::new();
        let opened = EvolveJournal::open(&folder.path(""), &mut |note| notes.push(note.to_owned()));
        let (journal, history) = opened.unwrap();
        (journal, history, notes)
    }

    #[test]
    fn a_line_that_is_cut_off_is_dropped_at_every_byte() {
        let folder = TestFolder::new();
        let (mut journal, history, notes) = open(&folder);
        assert!(history.records().is_empty() && notes.is_empty());
        journal
            .begin(1, &RunIdentity::new("x").with("a", 1))
            .unwrap();
        journal.finish(&record(1, 5)).unwrap();
        let before = folder.read(JOURNAL_FILE);
        journal.finish(&record(2, 6)).unwrap();
        drop(journal);
        let all = folder.read(JOURNAL_FILE);
        for len in before.len()..all.len() {
            folder.write(JOURNAL_FILE, &all[..len]);
            let (mut journal, history, notes) = open(&folder);
            assert_eq!(history.records(), [record(1, 5)]);
            assert_eq!(notes.len(), usize::from(len > before.len()));
            journal.finish(&record(2, 6)).unwrap();
            assert!(folder.read(JOURNAL_FILE) == all, "{len}");
        }
        let history = EvolveJournal::history(&folder.path("")).unwrap();
        assert_eq!(history.records(), [record(1, 5), record(2, 6)]);
    }

    #[test]
    fn damage_and_other_files_are_errors_with_their_line() {
        let folder = TestFolder::new();
        let error = EvolveJournal::history(&folder.path("")).unwrap_err();
        assert!(error.to_string().contains("there is no run"), "{error}");
        let (mut journal, ..) = open(&folder);
        journal.finish(&record(1, 5)).unwrap();
        journal.finish(&record(2, 6)).unwrap();
        let mut bytes = folder.read(JOURNAL_FILE);
        let middle = bytes.len() / 2 + 40;
        bytes[middle] ^= 1;
        folder.write(JOURNAL_FILE, &bytes);
        let error = EvolveJournal::history(&folder.path("")).unwrap_err();
        assert!(
            error.to_string().contains("line 2: the line is damaged"),
            "{error}"
        );
        folder.write(JOURNAL_FILE, "{\"game\": 1}\n");
        let error = EvolveJournal::history(&folder.path("")).unwrap_err();
        assert!(error.to_string().contains("line 1: expected"), "{error}");
    }

    #[test]
    fn settings_that_changed_are_named() {
        let folder = TestFolder::new();
        let identity = |nodes: u32| RunIdentity::new("evolve 1").with("selfplay.nodes", nodes);
        let (mut journal, ..) = open(&folder);
        journal.begin(1, &identity(50)).unwrap();
        let (mut journal, ..) = open(&folder);
        journal.begin(1, &identity(50)).unwrap();
        let error = journal.begin(1, &identity(60)).unwrap_err().to_string();
        assert!(error.contains("selfplay.nodes"), "{error}");
        assert!(error.contains("expected 60, found 50"), "{error}");
        // A generation that has not begun has any.
        journal.begin(2, &identity(60)).unwrap();
    }
}
