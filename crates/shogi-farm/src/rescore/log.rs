//! The journal of scores: those of the first positions, without a gap.
//!
//! A unit of the journal has the number of its first position. Its bytes are the [`Totals`] up to its end, and the
//! [`NewScore`]s of its positions.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pack_format::rescore::NewScore;
use tempfile::TempDir;
use yane_io::{Error, Flush, Job, Journal, RunIdentity};

use super::RescoreError;

/// The interval at which scores are appended: as much is lost when the process is killed.
const APPEND: Duration = Duration::from_secs(1);
/// Bytes that are not kept back longer.
const MANY: usize = 1 << 20;
/// The interval at which the journal is flushed to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(10));

/// Counts of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Positions with a new score.
    pub(super) positions: u64,
    /// Positions whose score is another one.
    pub(super) changed: u64,
    /// Sum of the sizes of the changes.
    pub(super) change: u64,
    /// Records whose move is another one.
    pub(super) moves_changed: u64,
}

impl Totals {
    const LEN: usize = 32;

    fn to_bytes(self) -> Vec<u8> {
        let words = [
            self.positions,
            self.changed,
            self.change,
            self.moves_changed,
        ];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let words = bytes.get(..Self::LEN)?.as_chunks::<8>().0;
        let [positions, changed, change, moves_changed] = words else {
            return None;
        };
        Some(Self {
            positions: u64::from_le_bytes(*positions),
            changed: u64::from_le_bytes(*changed),
            change: u64::from_le_bytes(*change),
            moves_changed: u64::from_le_bytes(*moves_changed),
        })
    }

    pub(super) const fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.changed += other.changed;
        self.change += other.change;
        self.moves_changed += other.moves_changed;
    }
}

/// The scores that are there.
pub(super) struct ScoreLog {
    journal: Journal,
    path: PathBuf,
    totals: Totals,
    /// Scores that are not in the journal yet.
    pending: Vec<u8>,
    appended: Instant,
    /// The folder of a journal that nobody resumes.
    folder: Option<TempDir>,
}

impl ScoreLog {
    /// Opens the journal beside `output`, new or of an interrupted run with the same `identity`. An `output` that is no
    /// file has one that goes with the process.
    pub(super) fn open(
        output: &Path,
        identity: &RunIdentity,
        job: &Job,
    ) -> Result<Self, RescoreError> {
        let is_file = output.as_os_str() != "-"
            && std::fs::metadata(output).map_or(true, |data| data.is_file());
        let (path, folder) = if is_file {
            (Journal::path_of(output), None)
        } else {
            let parent = job.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
            let folder = tempfile::tempdir_in(&parent).map_err(Error::write(&parent, 0))?;
            (folder.path().join("scores.journal"), Some(folder))
        };
        let journal = Journal::open(&path, identity, FLUSH)?.tell(|note| job.progress.note(note));
        let (journal, totals) = without_gap(journal, &path, job)?;
        Ok(Self {
            totals,
            journal,
            path,
            pending: Vec::new(),
            appended: Instant::now(),
            folder,
        })
    }

    /// The counts.
    pub(super) const fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds the scores of the next positions, with their counts.
    pub(super) fn put(&mut self, scores: &[u8], counts: Totals) -> Result<(), RescoreError> {
        self.pending.extend_from_slice(scores);
        self.totals.add(counts);
        if self.pending.len() >= MANY || self.appended.elapsed() >= APPEND {
            self.append()?;
        }
        Ok(())
    }

    /// Appends what is pending.
    pub(super) fn append(&mut self) -> Result<(), RescoreError> {
        self.appended = Instant::now();
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut unit = self.totals.to_bytes();
        let first = self.totals.positions - (self.pending.len() / NewScore::LEN) as u64;
        unit.append(&mut self.pending);
        Ok(self.journal.put(first, &unit)?)
    }

    /// Gives the scores one by one, from the first on.
    pub(super) fn reader(&mut self) -> ScoreReader<'_> {
        let mut units: Vec<u64> = self.journal.numbers().collect();
        units.reverse();
        ScoreReader {
            journal: &mut self.journal,
            path: &self.path,
            units,
            scores: Vec::new().into_iter(),
        }
    }

    /// Removes the journal: the output is written.
    pub(super) fn remove(self) -> Result<(), RescoreError> {
        self.journal.remove()?;
        drop(self.folder);
        Ok(())
    }
}

/// Reads scores.
pub(super) struct ScoreReader<'a> {
    journal: &'a mut Journal,
    path: &'a Path,
    /// The numbers of the units that are left, the next one last.
    units: Vec<u64>,
    scores: std::vec::IntoIter<NewScore>,
}

impl ScoreReader<'_> {
    /// The score of the next position.
    pub(super) fn next(&mut self) -> pack_format::Result<NewScore> {
        loop {
            if let Some(score) = self.scores.next() {
                return Ok(score);
            }
            let too_few = || Error::file(self.path, "expected a score for every position");
            let number = self.units.pop().ok_or_else(too_few)?;
            let unit = self.journal.get(number)?.unwrap_or_default();
            let scores = unit.get(Totals::LEN..).unwrap_or_default();
            let scores = scores.as_chunks().0.iter();
            let scores: Vec<NewScore> = scores.map(|bytes| NewScore::from_bytes(*bytes)).collect();
            self.scores = scores.into_iter();
        }
    }
}

/// The journal up to the first scores that are missing, and its counts: scores are found one after the other.
fn without_gap(
    mut journal: Journal,
    path: &Path,
    job: &Job,
) -> Result<(Journal, Totals), RescoreError> {
    let mut totals = Totals::default();
    let numbers: Vec<u64> = journal.numbers().collect();
    for &first in &numbers {
        if first != totals.positions {
            let later = numbers.iter().filter(|&&number| number >= first).count();
            job.progress.note(&format!(
                "{}: scores from position {} on are missing; {later} units behind them are dropped and found again",
                path.display(),
                totals.positions
            ));
            return Ok((journal.forget_from(first)?, totals));
        }
        let unit = journal.get(first)?.unwrap_or_default();
        let expected = || Error::file(path, "expected a journal of scores");
        totals = Totals::from_bytes(&unit).ok_or_else(expected)?;
    }
    Ok((journal, totals))
}
