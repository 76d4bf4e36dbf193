//! Books as they are written.

use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use yane_io::{AtomicFile, Error, Map, Result};

use crate::Format;
use crate::convert::HeaderTally;
use crate::edax::{Header, Record};
use crate::egaroucid::{self, Entry, Version};
use crate::fingerprint::Fingerprint;
use crate::text;

/// A file that begins with something that is known only in the end; or none, where work is only tried.
#[derive(Debug)]
pub(super) struct Sink {
    file: Option<AtomicFile>,
    bytes: Vec<u8>,
}

impl Sink {
    pub(super) fn create(path: Option<&Path>) -> Result<Self> {
        Ok(Self {
            file: path.map(AtomicFile::create).transpose()?,
            bytes: Vec::new(),
        })
    }

    /// Writes what `fill` puts into an empty buffer.
    pub(super) fn put(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        self.bytes.clear();
        fill(&mut self.bytes);
        file.put(&self.bytes)
    }

    /// Writes the first bytes anew, and makes it the file.
    pub(super) fn finish(self, head: &[u8]) -> Result<()> {
        let Some(mut file) = self.file else {
            return Ok(());
        };
        let to_front = file.seek(SeekFrom::Start(0));
        to_front.map_err(Error::io(file.target()))?;
        file.put(head)?;
        file.commit()
    }
}

/// The book that one was made of: if what is written says the same, it is written as it was, byte for byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Original<'a> {
    pub(crate) map: &'a Map,
    pub(crate) format: Format,
    /// Of its records.
    pub(crate) fingerprint: Fingerprint,
}

impl<'a> Original<'a> {
    /// The bytes of the file, if a book of that format, fingerprint and head says what it does.
    fn same(&self, format: Format, fingerprint: Fingerprint, head: &[u8]) -> Option<&'a [u8]> {
        let is_same = self.format == format && self.fingerprint == fingerprint;
        (is_same && self.map.starts_with(head)).then_some(self.map)
    }
}

/// A book of Edax, as `book.dat` or as text.
#[derive(Debug)]
pub(crate) struct EdaxFile {
    sink: Sink,
    is_text: bool,
    tally: HeaderTally,
    old: Option<Header>,
    fingerprint: Fingerprint,
    bytes: Vec<u8>,
}

impl EdaxFile {
    /// One with what can be kept of a header.
    pub(crate) fn create(path: Option<&Path>, is_text: bool, old: Option<Header>) -> Result<Self> {
        let mut sink = Sink::create(path)?;
        if !is_text {
            sink.put(|bytes| bytes.extend([0; Header::LEN]))?;
        }
        Ok(Self {
            sink,
            is_text,
            tally: HeaderTally::default(),
            old,
            fingerprint: Fingerprint::default(),
            bytes: Vec::new(),
        })
    }

    pub(crate) fn put(&mut self, record: &Record) -> Result<()> {
        self.tally.add(record.board, record.level);
        self.fingerprint.add_record(record, &mut self.bytes);
        let is_text = self.is_text;
        self.sink.put(|bytes| {
            if is_text {
                bytes.extend(text::edax_export_line(record).into_bytes());
            } else {
                record.write_to(bytes);
            }
        })
    }

    /// How many records it has.
    pub(crate) const fn len(&self) -> u64 {
        self.tally.records()
    }

    /// Of the records up to here.
    pub(crate) const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Makes it the file; the original again if it says the same.
    pub(crate) fn finish<'a>(self, original: Option<Original<'a>>) -> Result<()> {
        if self.is_text {
            return self.sink.finish(&[]);
        }
        let head = self.tally.header(self.old).to_bytes();
        let same = |original: Original<'a>| original.same(Format::Edax, self.fingerprint, &head);
        let whole = original.and_then(same);
        self.sink.finish(whole.unwrap_or(&head))
    }
}

/// A book of Egaroucid.
#[derive(Debug)]
pub(crate) struct EgaroucidFile {
    sink: Sink,
    path: PathBuf,
    version: Version,
    fingerprint: Fingerprint,
    bytes: Vec<u8>,
}

impl EgaroucidFile {
    /// A file, or none but what errors need of one.
    pub(crate) fn create(path: &Path, write: bool, version: Version) -> Result<Self> {
        let mut file = Self {
            sink: Sink::create(write.then_some(path))?,
            path: path.to_owned(),
            version,
            fingerprint: Fingerprint::default(),
            bytes: Vec::new(),
        };
        let head = file.head()?;
        file.sink.put(|bytes| bytes.extend(head))?;
        Ok(file)
    }

    fn head(&self) -> Result<Vec<u8>> {
        let head = egaroucid::head(self.version, self.len());
        head.map_err(|reason| Error::file(&self.path, reason))
    }

    pub(crate) fn put(&mut self, entry: &Entry) -> Result<()> {
        self.bytes.clear();
        entry.write_to(self.version, &mut self.bytes);
        self.fingerprint.add(&self.bytes);
        let record = &self.bytes;
        self.sink.put(|bytes| bytes.extend(record))
    }

    pub(crate) const fn len(&self) -> u64 {
        self.fingerprint.count
    }

    /// Of the records up to here.
    pub(crate) const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Makes it the file; the original again if it says the same.
    pub(crate) fn finish<'a>(self, original: Option<Original<'a>>) -> Result<()> {
        let head = self.head()?;
        let format = Format::Egaroucid(self.version);
        let same = |original: Original<'a>| original.same(format, self.fingerprint, &head);
        let whole = original.and_then(same);
        self.sink.finish(whole.unwrap_or(&head))
    }
}
