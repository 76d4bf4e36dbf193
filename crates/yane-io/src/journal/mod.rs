//! A journal of finished units of work, so that a long job loses nothing but what it was doing.
//!
//! A job is a list of units with numbers. Whatever comes of a unit is appended to a file at once, with a
//! checksum; after a crash the same job reads the file and goes on with the units that are not in it. The file
//! belongs to one run, whose [`RunIdentity`] is its beginning, and to one process at a time.
//!
//! What can be read is used, and what cannot is told ([`JournalReport`]). The end of a unit that a crash cut off is
//! cut away. Damage elsewhere costs the units that it touches: the others are found behind it, the damaged file is
//! kept under another name, and the journal is written anew without it.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEJRN2` |
//! | 4 + n | length and text of the identity |
//! | 4 | CRC-32 of the length and the text |
//! | 16 + n | the same once more |
//! | then, for each unit: 4 | `FF 4A 55 FE`, by which units are found behind damage |
//! | 4 | length of its bytes |
//! | 8 | its number |
//! | 4 | CRC-32 of its bytes |
//! | 4 | CRC-32 of the 20 bytes before |
//! | n | its bytes |
//!
//! All numbers are little-endian. The checksums of units begin with that of the identity, so that a unit of one journal is
//! none of another. Files of the version before (`YANEJRN1`, see `legacy`) are read and written anew.

mod format;
mod legacy;
mod place;
mod read;
mod report;
mod scan;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use format::{Beginning, HEAD, LONGEST};
pub use report::{DamagedPlace, JournalReport};
use scan::Contents;
use yane_clock::Instant;

use crate::lock::open_locked;
use crate::{AtomicFile, Error, Result, RunIdentity, names};
use place::Place;

/// Flush interval of a journal, so that it survives a crash of the machine and not only of the
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// After every unit.
    Always,
    /// At a unit, when the last time is that long ago.
    Every(Duration),
    /// The system decides.
    Never,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    beginning: Beginning,
    units: BTreeMap<u64, Place>,
    end: u64,
    /// Whether the file's cursor is at `end`.
    is_at_end: bool,
    record: Vec<u8>,
    flush: Flush,
    flushed: Instant,
}

impl Journal {
    /// The path of the journal of an output, if there is only one: `OUTPUT.journal`.
    pub fn path_of(output: &Path) -> PathBuf {
        names::beside(output, ".journal")
    }

    /// Opens the journal at `path` of the run `identity`, or begins one.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has it open, [`Error::OtherRun`] when it is that of another run, another
    /// when it is no journal or its beginning is damaged beyond reading, or when the disk refuses. The file is as before then.
    pub fn open(path: &Path, identity: &RunIdentity, flush: Flush) -> Result<OpenedJournal> {
        let file = open_locked(path, path)?;
        let beginning = Beginning::new(path, identity)?;
        let contents = read::read(path, &file, &beginning)?;
        Self::with(path, file, beginning, flush, contents)
    }

    /// Begins a journal at `path` and forgets the one that is there, whoever's it is, unless a process has it open.
    ///
    /// # Errors
    /// [`Error::InUse`], or when the disk refuses.
    pub fn begin(path: &Path, identity: &RunIdentity, flush: Flush) -> Result<Self> {
        let file = open_locked(path, path)?;
        let beginning = Beginning::new(path, identity)?;
        file.set_len(0).map_err(Error::write(path, 0))?;
        let opened = Self::with(path, file, beginning, flush, Contents::default())?;
        Ok(opened.into_parts().0)
    }

    fn with(
        path: &Path,
        file: File,
        beginning: Beginning,
        flush: Flush,
        contents: Contents,
    ) -> Result<OpenedJournal> {
        let mut journal = Self {
            file,
            path: path.to_owned(),
            beginning,
            units: contents.units,
            end: contents.end,
            is_at_end: false,
            record: Vec::new(),
            flush,
            flushed: Instant::now(),
        };
        let mut report = JournalReport::new(path, contents.torn, contents.damaged);
        if journal.end == 0 {
            journal.file.set_len(0).map_err(Error::write(path, 0))?;
            let bytes = journal.beginning.bytes();
            journal.append(&bytes)?;
        } else if contents.is_to_be_rewritten || !report.damaged().is_empty() {
            if !report.damaged().is_empty() {
                report.copied_to(keep_damaged(path)?);
            }
            journal = journal.rewritten(0)?;
        } else if report.torn() > 0 {
            let cut = journal.file.set_len(journal.end);
            cut.map_err(Error::write(path, journal.end))?;
        }
        Ok(OpenedJournal::new(journal, report))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let write = |file: &mut File| {
            if !self.is_at_end {
                file.seek(SeekFrom::Start(self.end))?;
            }
            file.write_all(bytes)
        };
        if let Err(source) = write(&mut self.file) {
            self.is_at_end = false;
            // Half a unit would be damage for the next one who reads.
            let _told_below = self.file.set_len(self.end);
            return Err(Error::write(&self.path, self.end)(source));
        }
        self.is_at_end = true;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Appends the result of a unit. An earlier result of the unit is dropped.
    ///
    /// # Errors
    /// When the disk refuses; the journal is as before then.
    pub fn put(&mut self, number: u64, bytes: &[u8]) -> Result<()> {
        let len = u32::try_from(bytes.len())
            .ok()
            .filter(|&len| len <= LONGEST);
        let len = len.ok_or_else(|| Error::file(&self.path, "a unit has a gibibyte at most"))?;
        let offset = self.end + HEAD as u64;
        let mut record = std::mem::take(&mut self.record);
        record.clear();
        self.beginning.put_unit(&mut record, len, number, bytes);
        let appended = self.append(&record);
        self.record = record;
        appended?;
        self.units.insert(number, Place { offset, len });
        let due = match self.flush {
            Flush::Always => true,
            Flush::Every(time) => self.flushed.elapsed() >= time,
            Flush::Never => false,
        };
        if due { self.flush() } else { Ok(()) }
    }

    /// Flushes everything to the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn flush(&mut self) -> Result<()> {
        let synced = self.file.sync_data();
        synced.map_err(Error::write(&self.path, self.end))?;
        self.flushed = Instant::now();
        Ok(())
    }

