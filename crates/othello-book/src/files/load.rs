//! Loading of books: into memory, to disk for work, for counting, and for lookups of a few positions.

use othello_core::Board;
use yane_io::{Job, Map, Result, TempFolder, Unit};

use crate::convert::links::{edax_searches, links};
use crate::convert::{LeafImport, from_edax, record_of};
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::convert::sort;
use crate::files::input::BookInput;
use crate::files::merge;
use crate::files::options::BookReadOptions;
use crate::files::position::BookPosition;
use crate::files::report::BookMergeReport;
use crate::files::side_car::SideCarPosition;
use crate::ops::OthelloBookInfo;
use crate::store::{
    DiskBook, DiskBookWriter, EdaxIndex, MemoryBook, OnDamage, PositionData, PositionLookup,
};
use crate::{BookFormat, edax, egaroucid};

/// A book in memory.
#[derive(Debug, Default)]
pub struct LoadedBook {
    /// The positions.
    pub book: MemoryBook,
    /// Damaged records that were skipped.
    pub damaged: u64,
    /// Positions restored from the side-car.
    pub restored: u64,
}

/// Loads a book into memory, with its side-car. Of duplicates, the first counts in a book of Edax; the one of the
/// highest level, then the last, in one of Egaroucid.
///
/// # Errors
///
/// Damage that is not to be skipped, a file that cannot be read, [`yane_io::Error::Cancelled`].
pub fn load(input: &BookInput, reading: BookReadOptions, job: &Job) -> Result<LoadedBook> {
    load_some(input, reading, &|_| true, job)
}

/// [`load`] of the positions whose canonical board is `wanted`.
///
/// # Errors
///
/// As [`load`].
pub fn load_some(
    input: &BookInput,
    reading: BookReadOptions,
    wanted: &dyn Fn(Board) -> bool,
    job: &Job,
) -> Result<LoadedBook> {
    let mut loaded = LoadedBook::default();
    let table = &mut loaded.book;
    loaded.damaged = input.file.for_each(reading, job, &mut |position| {
        if !wanted(position.board().canonical().board) && reading.leaf_import == LeafImport::Keep {
            return Ok(());
        }
        match position {
            BookPosition::Edax(record) if reading.leaf_import == LeafImport::Keep => {
                if table.get(record.board).is_none() {
                    table.insert(record.board, PositionData::from(&record));
                }
            }
            BookPosition::Edax(record) => from_edax(table, &record, reading.leaf_import),
            BookPosition::Egaroucid(entry) => {
                table.merge(entry.board, PositionData::from(&entry));
            }
        }
        Ok(())
    })?;
    if reading.leaf_import == LeafImport::Keep {
        loaded.damaged += input.for_each_side_car(reading, job, &mut |original| {
            if wanted(original.position.board()) {
                loaded.restored += u64::from(restore(table, &original));
            }
            Ok(())
        })?;
    }
    table.header = input.header();
    Ok(loaded)
}

/// Restores the position of a side-car, if the book still has what was made of it.
fn restore(table: &mut MemoryBook, original: &SideCarPosition) -> bool {
    let side = &original.position;
    let board = side.board();
    let Some(known) = table.get(board).copied() else {
        if original.comes_back {
            table.insert(board, side.known());
        }
        return original.comes_back;
    };
    let now = match side {
        BookPosition::Edax(_) => BookPosition::Egaroucid(known.entry(board)),
        BookPosition::Egaroucid(_) => {
            let mut record = record_of(board, &known, None);
            record.links = links(table, board);
            record
                .links
                .retain(|link| link.number != record.leaf.number);
            BookPosition::Edax(record)
        }
    };
    let is_back = now.is_derived_from(original);
    if is_back {
        table.insert(board, side.restored(known));
    }
    is_back
}

