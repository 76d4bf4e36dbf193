//! Books as they are written.

use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use yane_io::{AtomicFile, Error, Result};

use super::side::side_car_of;
use crate::Format;
use crate::convert::HeaderTally;
use crate::edax::{Header, Record};
use crate::egaroucid::{self, Entry, Version};

/// A file that begins with something that is known only in the end; or none, where work is only tried.
#[derive(Debug)]
struct Sink {
    file: Option<AtomicFile>,
    bytes: Vec<u8>,
}

impl Sink {
    fn create(path: Option<&Path>) -> Result<Self> {
        Ok(Self {
            file: path.map(AtomicFile::create).transpose()?,
            bytes: Vec::new(),
        })
    }

    /// Writes what `fill` puts into an empty buffer.
    fn put(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        self.bytes.clear();
        fill(&mut self.bytes);
        file.put(&self.bytes)
    }

    /// Writes the first bytes anew, and makes it the file.
    fn finish(self, head: &[u8]) -> Result<()> {
        let Some(mut file) = self.file else {
            return Ok(());
        };
        let to_front = file.seek(SeekFrom::Start(0));
        to_front.map_err(Error::io(file.target()))?;
        file.put(head)?;
        file.commit()
    }
}

/// A book of Edax.
#[derive(Debug)]
pub(crate) struct EdaxFile {
    sink: Sink,
    tally: HeaderTally,
    old: Option<Header>,
}

impl EdaxFile {
    /// One with what can be kept of a header.
    pub(crate) fn create(path: Option<&Path>, old: Option<Header>) -> Result<Self> {
        let mut sink = Sink::create(path)?;
        sink.put(|bytes| bytes.extend([0; Header::LEN]))?;
        Ok(Self {
            sink,
            tally: HeaderTally::default(),
            old,
        })
    }

    pub(crate) fn put(&mut self, record: &Record) -> Result<()> {
        self.tally.add(record.board, record.level);
        self.sink.put(|bytes| record.write_to(bytes))
    }

    /// How many records it has.
    pub(crate) const fn len(&self) -> u64 {
        self.tally.records()
    }

    pub(crate) fn finish(self) -> Result<()> {
        let header = self.tally.header(self.old);
        self.sink.finish(&header.to_bytes())
    }
}

/// A book of Egaroucid.
#[derive(Debug)]
pub(crate) struct EgaroucidFile {
    sink: Sink,
    path: PathBuf,
    version: Version,
    count: u64,
}

impl EgaroucidFile {
    /// `path` names it in errors even where it is not written.
    pub(crate) fn create(path: &Path, write: bool, version: Version) -> Result<Self> {
        let mut file = Self {
            sink: Sink::create(write.then_some(path))?,
            path: path.to_owned(),
            version,
            count: 0,
        };
        let head = file.head()?;
        file.sink.put(|bytes| bytes.extend(head))?;
        Ok(file)
    }

    fn head(&self) -> Result<Vec<u8>> {
        let head = egaroucid::head(self.version, self.count);
        head.map_err(|reason| Error::file(&self.path, reason))
    }

    pub(crate) fn put(&mut self, entry: &Entry) -> Result<()> {
        self.count += 1;
        let version = self.version;
        self.sink.put(|bytes| entry.write_to(version, bytes))
    }

    pub(crate) const fn len(&self) -> u64 {
        self.count
    }

    pub(crate) fn finish(self) -> Result<()> {
        let head = self.head()?;
        self.sink.finish(&head)
    }
}

/// The side-car of a book that is written. There is a file only if something is put into it.
#[derive(Debug)]
pub(crate) struct SideCar {
    path: PathBuf,
    write: bool,
    old: Option<Header>,
    edax: Option<EdaxFile>,
    egaroucid: Option<EgaroucidFile>,
}

impl SideCar {
    /// That of a book `path` in a format, which is not written if `write` says so.
    pub(crate) fn new(path: &Path, format: Format, write: bool, old: Option<Header>) -> Self {
        Self {
            path: side_car_of(path, format),
            write,
            old,
            edax: None,
            egaroucid: None,
        }
    }

    pub(crate) fn put_record(&mut self, record: &Record) -> Result<()> {
        let file = match &mut self.edax {
            Some(file) => file,
            none => {
                let path = self.write.then_some(self.path.as_path());
                none.insert(EdaxFile::create(path, self.old)?)
            }
        };
        file.put(record)
    }

    pub(crate) fn put_entry(&mut self, entry: &Entry) -> Result<()> {
        let file = match &mut self.egaroucid {
            Some(file) => file,
            none => none.insert(EgaroucidFile::create(
                &self.path,
                self.write,
                Version::Egbk3,
            )?),
        };
        file.put(entry)
    }

    /// How many positions it has.
    pub(crate) fn len(&self) -> u64 {
        let edax = self.edax.as_ref().map_or(0, EdaxFile::len);
        edax + self.egaroucid.as_ref().map_or(0, EgaroucidFile::len)
    }

    /// Makes it the file; one that an earlier book of that name had goes if there is none now.
    pub(crate) fn finish(self) -> Result<()> {
        if self.len() == 0 && self.write && self.path.exists() {
            return std::fs::remove_file(&self.path).map_err(Error::io(&self.path));
        }
        self.edax.map_or(Ok(()), EdaxFile::finish)?;
        self.egaroucid.map_or(Ok(()), EgaroucidFile::finish)
    }
}
