//! Writers of book files and temporary books, and saving of changed books.

use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};
use yane_io::{AtomicFile, Error, Job, Map, Result, TempFolder};

use super::side_car::Fingerprint;
use crate::convert::links::OmittedPositions;
use crate::convert::{HeaderBuilder, LeafPolicy, for_each_converted, for_each_edax, left_out};
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::position::BookPosition;
use crate::files::side_car::{SideCarWriter, fingerprint};
use crate::files::{BookInput, BookReadOptions, BookWriteOptions, EdaxLeafReport, OpenedBook};
use crate::store::PositionStore;
use crate::{BookFormat, egaroucid, text};

/// A file whose header is known only at the end; or none, in a dry run.
#[derive(Debug)]
pub(super) struct OutputSink {
    file: Option<AtomicFile>,
    bytes: Vec<u8>,
}

impl OutputSink {
    pub(super) fn create(path: Option<&Path>) -> Result<Self> {
        Ok(Self {
            file: path.map(AtomicFile::create).transpose()?,
            bytes: Vec::new(),
        })
    }

    /// Writes the bytes that `fill` puts into an empty buffer.
    pub(super) fn put(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        self.bytes.clear();
        fill(&mut self.bytes);
        file.put(&self.bytes)
    }

    /// Overwrites the header and commits the file.
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
        head.map_err(|reason| Error::file(&self.path, reason))
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

/// A writer of a temporary book of Edax.
#[derive(Debug)]
pub(crate) struct TempBookWriter {
    file: BufWriter<NamedTempFile>,
    folder: TempFolder,
    written: u64,
    bytes: Vec<u8>,
}

/// A temporary book of Edax, deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct TempBook {
    pub(crate) map: Map,
    pub(crate) path: TempPath,
}

impl TempBookWriter {
    /// Creates a book with a header, which need not be correct.
    pub(crate) fn create(folder: &TempFolder, header: EdaxHeader) -> Result<Self> {
        let file = NamedTempFile::new_in(folder).map_err(folder.error(0))?;
        let mut temporary = Self {
            file: BufWriter::with_capacity(1 << 20, file),
            folder: folder.clone(),
            written: 0,
            bytes: header.to_bytes().to_vec(),
        };
        temporary.write()?;
        Ok(temporary)
    }

    fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.bytes);
        written.map_err(self.folder.error(self.written))?;
        self.written += self.bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn put(&mut self, record: &EdaxRecord) -> Result<()> {
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.write()
    }

    pub(crate) fn finish(self) -> Result<TempBook> {
        let file = self.file.into_inner();
        let file = file.map_err(|error| self.folder.error(self.written)(error.into_error()))?;
        let path = file.into_temp_path();
        Ok(TempBook {
            map: Map::open(&path)?,
            path,
        })
    }
}

// Saving of changed books.

/// The counts of a saved book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveReport {
    /// Positions of the book.
    pub positions: u64,
    /// Positions that the format cannot hold, or, in a book for Edax, without a known move.
    pub left_out: u64,
    /// Positions in the side-car.
    pub side_car: u64,
    /// The leaves of a book for Edax.
    pub for_edax: Option<EdaxLeafReport>,
}

/// Saves a book in the order of its boards. Links for Edax follow from the positions. With `dry_run` positions are only
/// counted.
///
/// # Errors
///
/// A file that cannot be written, more positions than the format can count.
pub fn save(
    book: &impl PositionStore,
    output: &Path,
    dry_run: bool,
    writing: BookWriteOptions,
) -> Result<SaveReport> {
    save_of(book, None, output, dry_run, writing)
}

