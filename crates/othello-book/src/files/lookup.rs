//! Lookups of a few positions in a book, in its own file where that can be.

use std::path::Path;

use othello_core::Board;
use yane_io::{Error, Job, Map, MemoryFiles, Result, TempFolder, Unit};

use crate::BookFormat;
use crate::convert::LeafImport;
use crate::edax::EdaxBook;
use crate::egaroucid::{EgaroucidBook, EgaroucidRecord, EgaroucidVersion};
use crate::files::input::BookInput;
use crate::files::load::open;
use crate::files::options::BookReadOptions;
use crate::files::sliced::SlicedBook;
use crate::store::{
    DiskBook, EdaxIndex, OnDamage, PositionData, PositionLookup, PositionStore as _,
};

/// A book of any size for lookups, by the fastest way for its file.
#[derive(Debug)]
pub struct BookLookup<'a> {
    map: &'a Map,
    finder: Finder,
}

/// A book for lookups that holds its file, which is closed with it.
#[derive(Debug)]
pub struct OwnedLookup(Owned);

#[derive(Debug)]
enum Owned {
    Whole {
        input: Box<BookInput>,
        finder: Finder,
    },
    Sliced(Box<SlicedBook>),
}

/// Opens a book for lookups. The answers are those of [`open`], which is used only where the file alone
/// does not suffice (side-cars, leaves that become positions, boards that are not canonical, unsorted or
/// variable-length records of Egaroucid), with temporary files.
///
/// # Errors
///
/// As [`open`].
pub fn open_for_lookup<'a>(
    input: &'a BookInput,
    reading: BookReadOptions,
    folder: impl Into<TempFolder>,
    job: &Job,
) -> Result<BookLookup<'a>> {
    let finder = Finder::of(input, reading, folder.into(), job)?;
    let map = &input.file.map;
    Ok(BookLookup { map, finder })
}

/// [`open_for_lookup`] of a file. One of [slices](MemoryFiles::put_sliced) is looked up in them, if it is a book of Edax or an `.egbk3` or `.egbk` as
/// these programs write them.
///
/// # Errors
///
/// As [`BookInput::open`] and [`open`]; a file of slices that has to be read as a whole.
pub fn open_owned(
    path: &Path,
    reading: BookReadOptions,
    folder: impl Into<TempFolder>,
    job: &Job,
) -> Result<OwnedLookup> {
    if let Some(file) = MemoryFiles::sliced(path) {
        let book = SlicedBook::open(path, file, reading.egbk_level, job)?;
        return Ok(OwnedLookup(Owned::Sliced(Box::new(book))));
    }
    let input = Box::new(BookInput::open(path)?);
    let finder = Finder::of(&input, reading, folder.into(), job)?;
    Ok(OwnedLookup(Owned::Whole { input, finder }))
}

impl OwnedLookup {
    /// The format of the file.
    pub fn format(&self) -> BookFormat {
        match &self.0 {
            Owned::Whole { input, .. } => input.file_format(),
            Owned::Sliced(book) => book.format(),
        }
    }

    /// Returns whether the file is looked up in slices, so that it cannot be written anew.
    pub const fn is_sliced(&self) -> bool {
        matches!(self.0, Owned::Sliced(_))
    }

    /// Takes the first error of the look-ups since the last call, which found nothing then: a file of slices may be gone.
    pub fn take_trouble(&self) -> Option<Error> {
        match &self.0 {
            Owned::Whole { .. } => None,
            Owned::Sliced(book) => book.take_trouble(),
        }
    }

    /// The number of positions.
    pub fn count(&self) -> u64 {
        match &self.0 {
            Owned::Whole {
                finder: Finder::Disk(rows),
                ..
            } => rows.count(),
            Owned::Whole { finder, .. } => finder.bound().into(),
            Owned::Sliced(book) => book.bound().into(),
        }
    }
}

impl PositionLookup for BookLookup<'_> {
    fn find(&self, board: Board) -> Option<u32> {
        self.finder.find(self.map, board)
    }

    fn bound(&self) -> u32 {
        self.finder.bound()
    }

    fn known(&self, number: u32) -> PositionData {
        self.finder.known(self.map, number)
    }
}

impl PositionLookup for OwnedLookup {
    fn find(&self, board: Board) -> Option<u32> {
        match &self.0 {
            Owned::Whole { input, finder } => finder.find(&input.file.map, board),
            Owned::Sliced(book) => book.find(board),
        }
    }

