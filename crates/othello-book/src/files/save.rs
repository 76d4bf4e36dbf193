//! A book that was worked on as a file.

use std::path::Path;

use yane_io::Result;

use super::Writing;
use super::sink::{EdaxFile, EgaroucidFile, SideCar};
use super::told::Told;
use crate::Format;
use crate::convert::{Leaves, each_edax};
use crate::egaroucid::Version;
use crate::store::Positions;

/// What was written, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Positions that the book has.
    pub positions: u64,
    /// Positions that have no room in the format.
    pub left_out: u64,
    /// Positions in the side-car.
    pub side_car: u64,
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
    let (mut saved, header) = (Saved::default(), book.header());
    let mut side = SideCar::new(output, writing.format, !dry_run, header);
    match writing.format {
        Format::Edax => {
            let path = (!dry_run).then_some(output);
            let mut file = EdaxFile::create(path, header)?;
            let (level, leaves) = (writing.level, writing.leaves);
            each_edax(book, level, leaves, &mut |record| file.put(&record))?;
            saved.positions = file.len();
            if writing.side_car && header.is_none() {
                put_entries(book, &mut side)?;
            }
            saved.side_car = side.len();
            side.finish()?;
            file.finish()?;
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
            side.finish()?;
            file.finish()?;
        }
    }
    Ok(saved)
}

fn put_entries(book: &impl Positions, side: &mut SideCar) -> Result<()> {
    for number in book.in_order() {
        if let Some(board) = book.board(number) {
            side.put_entry(&book.known(number).entry(board))?;
        }
    }
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
