//! Files of games, safe against crashes, and the index beside each.
//!
//! Every game goes to a journal as soon as it is finished, in whatever order that happens. Files have the
//! games in the order of their numbers: a file that is full is written once and for all and its games leave
//! the journal, the last one is written again at every checkpoint. So two runs of the same games give the same
//! files, however many engines played them and whatever happened in between.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use farm::RunCompletion;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;
use yane_io::{
    AtomicFile, Error, Flush, Journal, JournalReport, RunIdentity, Shard, beside, folder_of,
};

use crate::{Result, Rotation, SelfplayError};

/// The journal number of the state: where the last file begins.
const STATE: u64 = u64::MAX;
/// The journal number of the hashes of written games, when duplicates are left out.
const WRITTEN: u64 = u64::MAX - 1;
/// Each of them is there twice, as no file says the same: the second one has a number so much lower.
const COPY: u64 = 2;
/// Units from this number on are no games.
const NO_GAME: u64 = WRITTEN - COPY;
/// The interval at which the journal is flushed to the disk.
const FLUSH: Flush = Flush::Every(Duration::from_secs(10));

/// A run of games, as its files know it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Path of the first file, with its extension.
    pub(crate) path: PathBuf,
    /// All that games depend on: a journal of another run is refused.
    pub(crate) identity: RunIdentity,
    /// The seed, for the index.
    pub(crate) seed: u64,
    /// The part of all games that this run plays.
    pub(crate) shard: Shard,
    /// The number of games of this run, if that is known.
    pub(crate) total: Option<u64>,
    /// Limits at which a new file begins.
    pub(crate) rotation: Rotation,
    /// True if a game that was written before is left out.
    pub(crate) dedup: bool,
}

/// The files of a run.
#[derive(Debug)]
pub(crate) struct GameFiles {
    plan: Plan,
    /// `None` when all games were in files already, and while it is being replaced.
    journal: Option<Journal>,
    /// What was lost of the journal.
    report: Option<JournalReport>,
    /// Number of the file that is being filled, from 1.
    file: u64,
    /// The first game of that file.
    first: u64,
    /// The first game that is missing.
    next: u64,
    /// Bytes and games of the file up to that one.
    bytes: u64,
    games: u64,
    written: HashSet<u64>,
}

impl GameFiles {
    /// Opens the files of a run, new or interrupted. One that was finished has nothing left to do.
    ///
    /// # Errors
    /// When the folder cannot be created, or there are files or a journal of another run.
    pub(crate) fn open(plan: Plan) -> Result<Self> {
        let path = plan.path.clone();
        with_hint(&path, Self::open_files(plan))
    }

