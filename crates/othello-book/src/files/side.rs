//! Where a side-car is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Format;

/// The side-car that a book in a format has: its name and `.side.dat` or `.side.egbk3`, whichever is the other
/// program's.
pub fn side_car_of(book: &Path, format: Format) -> PathBuf {
    let mut name = book.file_name().map_or_else(OsString::new, OsString::from);
    name.push(match format {
        Format::Edax => ".side.egbk3",
        Format::Egaroucid(_) => ".side.dat",
    });
    book.with_file_name(name)
}
