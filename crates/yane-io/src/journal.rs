//! A journal of finished units of work, so that a long job loses nothing but what it was doing.
//!
//! A job is a list of units with numbers. Whatever comes of a unit is appended to a file at once, with a
//! checksum; after a crash the same job reads the file and goes on with the units that are not in it. A
//! record that was cut off by the crash is cut away. The file belongs to one job, whose description is its
//! beginning, and to one process at a time.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEJRN1` |
//! | 4 + n | length and text of the description |
//! | 4 | CRC-32 of the length and the text |
//! | then, for each unit: 4 | length of its bytes |
//! | 8 | its number |
//! | 4 | CRC-32 of length, number and bytes |
//! | n | its bytes |
//!
//! All numbers are little-endian.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{AtomicFile, Error, Result};

const MAGIC: &[u8; 8] = b"YANEJRN1";
/// Bytes before those of a unit.
const HEAD: usize = 16;
/// Longest description or unit that is believed in, in bytes.
const LONGEST: u32 = 1 << 30;

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

/// The place of the bytes of a unit.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    len: u32,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    description: String,
    units: BTreeMap<u64, Place>,
    end: u64,
    lost: u64,
    flush: Flush,
    flushed: Instant,
}

impl Journal {
    /// Opens the journal at `path` of the job that `description` tells, or begins one.
    ///
    /// # Errors
    /// When it is the journal of another job or no journal, another process has it open, or the disk
    /// refuses.
    pub fn open(path: &Path, description: &str, flush: Flush) -> Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Error::write(path, 0))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::file(path, "is in use by another process"));
            }
            Err(TryLockError::Error(source)) => return Err(Error::io(path)(source)),
        }
        let mut journal = Self {
            file,
            path: path.to_owned(),
            description: description.to_owned(),
            units: BTreeMap::new(),
            end: 0,
            lost: 0,
            flush,
            flushed: Instant::now(),
        };
        journal.read()?;
        Ok(journal)
    }

    /// Reads what is there, or writes the beginning.
    fn read(&mut self) -> Result<()> {
        let size = self.file.metadata().map_err(Error::io(&self.path))?.len();
        let begin = head(&self.description);
        let mut bytes = Reader::new(&self.file);
        let found = bytes.beginning();
        match found {
            // Nothing, or a beginning that a crash cut off: no unit can be lost with it.
            None if size < (MAGIC.len() + 8) as u64 || bytes.is_cut => {
                self.file.set_len(0).map_err(Error::write(&self.path, 0))?;
                return self.append(&begin);
            }
            None => return Err(Error::byte(&self.path, 0, "expected a journal (YANEJRN1)")),
            Some(found) if found != self.description => {
                let reason = format!(
                    "is the journal of another job: expected {:?}, found {found:?}",
                    self.description
                );
                return Err(Error::file(&self.path, reason));
            }
            Some(_) => {}
        }
        let mut offset = begin.len() as u64;
        while let Some((number, len)) = bytes.unit() {
            let place = Place {
                offset: offset + HEAD as u64,
                len,
            };
            self.units.insert(number, place);
            offset += HEAD as u64 + u64::from(len);
        }
        self.lost = size - offset;
        self.end = offset;
        self.file
            .set_len(offset)
            .map_err(Error::write(&self.path, offset))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let write = |file: &mut File| {
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(bytes)
        };
        write(&mut self.file).map_err(Error::write(&self.path, self.end))?;
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
        self.append(&record(len, number, bytes))?;
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

    /// Bytes that were cut away at opening: the rest of a unit that a crash left.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// The bytes of a unit; `None` when it is not there.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn get(&mut self, number: u64) -> Result<Option<Vec<u8>>> {
        let Some(place) = self.units.get(&number) else {
            return Ok(None);
        };
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
        let mut old = self;
        let (path, description, flush) = (old.path.clone(), old.description.clone(), old.flush);
        let kept: Vec<u64> = old
            .units
            .range(number..)
            .map(|(&number, _)| number)
            .collect();
        let mut file = AtomicFile::create(&path)?;
        file.put(&head(&description))?;
        for number in kept {
            if let Some(bytes) = old.get(number)? {
                file.put(&record(bytes.len() as u32, number, &bytes))?;
            }
        }
        file.commit()?;
        Self::open(&path, &description, flush)
    }

    /// Removes the file: everything is safe elsewhere.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(Error::io(&self.path))
    }
}

/// The beginning of a journal.
fn head(description: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let mut field = (description.len() as u32).to_le_bytes().to_vec();
    field.extend_from_slice(description.as_bytes());
    let crc = crc32fast::hash(&field);
    bytes.extend_from_slice(&field);
    bytes.extend_from_slice(&crc.to_le_bytes());
    bytes
}

/// A unit as it lies in the file; `len` is the length of `bytes`.
fn record(len: u32, number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEAD + bytes.len());
    record.extend_from_slice(&len.to_le_bytes());
    record.extend_from_slice(&number.to_le_bytes());
    let crc = checksum(&record, bytes);
    record.extend_from_slice(&crc.to_le_bytes());
    record.extend_from_slice(bytes);
    record
}