    /// Returns whether a unit is there.
    pub fn contains(&self, number: u64) -> bool {
        self.units.contains_key(&number)
    }

    /// The numbers of all units, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.units.keys().copied()
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns whether there are no units.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The number of bytes of a unit; `None` when it is not there.
    pub fn len_of(&self, number: u64) -> Option<u32> {
        self.units.get(&number).map(|place| place.len)
    }

    /// The bytes of a unit; `None` when it is not there.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn get(&mut self, number: u64) -> Result<Option<Vec<u8>>> {
        let Some(place) = self.units.get(&number) else {
            return Ok(None);
        };
        self.is_at_end = false;
        let mut bytes = vec![0; place.len as usize];
        let offset = place.offset;
        let read = |file: &mut File, bytes: &mut [u8]| {
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(bytes)
        };
        read(&mut self.file, &mut bytes).map_err(Error::io(&self.path))?;
        Ok(Some(bytes))
    }

    /// Forgets all units below `number`, which are safe elsewhere, and makes the file shorter.
    ///
    /// # Errors
    /// When the disk refuses; the journal is as before then.
    pub fn forget_below(self, number: u64) -> Result<Self> {
        self.rewritten(number)
    }

    /// Forgets the unit `number` and all above it, which shall be done again.
    ///
    /// # Errors
    /// When the disk refuses; the journal is as before then.
    pub fn forget_from(mut self, number: u64) -> Result<Self> {
        self.units.retain(|&unit, _| unit < number);
        self.rewritten(0)
    }

    /// Forgets all units, which are safe elsewhere.
    ///
    /// # Errors
    /// When the disk refuses; the journal is as before then.
    pub fn cleared(mut self) -> Result<Self> {
        self.units.clear();
        self.rewritten(0)
    }

    /// Writes the file anew with the units from `first` on. It is locked all the time.
    fn rewritten(mut self, first: u64) -> Result<Self> {
        let mut file = AtomicFile::create(&self.path)?;
        let bytes = self.beginning.bytes();
        file.put(&bytes)?;
        let mut end = bytes.len() as u64;
        let mut units = BTreeMap::new();
        let kept: Vec<u64> = self.units.range(first..).map(|(&unit, _)| unit).collect();
        for number in kept {
            let Some(bytes) = self.get(number)? else {
                continue;
            };
            let len = bytes.len() as u32;
            self.record.clear();
            self.beginning
                .put_unit(&mut self.record, len, number, &bytes);
            file.put(&self.record)?;
            let offset = end + HEAD as u64;
            units.insert(number, Place { offset, len });
            end += self.record.len() as u64;
        }
        Ok(Self {
            file: file.commit_open()?,
            units,
            end,
            is_at_end: false,
            flushed: Instant::now(),
            ..self
        })
    }

    /// Removes the file: everything is safe elsewhere.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(Error::io(&self.path))
    }
}

/// Gives the file `path` a second name, which it keeps when its first one gets another file: `path` with `.damaged-N`
/// behind it, `N` being the first number that is free. Returns that name.
///
/// # Errors
/// When it cannot be read, or its folder cannot be written to.
pub fn keep_damaged(path: &Path) -> Result<PathBuf> {
    use std::io::ErrorKind::AlreadyExists;

    // A link to a link would name what comes in its place.
    let target = std::fs::canonicalize(path).map_err(Error::io(path))?;
    for number in 1..=u32::MAX {
        let copy = names::beside(path, &format!(".damaged-{number}"));
        let kept = std::fs::hard_link(&target, &copy);
        match kept {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == AlreadyExists => continue,
            // Not every file system has second names.
            Err(_) => {}
        }
        match File::create_new(&copy) {
            Err(error) if error.kind() == AlreadyExists => {}
            Err(error) => return Err(Error::write(&copy, 0)(error)),
            Ok(mut file) => {
                let copied = File::open(path).and_then(|mut from| {
                    std::io::copy(&mut from, &mut file)?;
                    file.sync_all()
                });
                copied.map_err(Error::write(&copy, 0))?;
                return Ok(copy);
            }
        }
    }
    Err(Error::file(path, "no name for a copy is free"))
}

/// An opened journal with what has to be told about it. [`Self::tell`] gives the journal.
#[derive(Debug)]
#[must_use = "what was lost has to be told"]
pub struct OpenedJournal {
    pub(super) journal: Journal,
    pub(super) report: JournalReport,
}

impl OpenedJournal {
    pub(super) const fn new(journal: Journal, report: JournalReport) -> Self {
        Self { journal, report }
    }

    /// The journal; `note` gets a sentence for people about each loss, such as [`crate::Progress::note`].
    pub fn tell(self, note: impl FnMut(&str)) -> Journal {
        self.report.tell(note);
        self.journal
    }

    /// The journal, and the report for whoever tells it.
    pub fn into_parts(self) -> (Journal, JournalReport) {
        (self.journal, self.report)
    }
}

#[cfg(test)]
mod tests;
