//! Writers of book files and temporary books, and saving of changed books.

use std::path::{Path, PathBuf};

use yane_io::{Map, Result};

use super::side_car::Fingerprint;
use crate::convert::HeaderBuilder;
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::sink::OutputSink;
use crate::{BookFormat, egaroucid, text};

/// The input of a changed book: if the output has the same contents, it is written byte for byte as the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Original<'a> {
    pub(crate) map: &'a Map,
    pub(crate) format: BookFormat,
    /// The fingerprint of its records.
    pub(crate) fingerprint: Fingerprint,
}

impl<'a> Original<'a> {
    /// The bytes of the file, if a book of this format, fingerprint and header has the same contents.
    fn same(&self, format: BookFormat, fingerprint: Fingerprint, head: &[u8]) -> Option<&'a [u8]> {
        let is_same = self.format == format && self.fingerprint == fingerprint;
        (is_same && self.map.starts_with(head)).then_some(self.map)
    }
}

/// A writer of a book of Edax, as `book.dat` or as text.
#[derive(Debug)]
pub(crate) struct EdaxWriter {
    sink: OutputSink,
    is_text: bool,
    header: HeaderBuilder,
    old: Option<EdaxHeader>,
    fingerprint: Fingerprint,
    bytes: Vec<u8>,
}

impl EdaxWriter {
    /// Creates a book with the settings of an older header.
    pub(crate) fn create(
        path: Option<&Path>,
        is_text: bool,
        old: Option<EdaxHeader>,
    ) -> Result<Self> {
        let mut sink = OutputSink::create(path)?;
        if !is_text {
            sink.put(|bytes| bytes.extend([0; EdaxHeader::LEN]))?;
        }
        Ok(Self {
            sink,
            is_text,
            header: HeaderBuilder::default(),
            old,
            fingerprint: Fingerprint::default(),
            bytes: Vec::new(),
        })
    }

    pub(crate) fn put(&mut self, record: &EdaxRecord) -> Result<()> {
        self.header.add(record.board, record.level);
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

    /// The number of records.
    pub(crate) const fn len(&self) -> u64 {
        self.header.records()
    }

    /// The fingerprint of the records so far.
    pub(crate) const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Commits the file; the original bytes if the contents are the same.
    pub(crate) fn finish<'a>(self, original: Option<Original<'a>>) -> Result<()> {
        if self.is_text {
            return self.sink.finish(&[]);
        }
        let head = self.header.build(self.old).to_bytes();
        let same =
            |original: Original<'a>| original.same(BookFormat::Edax, self.fingerprint, &head);
        let whole = original.and_then(same);
        self.sink.finish(whole.unwrap_or(&head))
    }
}

/// A writer of a book of Egaroucid.
#[derive(Debug)]
pub(crate) struct EgaroucidWriter {
    sink: OutputSink,
    path: PathBuf,
    version: EgaroucidVersion,
    fingerprint: Fingerprint,
    bytes: Vec<u8>,
}

impl EgaroucidWriter {
    /// Creates a book; in a dry run, `path` only serves errors.
    pub(crate) fn create(path: &Path, write: bool, version: EgaroucidVersion) -> Result<Self> {
        let mut file = Self {
            sink: OutputSink::create(write.then_some(path))?,
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
        head.map_err(|error| error.in_file(&self.path))
    }

    pub(crate) fn put(&mut self, entry: &EgaroucidRecord) -> Result<()> {
        self.bytes.clear();
        entry.write_to(self.version, &mut self.bytes);
        self.fingerprint.add(&self.bytes);
        let record = &self.bytes;
        self.sink.put(|bytes| bytes.extend(record))
    }

    pub(crate) const fn len(&self) -> u64 {
        self.fingerprint.count
    }

    /// The fingerprint of the records so far.
    pub(crate) const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Commits the file; the original bytes if the contents are the same.
    pub(crate) fn finish<'a>(self, original: Option<Original<'a>>) -> Result<()> {
        let head = self.head()?;
        let format = BookFormat::Egaroucid(self.version);
        let same = |original: Original<'a>| original.same(format, self.fingerprint, &head);
        let whole = original.and_then(same);
        self.sink.finish(whole.unwrap_or(&head))
    }
}
