//! Loading of books: into memory, to disk for work, and for counting.

use othello_core::Board;
use yane_io::{Job, Result, TempFolder};

use crate::BookFormat;
use crate::convert::links::{edax_searches, links};
use crate::convert::{LeafImport, from_edax, record_of};
use crate::egaroucid::EgaroucidRecord;
use crate::files::convert::sort;
use crate::files::input::BookInput;
use crate::files::merge;
use crate::files::options::BookReadOptions;
use crate::files::position::BookPosition;
use crate::files::report::BookMergeReport;
use crate::files::side_car::SideCarPosition;
use crate::ops::OthelloBookInfo;
use crate::store::{DiskBook, DiskBookWriter, EdaxIndex, MemoryBook, PositionData};

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
