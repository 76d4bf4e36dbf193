//! Side-cars: where they are, and what is in them.
//!
//! A side-car is a file of its own format, so that no program takes it for a book. Little endian, 64 bytes first:
//!
//! | byte | what |
//! |---|---|
//! | 0 | `SIDE-CAR` |
//! | 8 | the version, 2 |
//! | 9 | what it holds: 0 records of Edax, 1 entries of Egaroucid |
//! | 16 | the fingerprint of the book that it belongs to: how many records, and the sum of their hashes |
//! | 40 | likewise of the side-car's own records |
//!
//! Records of Edax are behind it as in a `book.dat`, with its header. Entries of Egaroucid are those of an `.egbk3`, each
//! with a byte that is 1 if the position was left out of the book, and a check number of the record that was written for
//! it.
//!
//! Version 1 was a book as such, without anything that tells whose it is.

mod belongs;
mod read;
mod write;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use belongs::{Belongs, fingerprint};
pub(crate) use read::{Aside, SideFile};
pub(crate) use write::SideCar;

use crate::Format;
use crate::edax::Record;
use crate::fingerprint::Fingerprint;

/// The first bytes of a side-car.
pub(crate) const SIDE_CAR_MAGIC: [u8; 8] = *b"SIDE-CAR";

/// The version that is written.
const VERSION: u8 = 2;

/// Bytes of an entry: those of an `.egbk3`, whether it was left out, the check number.
const ENTRY: usize = 25 + 1 + 4;

/// What stands before the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    holds: Holds,
    /// The book that it belongs to.
    book: Fingerprint,
    /// Its own records.
    own: Fingerprint,
}

/// What a side-car holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Records,
    Entries,
}

impl Head {
    const LEN: usize = 64;

    fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&SIDE_CAR_MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.holds as u8;
        bytes[16..40].copy_from_slice(&self.book.to_bytes());
        bytes[40..64].copy_from_slice(&self.own.to_bytes());
        bytes
    }
}

/// The side-car that a book in a format has: its name and `.side.dat` or `.side.egbk3`, whichever is the other
/// program's.
pub fn side_car_of(book: &Path, format: Format) -> PathBuf {
    let mut name = book.file_name().map_or_else(OsString::new, OsString::from);
    name.push(match format {
        Format::Edax | Format::EdaxText => ".side.egbk3",
        Format::Egaroucid(_) => ".side.dat",
    });
    book.with_file_name(name)
}

/// The book that a file is the side-car of, by its name: `book.egbk3` for `book.egbk3.side.dat`. `None` for other names.
pub fn book_of_side_car(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    let book = [".side.dat", ".side.egbk3"].iter().find_map(|end| {
        let len = lower.strip_suffix(end)?.len();
        Some(path.with_file_name(&name[..len]))
    })?;
    let extension = book.extension()?.to_str()?;
    let side = side_car_of(&book, Format::of_extension(extension)?);
    let is_its = side.file_name()?.to_str()?.eq_ignore_ascii_case(name);
    is_its.then_some(book)
}

/// The check number of what was written for an entry: all of the record but its links, which follow from the book.
pub(crate) fn check_number(record: &Record) -> u32 {
    let mut sum = Fingerprint::default();
    let mut bytes = Vec::with_capacity(42);
    let bare = Record {
        links: Vec::new(),
        ..*record
    };
    bare.write_to(&mut bytes);
    sum.add(&bytes);
    sum.sum as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egaroucid::Version;

    #[test]
    fn names_of_side_cars_are_told_from_those_of_books() {
        for (book, format) in [
            ("a/b.dat", Format::Edax),
            ("b.egbk3", Format::Egaroucid(Version::Egbk3)),
            ("B.EGBK", Format::Egaroucid(Version::Egbk)),
            ("x.side.dat", Format::Edax),
        ] {
            let book = Path::new(book);
            assert_eq!(
                book_of_side_car(&side_car_of(book, format)).as_deref(),
                Some(book)
            );
            assert_eq!(book_of_side_car(book), None);
        }
        for name in [
            "side.dat",
            "x.side.egbk3",
            "b.dat.side.dat",
            "b.txt.side.egbk2",
        ] {
            assert_eq!(book_of_side_car(Path::new(name)), None, "{name}");
        }
    }
}
