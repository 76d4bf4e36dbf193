//! Saving books.

use std::path::Path;

use yane_io::{Job, Result};

use crate::BookFormat;
use crate::convert::links::OmittedPositions;
use crate::convert::{LeafPolicy, for_each_converted, for_each_edax, left_out};
use crate::egaroucid::EgaroucidVersion;
use crate::files::output::{EdaxWriter, EgaroucidWriter, Original};
use crate::files::position::BookPosition;
use crate::files::side_car::{SideCarWriter, fingerprint};
use crate::files::{
    BookInput, BookOutputMode, BookReadOptions, BookWriteOptions, EdaxLeafReport, OpenedBook,
};
use crate::store::PositionStore;

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

/// Saves a book in the order of its boards. Links for Edax follow from the positions. In a dry run positions are only
/// counted.
///
/// # Errors
///
/// A file that cannot be written, more positions than the format can count.
pub fn save(
    book: &impl PositionStore,
    output: &Path,
    mode: BookOutputMode,
    writing: BookWriteOptions,
) -> Result<SaveReport> {
    save_of(book, None, output, mode, writing)
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
    (output, mode): (&Path, BookOutputMode),
    writing: BookWriteOptions,
    job: &Job,
) -> Result<SaveReport> {
    let is_whole = opened.damaged + opened.repeated == 0 && !input.file.is_text();
    let original = if is_whole && input.file.format == writing.format {
        Some(Original {
            map: &input.file.map,
            format: input.file.format,
            fingerprint: fingerprint(&input.file, reading, job)?,
        })
    } else {
        None
    };
    save_of(&opened.book, original, output, mode, writing)
}

pub(super) fn save_of(
    book: &impl PositionStore,
    original: Option<Original<'_>>,
    output: &Path,
    mode: BookOutputMode,
    writing: BookWriteOptions,
) -> Result<SaveReport> {
    let (mut saved, header) = (SaveReport::default(), book.header());
    let mut side = SideCarWriter::new(output, writing.format, mode.writes(), header);
    match writing.format {
        BookFormat::Edax | BookFormat::EdaxText => {
            let is_text = writing.format == BookFormat::EdaxText;
            let path = mode.writes().then_some(output);
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
            let mut file = EgaroucidWriter::create(output, mode.writes(), version)?;
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
pub(super) fn put_records(
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
pub(super) fn put_all(
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