/// Returns the checksum of a unit; `header` holds its length and number.
fn checksum(header: &[u8], bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(bytes);
    hasher.finalize()
}

/// Reads a journal from its beginning.
struct Reader<'a> {
    file: BufReader<&'a File>,
    /// The end of the file came too early.
    is_cut: bool,
}

impl<'a> Reader<'a> {
    fn new(file: &'a File) -> Self {
        Self {
            file: BufReader::with_capacity(1 << 20, file),
            is_cut: false,
        }
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.is_cut = self.file.read_exact(&mut bytes).is_err();
        (!self.is_cut).then_some(bytes)
    }

    fn take_many(&mut self, len: u32) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(len.into()).read_to_end(&mut bytes);
        self.is_cut = read.is_err() || bytes.len() < len as usize;
        (!self.is_cut).then_some(bytes)
    }

    /// The description.
    fn beginning(&mut self) -> Option<String> {
        if self.take::<8>()? != *MAGIC {
            return None;
        }
        let len = self.take::<4>()?;
        let text = self.take_many(u32::from_le_bytes(len).min(LONGEST))?;
        let crc = self.take::<4>()?;
        let told = [&len[..], &text].concat();
        let is_whole = crc32fast::hash(&told) == u32::from_le_bytes(crc);
        is_whole.then(|| String::from_utf8(text).ok()).flatten()
    }

    /// The next unit's number and length; `None` at the end and at a record that is not whole.
    fn unit(&mut self) -> Option<(u64, u32)> {
        let head = self.take::<HEAD>()?;
        let (told, crc) = head.split_at(12);
        let len = u32::from_le_bytes(told[..4].try_into().ok()?);
        let number = u64::from_le_bytes(told[4..].try_into().ok()?);
        if len > LONGEST {
            return None;
        }
        let bytes = self.take_many(len)?;
        (checksum(told, &bytes).to_le_bytes() == crc).then_some((number, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Journal {
        Journal::open(path, "a job", Flush::Never).unwrap()
    }

    #[test]
    fn units_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = open(&path);
        assert!(journal.is_empty());
        journal.put(7, b"seven").unwrap();
        journal.put(3, b"").unwrap();
        journal.put(7, b"again").unwrap();
        drop(journal);
        let mut journal = open(&path);
        assert_eq!(journal.numbers().collect::<Vec<_>>(), [3, 7]);
        assert_eq!((journal.lost(), journal.len_of(7)), (0, Some(5)));
        assert_eq!(journal.get(7).unwrap().unwrap(), b"again");
        assert_eq!(journal.get(3).unwrap().unwrap(), b"");
        assert_eq!(journal.get(4).unwrap(), None);
        assert!(journal.contains(3) && !journal.contains(4));
    }

    #[test]
    fn whole_units_survive_a_crash_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = open(&path);
        let mut ends = vec![journal.end];
        for number in 0..3 {
            journal.put(number, &[number as u8; 9]).unwrap();
            ends.push(journal.end);
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for len in 0..whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            let mut journal = open(&path);
            let there = ends
                .iter()
                .filter(|&&end| end <= len as u64)
                .count()
                .saturating_sub(1);
            assert_eq!(journal.len(), there, "{len}");
            journal.put(9, b"more").unwrap();
            drop(journal);
            let mut journal = open(&path);
            assert_eq!((journal.len(), journal.lost()), (there + 1, 0), "{len}");
            assert_eq!(journal.get(9).unwrap().unwrap(), b"more");
        }
        // A bit that fell over ends what can be believed.
        let mut wrong = whole.clone();
        wrong[ends[1] as usize + HEAD] ^= 1;
        std::fs::write(&path, wrong).unwrap();
        let journal = open(&path);
        assert_eq!(journal.numbers().collect::<Vec<_>>(), [0]);
        assert_eq!(journal.lost(), whole.len() as u64 - ends[1]);
    }

    #[test]
    fn files_of_other_programs_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        open(&path).put(1, b"x").unwrap();
        let other = Journal::open(&path, "another job", Flush::Never).unwrap_err();
        assert!(other.to_string().contains("another job"), "{other}");
        std::fs::write(&path, "some text that is no journal at all").unwrap();
        let none = Journal::open(&path, "a job", Flush::Never).unwrap_err();
        assert!(none.to_string().contains("expected a journal"), "{none}");
        assert_eq!(std::fs::read(&path).unwrap().len(), 35);
    }

    #[test]
    fn one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = open(&path);
        let error = Journal::open(&path, "a job", Flush::Never).unwrap_err();
        assert!(error.to_string().contains("in use"), "{error}");
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn units_that_are_saved_elsewhere_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = open(&path);
        for number in 0..10 {
            journal.put(number, &number.to_le_bytes()).unwrap();
        }
        let long = std::fs::metadata(&path).unwrap().len();
        let mut journal = journal.forget_below(8).unwrap();
        assert_eq!(journal.numbers().collect::<Vec<_>>(), [8, 9]);
        assert_eq!(journal.get(9).unwrap().unwrap(), 9u64.to_le_bytes());
        assert!(std::fs::metadata(&path).unwrap().len() < long);
        journal.put(10, b"ten").unwrap();
        drop(journal);
        assert_eq!(open(&path).len(), 3);
    }
}