/// Counts the contents of a book; returns the number of damaged records too. Duplicates count each. A book of Edax
/// needs an index, 5.5 bytes a position, to count what Edax will search.
///
/// # Errors
///
/// As [`load`].
pub fn info(
    input: &BookInput,
    reading: BookReadOptions,
    job: &Job,
) -> Result<(OthelloBookInfo, u64)> {
    let mut info = OthelloBookInfo::default();
    let damaged = input.file.for_each(reading, job, &mut |position| {
        info.add(position.board(), &position.known());
        if let BookPosition::Edax(record) = &position {
            *info.links.entry(record.links.len()).or_default() += 1;
        } else if let BookPosition::Egaroucid(EgaroucidRecord { links, .. }) = &position
            && !links.is_empty()
        {
            *info.links.entry(links.len()).or_default() += 1;
        }
        Ok(())
    })?;
    if input.file.format == BookFormat::Edax && input.file.map.len() as u64 <= EdaxIndex::MAX_FILE {
        info.edax_searches = Some(searches(input, reading, job)?);
    }
    Ok((info, damaged))
}

/// The number of positions that Edax's `book fix` will search.
fn searches(input: &BookInput, reading: BookReadOptions, job: &Job) -> Result<u64> {
    let damage = reading.damage;
    let index = EdaxIndex::new(&input.file.map, damage, job)?;
    let mut count = 0;
    input.file.for_each(reading, job, &mut |position| {
        if let BookPosition::Edax(record) = position {
            count += u64::from(edax_searches(&record, &index));
        }
        Ok(())
    })?;
    Ok(count)
}

/// A book opened for changes.
#[derive(Debug)]
pub struct OpenedBook {
    /// The positions.
    pub book: DiskBook,
    /// Damaged records that were skipped.
    pub damaged: u64,
    /// Duplicate records.
    pub repeated: u64,
    /// Positions restored from the side-car.
    pub restored: u64,
}

/// Opens a book of any size for changes, as [`load`](super::load) does. What exceeds the memory of the job goes to
/// temporary files of up to twice the size of the book.
///
/// # Errors
///
/// As [`load`](super::load), and of the temporary files.
pub fn open(
    input: &BookInput,
    reading: BookReadOptions,
    folder: impl Into<TempFolder>,
    job: &Job,
) -> Result<OpenedBook> {
    let mut report = BookMergeReport::default();
    let inputs = std::slice::from_ref(input);
    // Half for sorting, half for positions.
    let half = Job {
        memory: job.memory / 2,
        ..job.clone()
    };
    let folder = folder.into();
    let sorted = sort(inputs, &folder, reading, &half, &mut report)?;
    let mut writer = DiskBookWriter::new(&folder, half.memory);
    let counts = merge::for_each_merged(sorted, &mut |merged| {
        writer.put(merged.board, &merged.known)
    })?;
    let rows = writer.finish(input.header(), job)?;
    Ok(OpenedBook {
        book: rows.map_err(|error| error.in_file(input.file.map.path()))?,
        damaged: report.damaged,
        repeated: counts.repeated,
        restored: counts.restored,
    })
}

// Lookups of a few positions in a book.

/// A book of any size for lookups, by the fastest way for its file.
#[derive(Debug)]
pub struct BookLookup<'a>(Backend<'a>);

#[derive(Debug)]
enum Backend<'a> {
    /// An Edax book in its file.
    Indexed(EdaxIndex<'a>),
    /// An Egaroucid book with its records sorted by board, in its file.
    Sorted(SortedFile<'a>),
    /// Any other book.
    Disk(Box<DiskBook>),
}

/// Opens a book for lookups. The answers are those of [`open`](super::open), which is used only where the file alone
/// does not suffice (side-cars, leaves that become positions, boards that are not canonical, unsorted or
/// variable-length records of Egaroucid), with temporary files.
///
/// # Errors
///
/// As [`open`](super::open).
pub fn open_for_lookup<'a>(
    input: &'a BookInput,
    reading: BookReadOptions,
    folder: impl Into<TempFolder>,
    job: &Job,
) -> Result<BookLookup<'a>> {
    let map = &input.file.map;
    input.file.damaged_lines(reading.damage)?;
    if input.has_no_side_car() && reading.leaf_import == LeafImport::Keep {
        let backend = match input.file.format {
            BookFormat::Edax | BookFormat::EdaxText => {
                indexed(map, reading.damage, job)?.map(Backend::Indexed)
            }
            BookFormat::Egaroucid(_) => {
                SortedFile::of(map, reading.egbk_level, job)?.map(Backend::Sorted)
            }
        };
        if let Some(backend) = backend {
            return Ok(BookLookup(backend));
        }
    }
    let opened = open(input, reading, folder, job)?;
    Ok(BookLookup(Backend::Disk(Box::new(opened.book))))
}

