//! Books of any format by themselves, read position by position; text books of Edax.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempPath;
use yane_io::external::Sorter;
use yane_io::{Error, Job, Map, Result, TempFolder, Unit};

use crate::convert::links::OmittedPositions;
use crate::convert::{HeaderBuilder, for_each_converted};
use crate::edax::EdaxHeader;
use crate::egaroucid::EgaroucidVersion;
use crate::files::merge;
use crate::files::options::BookReadOptions;
use crate::files::position::BookPosition;
use crate::files::temp_book::TempBookWriter;
use crate::store::{DiskBookWriter, OnDamage, PositionLookup as _, PositionStore as _};
use crate::text::EdaxLineError;
use crate::{BookFormat, FormatError, edax, egaroucid, ops, text};

/// An opened book by itself.
#[derive(Debug)]
pub struct BookFile {
    /// The file; for a text book, the `book.dat` that Edax would make of it.
    pub map: Map,
    /// The format; a text book is [`BookFormat::Edax`] here.
    pub format: BookFormat,
    path: PathBuf,
    text: Option<TextBook>,
    /// True once the note about more records than the header counts was given.
    is_noted: AtomicBool,
}

impl BookFile {
    /// A book that is mapped or in memory.
    ///
    /// # Errors
    ///
    /// Bytes that are no book; a side-car.
    pub fn of(map: Map) -> Result<Self> {
        let format = BookFormat::of_file(&map)?;
        let path = map.path().to_owned();
        let (map, format, text) = if format == BookFormat::EdaxText {
            let (map, text) = TextBook::read(&map)?;
            (map, BookFormat::Edax, Some(text))
        } else {
            (map, format, None)
        };
        Ok(Self {
            map,
            format,
            path,
            text,
            is_noted: AtomicBool::new(false),
        })
    }

    /// The file that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the book is text.
    pub const fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// The first invalid lines of a text book, with what was expected.
    pub fn invalid_lines(&self) -> &[(u64, EdaxLineError)] {
        self.text.as_ref().map_or(&[], TextBook::wrong)
    }

    /// The number of invalid lines of a text book.
    ///
    /// # Errors
    ///
    /// The first invalid line, with [`OnDamage::Stop`].
    pub fn damaged_lines(&self, damage: OnDamage) -> Result<u64> {
        match self.invalid_lines().first() {
            Some((line, reason)) if damage == OnDamage::Stop => {
                Err(Error::file(&self.path, format!("line {line}: {reason}")))
            }
            _ => Ok(self.text.as_ref().map_or(0, TextBook::damaged)),
        }
    }

    /// Calls `each` with all positions in the order of the file, on the boards of the file; returns the number of
    /// damaged records.
    pub(crate) fn for_each(
        &self,
        reading: BookReadOptions,
        job: &Job,
        each: &mut dyn FnMut(BookPosition) -> Result<()>,
    ) -> Result<u64> {
        let mut damaged = self.damaged_lines(reading.damage)?;
        let mut errors = |error: FormatError| match reading.damage {
            OnDamage::Stop => Err(error.in_file(&self.map)),
            OnDamage::Skip => {
                damaged += 1;
                Ok(())
            }
        };
        let stage = "reading";
        let count = for_each_position(
            &self.map,
            self.format,
            stage,
            reading,
            job,
            &mut errors,
            each,
        )?;
        if let BookFormat::Edax = self.format
            && let Ok(expected) = edax::EdaxBook::new(&self.map).map(|book| book.header.n_nodes)
            && i64::from(expected) < count as i64
            && expected < i32::MAX
            && !self.is_noted.swap(true, Ordering::Relaxed)
        {
            let path = self.path.display();
            let note =
                format!("{path}: the header counts {expected} records, {count} are there and read");
            job.progress.note(&note);
        }
        Ok(damaged)
    }
}

