//! A book that was worked on as a file.

use std::path::Path;

use yane_io::{Job, Result};

use super::side::{SideCar, fingerprint};
use super::sink::{EdaxFile, EgaroucidFile, Original};
use super::told::Told;
use super::{ForEdax, Input, Opened, Reading, Writing};
use crate::Format;
use crate::convert::links::LeftOut;
use crate::convert::{Leaves, each_edax, each_made, left_out};
use crate::egaroucid::Version;
use crate::store::Positions;

/// What was written, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Positions that the book has.
    pub positions: u64,
    /// Positions that have no room in the format, or, in a book for Edax, of which no move is known.
    pub left_out: u64,
    /// Positions in the side-car.
    pub side_car: u64,
    /// What only a book for Edax has.
    pub for_edax: Option<ForEdax>,
}

/// Writes a book, in the order of its boards. Links for Edax follow from the positions that are there. With `dry_run`
/// it is only counted.
///
/// # Errors
///
/// A file that cannot be written, more positions than the format can count.
pub fn save(
    book: &impl Positions,
    output: &Path,
    dry_run: bool,
    writing: Writing,
) -> Result<Saved> {
    save_of(book, None, output, dry_run, writing)
}

/// As [`save`], for a book that was read from `input` and worked on: if all of its positions are what they were, and the
/// format too, it is written as it was, byte for byte.
///
/// # Errors
///
/// As [`save`], and if `input` cannot be read.
pub fn save_changed(
    opened: &Opened,
    input: &Input,
    reading: Reading,
    (output, dry_run): (&Path, bool),
    writing: Writing,
    job: &Job,
) -> Result<Saved> {
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
    save_of(&opened.rows, original, output, dry_run, writing)
}

fn save_of(
    book: &impl Positions,
    original: Option<Original<'_>>,
    output: &Path,
    dry_run: bool,
    writing: Writing,
) -> Result<Saved> {
    let (mut saved, header) = (Saved::default(), book.header());
    let mut side = SideCar::new(output, writing.format, !dry_run, header);
    match writing.format {
        Format::Edax | Format::EdaxText => {
            let is_text = writing.format == Format::EdaxText;
            let path = (!dry_run).then_some(output);
            let mut file = EdaxFile::create(path, is_text, header)?;
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
        Format::Egaroucid(version) => {
            let mut file = EgaroucidFile::create(output, !dry_run, version)?;
            saved.left_out = put_all(book, writing.level, &mut file)?;
            saved.positions = file.len();
            if writing.side_car && header.is_some() && version == Version::Egbk3 {
                let each = &mut |record| side.put_record(&record);
                each_edax(book, None, Leaves::AsTheyAre, each)?;
            }
            saved.side_car = side.len();
            side.finish(file.fingerprint())?;
            file.finish(original)?;
        }
    }
    Ok(saved)
}

/// Writes records for Edax, and entries as Egaroucid has them to the side-car.
fn put_records(
    book: &impl Positions,
    writing: Writing,
    file: &mut EdaxFile,
    mut side: Option<&mut SideCar>,
    saved: &mut Saved,
) -> Result<()> {
    let mut for_edax = ForEdax::default();
    let left_out = (writing.leaves == Leaves::Complete).then(|| left_out(book));
    let left_out = left_out.as_ref();
    each_made(book, writing.level, left_out, &mut |made| {
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
    saved.left_out = left_out.map_or(0, LeftOut::count);
    saved.for_edax = Some(for_edax);
    Ok(())
}

/// Writes what Egaroucid has room for; how many positions it has none for.
fn put_all(book: &impl Positions, level: Option<u8>, file: &mut EgaroucidFile) -> Result<u64> {
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
        if Told::Egaroucid(entry.clone()).fits_egaroucid() {
            file.put(&entry)?;
        } else {
            left_out += 1;
        }
    }
    Ok(left_out)
}
