//! Lookups of a few positions in a book.

use othello_core::Board;
use yane_io::{Job, Map, Result, TempFolder, Unit};

use crate::convert::LeafImport;
use crate::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use crate::files::input::{BookInput, BookReadOptions};
use crate::files::load::open;
use crate::store::{DiskBook, EdaxIndex, OnDamage, PositionData, PositionLookup};
use crate::{BookFormat, edax, egaroucid};

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
    let map = &input.map;
    input.damaged_lines(reading.damage)?;
    if input.has_no_side_car() && reading.leaf_import == LeafImport::Keep {
        let backend = match input.format {
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