/// Calls `each` with all positions of a file and reports progress. Damage goes to `errors`. Returns the number of
/// records, damaged ones included.
pub(super) fn for_each_position(
    map: &Map,
    format: BookFormat,
    stage: &str,
    reading: BookReadOptions,
    job: &Job,
    errors: &mut dyn FnMut(FormatError) -> Result<()>,
    each: &mut dyn FnMut(BookPosition) -> Result<()>,
) -> Result<u64> {
    /// Positions between two checks for cancellation.
    const STEP: u64 = 1 << 16;
    let len = map.len() as u64;
    job.progress.stage(stage, Some(len), Unit::Bytes);
    let (mut count, mut reported) = (0u64, 0);
    let mut take = |position: std::result::Result<BookPosition, FormatError>, offset: u64| {
        match position {
            Ok(position) => each(position)?,
            Err(error) => errors(error)?,
        }
        count += 1;
        if count.is_multiple_of(STEP) {
            job.progress.advance(offset - reported);
            reported = offset;
            job.check()?;
        }
        Ok(())
    };
    match format {
        BookFormat::Edax | BookFormat::EdaxText => {
            let book = edax::EdaxBook::new(map).map_err(|error| error.in_file(map))?;
            let mut records = book.records();
            while let Some(record) = records.next() {
                let record = record.map(|record| BookPosition::Edax(record.to_record()));
                take(record, records.offset())?;
            }
        }
        BookFormat::Egaroucid(version) => {
            let book =
                egaroucid::EgaroucidBook::of(map, version).map_err(|error| error.in_file(map))?;
            let mut entries = book.entries();
            while let Some(entry) = entries.next() {
                let entry = entry.map(|mut entry| {
                    if version == EgaroucidVersion::Egbk {
                        entry.level = reading.egbk_level;
                    }
                    BookPosition::Egaroucid(entry)
                });
                take(entry, entries.offset())?;
            }
        }
    }
    job.progress.advance(len - reported.min(len));
    Ok(count)
}

// Text books of Edax, converted as Edax's `book import` does.

/// A text book.
#[derive(Debug)]
pub(crate) struct TextBook {
    /// The temporary file of its positions, if they are not in memory.
    _path: Option<TempPath>,
    wrong: Vec<(u64, EdaxLineError)>,
    damaged: u64,
}

impl TextBook {
    /// The number of invalid lines that are kept for a report.
    const KEPT: usize = 100;

    /// The first invalid lines, with what was expected.
    pub(crate) fn wrong(&self) -> &[(u64, EdaxLineError)] {
        &self.wrong
    }

    /// The number of invalid lines.
    pub(crate) const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Converts a text to a book with links, and with values by negamax. Of duplicates, the first counts.
    pub(crate) fn read(text: &Map) -> Result<(Map, Self)> {
        let job = Job::default();
        let folder = TempFolder::of_system();
        let half = Job {
            memory: job.memory / 2,
            ..job.clone()
        };
        let (mut wrong, mut damaged) = (Vec::new(), 0);
        let mut sorter = Sorter::new(&half, &folder);
        let (mut body, mut builder) = (Vec::new(), HeaderBuilder::default());
        for (n, line) in text::lines(&text::decoded(text)).enumerate() {
            let line = std::str::from_utf8(line).map_err(EdaxLineError::from);
            match line.and_then(text::edax_import_line) {
                Ok(None) => {}
                Ok(Some(record)) => {
                    builder.add(record.board, record.level);
                    let key =
                        merge::encode(0, None, &BookPosition::Edax(record).canonical(), &mut body);
                    sorter.push(&key, &body)?;
                }
                Err(reason) => {
                    damaged += 1;
                    if wrong.len() < Self::KEPT {
                        wrong.push((n as u64 + 1, reason));
                    }
                }
            }
        }
        let (map, path) = book(
            text.path(),
            sorter,
            builder.build_for_text(),
            &folder,
            &half,
        )?;
        let book = Self {
            _path: path,
            wrong,
            damaged,
        };
        Ok((map, book))
    }
}

/// Adds links and values, and writes the positions as a book of Edax.
fn book(
    name: &Path,
    sorter: Sorter,
    header: EdaxHeader,
    folder: &TempFolder,
    job: &Job,
) -> Result<(Map, Option<TempPath>)> {
    let mut writer = DiskBookWriter::new(folder, job.memory);
    merge::for_each_merged(sorter.finish()?, &mut |merged| {
        writer.put(merged.board, &merged.known)
    })?;
    let rows = writer.finish(Some(header), job)?;
    let mut rows = rows.map_err(|error| error.in_file(name))?;
    ops::negamax_edax_all(&mut rows, &header);
    let count = i32::try_from(rows.count()).unwrap_or(i32::MAX);
    let header = EdaxHeader {
        n_nodes: count,
        ..header
    };
    let mut file = TempBookWriter::create(folder, header)?;
    // Complete leaves, but omit no position.
    let none = OmittedPositions::new(rows.bound().into());
    for_each_converted(&rows, None, Some(&none), &mut |made| file.put(&made.record))?;
    let written = file.finish(name)?;
    Ok((written.map, written.path))
}