    fn open_files(plan: Plan) -> Result<Self> {
        let folder = folder_of(&plan.path);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let path = Journal::path_of(&plan.path);
        if !path.exists() && plan.path.exists() {
            if let Some(file) = last_file(&plan)? {
                return Ok(Self::finished_before(plan, file));
            }
            let reason = "is there already, and no journal says what is missing in it; choose another output";
            return Err(Error::file(&plan.path, reason).into());
        }
        let (mut journal, report) = Journal::open(&path, &plan.identity, FLUSH)?.into_parts();
        if journal.is_empty() && report.lost() == 0 && plan.path.exists() {
            // The run that had the lock before has finished meanwhile.
            journal.remove()?;
            let reason =
                "is there already: another run has just finished it; choose another output";
            return Err(Error::file(&plan.path, reason).into());
        }
        let state = twice(&mut journal, STATE)?;
        let state: Option<[u8; 16]> = state.and_then(|bytes| bytes.try_into().ok());
        let [file, first] = state.map_or([1, 0], |bytes| {
            let (a, b) = bytes.split_at(8);
            [a, b].map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
        });
        let written = twice(&mut journal, WRITTEN)?.unwrap_or_default();
        let written = written
            .as_chunks::<8>()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word));
        let mut output = Self {
            written: written.collect(),
            plan,
            report: Some(report),
            journal: Some(journal),
            file,
            first,
            next: first,
            bytes: 0,
            games: 0,
        };
        output.advance()?;
        Ok(output)
    }

    /// Returns the state of a run all of whose games are in its files, the last of which is `file`.
    fn finished_before(plan: Plan, file: u64) -> Self {
        let end = plan.total.unwrap_or_default();
        Self {
            plan,
            report: None,
            journal: None,
            file,
            first: end,
            next: end,
            bytes: 0,
            games: 0,
            written: HashSet::new(),
        }
    }

    fn journal(&mut self) -> &mut Journal {
        self.journal
            .as_mut()
            .expect("a run with missing games has a journal")
    }

    /// The number of games in all, if that is known.
    pub(crate) const fn total(&self) -> Option<u64> {
        self.plan.total
    }

    /// The number of finished games.
    pub(crate) fn finished(&self) -> u64 {
        self.first + self.numbers().count() as u64
    }

    /// The first game that is in no closed file.
    pub(crate) const fn first(&self) -> u64 {
        self.first
    }

    /// The finished games that are in no closed file, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        let numbers = self.journal.iter().flat_map(Journal::numbers);
        numbers.filter(|number| (self.first..NO_GAME).contains(number))
    }

    /// The bytes of incomplete and damaged games that were left out.
    pub(crate) fn lost(&self) -> u64 {
        self.report.as_ref().map_or(0, JournalReport::lost)
    }

    /// Gives `note` a sentence for people about each damaged place of the journal.
    pub(crate) fn tell_damage(&self, note: impl FnMut(&str)) {
        let damaged = self.report.iter().find(|report| report.copy().is_some());
        if let Some(report) = damaged {
            report.tell(note);
        }
    }

    /// The file that is being filled.
    pub(crate) fn path(&self) -> PathBuf {
        numbered(&self.plan.path, self.file)
    }

    /// Adds game `number`; one without bytes is given up. A game of a closed file stays as it is.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn put(&mut self, number: u64, bytes: &[u8]) -> Result<()> {
        if number < self.first {
            return Ok(());
        }
        let put = self.journal().put(number, bytes).map_err(Into::into);
        let done = put.and_then(|()| self.advance());
        with_hint(&self.plan.path, done)
    }

    /// Advances over games that are there without a gap, and closes files that are full.
    fn advance(&mut self) -> Result<()> {
        let Rotation { games, bytes } = self.plan.rotation;
        loop {
            let next = self.next;
            let Some(len) = self.journal().len_of(next) else {
                return Ok(());
            };
            self.next += 1;
            self.bytes += u64::from(len);
            self.games += u64::from(len > 0);
            let is_full = games.is_some_and(|most| self.games >= most)
                || bytes.is_some_and(|most| self.bytes >= most);
            if is_full {
                self.close_file()?;
            }
        }
    }

    /// Writes the file with all games up to [`Self::next`] once and for all.
    fn close_file(&mut self) -> Result<()> {
        let end = self.next;
        self.write(end)?;
        if self.plan.dedup {
            let words = self.written.iter().flat_map(|word| word.to_le_bytes());
            let words: Vec<u8> = words.collect();
            put_twice(self.journal(), WRITTEN, &words)?;
        }
        let state = [(self.file + 1).to_le_bytes(), end.to_le_bytes()].concat();
        // From here on the games below count as written, whatever happens.
        put_twice(self.journal(), STATE, &state)?;
        self.journal().flush()?;
        if let Some(journal) = self.journal.take() {
            self.journal = Some(journal.forget_below(end)?);
        }
        self.file += 1;
        self.first = end;
        (self.bytes, self.games) = (0, 0);
        Ok(())
    }

    /// Writes the file that is being filled with all finished games.
    ///
    /// # Errors
    /// When writing fails; the file is as before then.
    pub(crate) fn save(&mut self) -> Result<()> {
        let written = self.written.clone();
        let result = self.write(NO_GAME);
        let result = with_hint(&self.plan.path, result);
        // Those games are written again.
        self.written = written;
        result
    }

    /// Writes the file with its games below `end`.
    fn write(&mut self, end: u64) -> Result<()> {
        let first = self.first;
        let numbers: Vec<u64> = self.numbers().filter(|number| *number < end).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let path = self.path();
        let mut file = AtomicFile::create(&path)?;
        let mut left_out = Vec::new();
        let mut games = 0;
        for number in numbers {
            let bytes = self.journal().get(number)?.unwrap_or_default();
            if bytes.is_empty() || (self.plan.dedup && !self.written.insert(xxh3_64(&bytes))) {
                left_out.push(self.plan.shard.unit(number));
                continue;
            }
            games += 1;
            file.put(&bytes)?;
        }
        file.commit()?;
        let index = Index {
            seed: self.plan.seed,
            shard: self.plan.shard.to_string(),
            first_game: self.plan.shard.unit(first),
            step: self.plan.shard.count(),
            games,
            left_out,
            run: self.plan.identity.to_string().into(),
        };
        index.write(&path)
    }

    /// Ends the run. When it is complete the journal is not needed any more; else the same run can be resumed.
    ///
    /// # Errors
    /// When writing fails.
    pub(crate) fn finish(mut self, completion: RunCompletion) -> Result<()> {
        self.save()?;
        let Some(mut journal) = self.journal.take() else {
            return Ok(());
        };
        journal.flush()?;
        if completion.is_complete() {
            journal.remove()?;
        }
        Ok(())
    }
}