    fn bound(&self) -> u32 {
        match &self.0 {
            Owned::Whole { finder, .. } => finder.bound(),
            Owned::Sliced(book) => book.bound(),
        }
    }

    fn known(&self, number: u32) -> PositionData {
        match &self.0 {
            Owned::Whole { input, finder } => finder.known(&input.file.map, number),
            Owned::Sliced(book) => book.known(number),
        }
    }
}

/// What finds positions in the bytes of a book.
#[derive(Debug)]
enum Finder {
    /// In an Edax book.
    Indexed(Box<EdaxIndex<'static>>),
    /// In an Egaroucid book with its records sorted by board.
    Sorted(SortedRecords),
    /// In the positions of any other book.
    Disk(Box<DiskBook>),
}

impl Finder {
    fn of(
        input: &BookInput,
        reading: BookReadOptions,
        folder: TempFolder,
        job: &Job,
    ) -> Result<Self> {
        let map = &input.file.map;
        input.file.damaged_lines(reading.damage)?;
        if input.has_no_side_car() && reading.leaf_import == LeafImport::Keep {
            let finder = match input.file.format {
                BookFormat::Edax | BookFormat::EdaxText => {
                    indexed(map, reading.damage, job)?.map(Self::Indexed)
                }
                BookFormat::Egaroucid(_) => {
                    SortedRecords::of(map, reading.egbk_level, job)?.map(Self::Sorted)
                }
            };
            if let Some(finder) = finder {
                return Ok(finder);
            }
        }
        let opened = open(input, reading, folder, job)?;
        Ok(Self::Disk(Box::new(opened.book)))
    }

    fn find(&self, bytes: &[u8], board: Board) -> Option<u32> {
        let canonical = || board.canonical().board;
        match self {
            Self::Indexed(index) => Some(index.find_in(bytes, canonical())?.slot.number() as u32),
            Self::Sorted(sorted) => sorted.find(bytes, canonical()),
            Self::Disk(rows) => rows.find(board),
        }
    }

    fn bound(&self) -> u32 {
        match self {
            Self::Indexed(index) => index.len() as u32,
            Self::Sorted(sorted) => sorted.count,
            Self::Disk(rows) => rows.bound(),
        }
    }

    fn known(&self, bytes: &[u8], number: u32) -> PositionData {
        match self {
            Self::Indexed(index) => {
                let record = index.record_in(bytes, number.into());
                record.map(|record| PositionData::from(&record.to_record()))
            }
            Self::Sorted(sorted) => {
                let entry = sorted.entry(bytes, number);
                entry.map(|entry| PositionData::from(&entry))
            }
            Self::Disk(rows) => Some(rows.known(number)),
        }
        .unwrap_or_default()
    }
}

/// The index of an Edax book, if all of its boards are canonical.
fn indexed(map: &Map, damage: OnDamage, job: &Job) -> Result<Option<Box<EdaxIndex<'static>>>> {
    let book = EdaxBook::new(map).map_err(|error| error.in_file(map))?;
    let mut records = book.records().flatten();
    let fits = map.len() as u64 <= EdaxIndex::MAX_FILE;
    if !fits || !records.all(|record| record.board().is_canonical()) {
        return Ok(None);
    }
    let index = Box::new(EdaxIndex::new(map, damage, job)?.detached());
    Ok(u32::try_from(index.len()).is_ok().then_some(index))
}

/// Fixed-length records of Egaroucid, sorted by their boards, which are canonical.
#[derive(Debug)]
struct SortedRecords {
    version: EgaroucidVersion,
    count: u32,
    egbk_level: i8,
}

impl SortedRecords {
    /// `None` if the book is not like that, or is damaged.
    fn of(map: &Map, egbk_level: i8, job: &Job) -> Result<Option<Self>> {
        const STEP: u32 = 1 << 16;
        let book = EgaroucidBook::new(map).map_err(|error| error.in_file(map));
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
            version: book.version,
            count,
            egbk_level,
        }))
    }

    fn entry(&self, bytes: &[u8], number: u32) -> Option<EgaroucidRecord> {
        let mut entry = EgaroucidRecord::at(self.version, bytes, number as usize)?;
        if self.version == EgaroucidVersion::Egbk {
            entry.level = self.egbk_level;
        }
        Some(entry)
    }

    fn find(&self, bytes: &[u8], board: Board) -> Option<u32> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.entry(bytes, middle)?.board;
            match found.cmp(&board) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}