/// The index of an Edax book, if all of its boards are canonical.
fn indexed<'a>(map: &'a Map, damage: OnDamage, job: &Job) -> Result<Option<EdaxIndex<'a>>> {
    let book = edax::EdaxBook::new(map).map_err(|error| error.in_file(map))?;
    let mut records = book.records().flatten();
    let fits = map.len() as u64 <= EdaxIndex::MAX_FILE;
    if !fits || !records.all(|record| record.board().is_canonical()) {
        return Ok(None);
    }
    let index = EdaxIndex::new(map, damage, job)?;
    Ok(u32::try_from(index.len()).is_ok().then_some(index))
}

/// A file of fixed-length records sorted by their boards, which are canonical.
#[derive(Debug)]
struct SortedFile<'a> {
    book: egaroucid::EgaroucidBook<'a>,
    count: u32,
    egbk_level: i8,
}

impl<'a> SortedFile<'a> {
    /// `None` if the book is not like that, or is damaged.
    fn of(map: &'a Map, egbk_level: i8, job: &Job) -> Result<Option<Self>> {
        const STEP: u32 = 1 << 16;
        let book = egaroucid::EgaroucidBook::new(map).map_err(|error| error.in_file(map));
        // A truncated .egbk is damaged.
        let Ok(book) = book else { return Ok(None) };
        if book.version == EgaroucidVersion::Egbk2 {
            return Ok(None);
        }
        let stage = "reading";
        let total = book.count() as u64;
        job.progress.stage(stage, Some(total), Unit::Positions);
        let (mut before, mut count) = (None, 0u32);
        for entry in book.entries() {
            let Ok(EgaroucidRecord { board, .. }) = entry else {
                return Ok(None);
            };
            if before >= Some(board) || !board.is_canonical() {
                return Ok(None);
            }
            before = Some(board);
            count += 1;
            if count.is_multiple_of(STEP) {
                job.progress.advance(STEP.into());
                job.check()?;
            }
        }
        Ok(Some(Self {
            book,
            count,
            egbk_level,
        }))
    }

    fn entry(&self, number: u32) -> Option<EgaroucidRecord> {
        let mut entry = self.book.entry(number as usize)?;
        if self.book.version == EgaroucidVersion::Egbk {
            entry.level = self.egbk_level;
        }
        Some(entry)
    }

    fn find(&self, board: Board) -> Option<u32> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.entry(middle)?.board;
            match found.cmp(&board) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

impl PositionLookup for BookLookup<'_> {
    fn find(&self, board: Board) -> Option<u32> {
        let canonical = || board.canonical().board;
        match &self.0 {
            Backend::Indexed(index) => Some(index.find(canonical())?.slot.number() as u32),
            Backend::Sorted(sorted) => sorted.find(canonical()),
            Backend::Disk(rows) => rows.find(board),
        }
    }

    fn bound(&self) -> u32 {
        match &self.0 {
            Backend::Indexed(index) => index.len() as u32,
            Backend::Sorted(sorted) => sorted.count,
            Backend::Disk(rows) => rows.bound(),
        }
    }

    fn known(&self, number: u32) -> PositionData {
        match &self.0 {
            Backend::Indexed(index) => {
                let record = index.record(number.into());
                record.map(|record| PositionData::from(&record.to_record()))
            }
            Backend::Sorted(sorted) => sorted.entry(number).map(|entry| PositionData::from(&entry)),
            Backend::Disk(rows) => Some(rows.known(number)),
        }
        .unwrap_or_default()
    }
}