/// Returns the path of file `number` of the run whose first file is `path`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number:04}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Adds the output and advice to an error of writing the files of the run whose first file is `output`.
fn with_hint<T>(output: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        SelfplayError::File(error) => SelfplayError::File(hint(output, error)),
        other => other,
    })
}

fn hint(output: &Path, error: Error) -> Error {
    let (Error::Io { path, reason } | Error::Write { path, reason, .. }) = &error else {
        return error;
    };
    let folder = folder_of(output);
    let folder = folder.display();
    let needed = match reason.kind() {
        ErrorKind::StorageFull => format!("room on the disk of {folder} is needed"),
        ErrorKind::QuotaExceeded => {
            format!("room in {folder} is needed, where the quota is used up")
        }
        ErrorKind::FileTooLarge => "a higher limit of the size of a file is needed".to_owned(),
        ErrorKind::PermissionDenied => format!("the right to write in {folder} is needed"),
        ErrorKind::ReadOnlyFilesystem => {
            format!("another folder is needed: {folder} can only be read")
        }
        _ => return error,
    };
    let what = if path == output {
        String::new()
    } else {
        format!("{}: ", path.display())
    };
    let advice = format!(
        "cannot be written: {what}{reason}; {needed}; finished games are safe, run the same command again to resume"
    );
    Error::file(output, advice)
}

// The index beside a file of games.

/// The games of a file, so that each of them can be played again.
#[derive(Serialize, Deserialize)]
struct Index<'a> {
    /// `gensfen --game N` with the same settings plays game `first_game + N × shards` again.
    seed: u64,
    shard: String,
    first_game: u64,
    step: u64,
    games: u64,
    /// Numbers of games that are not in the file: given up, or duplicates.
    left_out: Vec<u64>,
    run: Cow<'a, str>,
}

impl Index<'_> {
    /// Writes the index of the file `path`.
    fn write(&self, path: &Path) -> Result<()> {
        let path = path_of(path);
        let mut file = AtomicFile::create(&path)?;
        let written = serde_json::to_writer_pretty(&mut file, self).map_err(std::io::Error::from);
        written
            .and_then(|()| file.write_all(b"\n"))
            .map_err(yane_io::Error::io(&path))?;
        Ok(file.commit()?)
    }

    /// Reads the index of the file `path`; `None` when it has none.
    fn read(path: &Path) -> Result<Option<Self>> {
        let path = path_of(path);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(serde_json::from_str(&text).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(yane_io::Error::io(&path)(error).into()),
        }
    }
}

fn path_of(file: &Path) -> PathBuf {
    beside(file, ".json")
}

/// A unit that is no game, or its copy.
fn twice(journal: &mut Journal, number: u64) -> Result<Option<Vec<u8>>> {
    let first = journal.get(number)?;
    Ok(match first {
        Some(bytes) => Some(bytes),
        None => journal.get(number - COPY)?,
    })
}

/// Puts a unit that is no game, with its copy before it.
fn put_twice(journal: &mut Journal, number: u64, bytes: &[u8]) -> Result<()> {
    journal.put(number - COPY, bytes)?;
    Ok(journal.put(number, bytes)?)
}

/// The number of the last file of a run, if its files have all of its games.
fn last_file(plan: &Plan) -> Result<Option<u64>> {
    let Some(total) = plan.total else {
        return Ok(None);
    };
    let run = plan.identity.to_string();
    let mut next = 0;
    for file in 1.. {
        let path = numbered(&plan.path, file);
        let Some(index) = Index::read(&path)? else {
            return Ok(None);
        };
        let is_next = index.run == run && index.first_game == plan.shard.unit(next);
        if !is_next || !path.exists() {
            return Ok(None);
        }
        next += index.games + index.left_out.len() as u64;
        if next >= total {
            return Ok((next == total).then_some(file));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