/// [`save`] of a book that was opened from `input` and changed: if no position and not the format changed, it is
/// written byte for byte as it was.
///
/// # Errors
///
/// As [`save`], and if `input` cannot be read.
pub fn save_changed(
    opened: &OpenedBook,
    input: &BookInput,
    reading: BookReadOptions,
    (output, dry_run): (&Path, bool),
    writing: BookWriteOptions,
    job: &Job,
) -> Result<SaveReport> {
    let is_whole = opened.damaged + opened.repeated == 0 && !input.is_text();
    let original = if is_whole && input.format == writing.format {
        Some(Original {
            map: &input.map,
            format: input.format,
            fingerprint: fingerprint(input, reading, job)?,
        })
    } else {
        None
    };
    save_of(&opened.book, original, output, dry_run, writing)
}

fn save_of(
    book: &impl PositionStore,
    original: Option<Original<'_>>,
    output: &Path,
    dry_run: bool,
    writing: BookWriteOptions,
) -> Result<SaveReport> {
    let (mut saved, header) = (SaveReport::default(), book.header());
    let mut side = SideCarWriter::new(output, writing.format, !dry_run, header);
    match writing.format {
        BookFormat::Edax | BookFormat::EdaxText => {
            let is_text = writing.format == BookFormat::EdaxText;
            let path = (!dry_run).then_some(output);
            let mut file = EdaxWriter::create(path, is_text, header)?;
            let with_side = writing.side_car && header.is_none() && !is_text;
            put_records(
                book,
                writing,
                &mut file,
                with_side.then_some(&mut side),
                &mut saved,
            )?;
            saved.positions = file.len();
            saved.side_car = side.len();
            if !is_text {
                side.finish(file.fingerprint())?;
            }
            file.finish(original)?;
        }
        BookFormat::Egaroucid(version) => {
            let mut file = EgaroucidWriter::create(output, !dry_run, version)?;
            saved.left_out = put_all(book, writing.level, &mut file)?;
            saved.positions = file.len();
            if writing.side_car && header.is_some() && version == EgaroucidVersion::Egbk3 {
                let each = &mut |record| side.put_record(&record);
                for_each_edax(book, None, LeafPolicy::Keep, each)?;
            }
            saved.side_car = side.len();
            side.finish(file.fingerprint())?;
            file.finish(original)?;
        }
    }
    Ok(saved)
}

/// Writes records for Edax, and the positions of Egaroucid to the side-car.
fn put_records(
    book: &impl PositionStore,
    writing: BookWriteOptions,
    file: &mut EdaxWriter,
    mut side: Option<&mut SideCarWriter>,
    saved: &mut SaveReport,
) -> Result<()> {
    let mut for_edax = EdaxLeafReport::default();
    let left_out = (writing.leaves == LeafPolicy::Complete).then(|| left_out(book));
    let left_out = left_out.as_ref();
    for_each_converted(book, writing.level, left_out, &mut |made| {
        for_edax.add(made.linked);
        if let (Some(side), Some(number)) = (&mut side, made.number) {
            let entry = book.known(number).entry(made.record.board);
            side.put_entry(&entry, Some(&made.record))?;
        }
        file.put(&made.record)
    })?;
    let numbers = book.in_order();
    for number in numbers.filter(|&number| left_out.is_some_and(|out| out.has(number.into()))) {
        if let (Some(side), Some(board)) = (&mut side, book.board(number)) {
            side.put_entry(&book.known(number).entry(board), None)?;
        }
    }
    saved.left_out = left_out.map_or(0, OmittedPositions::count);
    saved.for_edax = Some(for_edax);
    Ok(())
}

/// Writes the positions that Egaroucid can hold; returns the number of the others.
fn put_all(
    book: &impl PositionStore,
    level: Option<u8>,
    file: &mut EgaroucidWriter,
) -> Result<u64> {
    let mut left_out = 0;
    for number in book.in_order() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let mut known = book.known(number);
        if let Some(level) = level {
            known.level = level as i8;
            known.leaf.level = level as i8;
        }
        let entry = known.entry(board);
        if BookPosition::Egaroucid(entry.clone()).fits_egaroucid() {
            file.put(&entry)?;
        } else {
            left_out += 1;
        }
    }
    Ok(left_out)
}
