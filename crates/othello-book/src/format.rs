//! Which format a file has.

use std::path::Path;

use yane_io::Map;
use yane_io::sniff::{FileKind, Head};

use crate::edax;
use crate::egaroucid::{self, Version};
use crate::files::{SIDE_CAR_MAGIC, book_of_side_car};
use crate::{Fault, text};

/// What is wrong with bytes that are of no format that is known.
const NO_BOOK: &str = "not a book of Edax or of Egaroucid";

/// A format of books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Edax's `book.dat`.
    Edax,
    /// Edax's text form, which `book export` writes and `book import` reads: boards, levels and leaves.
    EdaxText,
    /// One of Egaroucid's.
    Egaroucid(Version),
}

impl Format {
    /// The format of the bytes of a file, told by how they begin.
    ///
    /// # Errors
    ///
    /// Bytes of no format that is known.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.starts_with(&SIDE_CAR_MAGIC) {
            return Err(Fault::new(0, "a side-car, which is no book of its own"));
        }
        match edax::Book::new(bytes) {
            Ok(_) => return Ok(Self::Edax),
            // It says that it is one, but of another kind.
            Err(fault) if bytes.starts_with(b"XADE") || bytes.starts_with(b"EDAX") => {
                return Err(fault);
            }
            Err(_) => {}
        }
        match egaroucid::Book::new(bytes) {
            Ok(book) => Ok(Self::Egaroucid(book.version)),
            Err(fault) if fault.offset > 0 => Err(fault),
            Err(_) if text::is_edax_text(bytes) => Ok(Self::EdaxText),
            Err(_) => Err(Fault::new(0, NO_BOOK)),
        }
    }

    /// The format of a file. An `.egbk` that is cut off or has bytes too many is told by its name; so is a side-car,
    /// which is no book of its own.
    ///
    /// # Errors
    ///
    /// Bytes of no format that is known, a side-car.
    pub fn of_file(map: &Map) -> yane_io::Result<Self> {
        let path = map.path();
        if let Some(book) = book_of_side_car(path) {
            let reason = format!(
                "the side-car of {}, which is no book of its own",
                book.display()
            );
            return Err(yane_io::Error::file(path, reason));
        }
        let may_be_egbk = || {
            let magic = [&b"XADE"[..], b"EDAX", &SIDE_CAR_MAGIC];
            Self::of_name(path) == Some(Self::EGBK)
                && !magic.iter().any(|magic| map.starts_with(magic))
        };
        match Self::of_bytes(map) {
            Err(fault) if fault.offset == 0 && may_be_egbk() => {
                let book = egaroucid::Book::of_egbk(map).map_err(|fault| fault.of(map))?;
                Ok(Self::Egaroucid(book.version))
            }
            Err(fault) if fault.reason == NO_BOOK => {
                let FileKind { name, advice, .. } = FileKind::of(&Head::of(map), &[]);
                let stop = if advice.is_empty() { "" } else { "; " };
                let reason = format!("{NO_BOOK}: this is {name}{stop}{advice}");
                Err(Fault::new(0, reason).of(map))
            }
            found => found.map_err(|fault| fault.of(map)),
        }
    }

    const EGBK: Self = Self::Egaroucid(Version::Egbk);

    /// The format that a file has by its name.
    fn of_name(path: &Path) -> Option<Self> {
        Self::of_extension(path.extension()?.to_str()?)
    }

    /// The format that files with this ending have: `dat`, `txt`, `egbk3`, `egbk2`, `egbk`, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "dat" => Self::Edax,
            "txt" => Self::EdaxText,
            "egbk3" => Self::Egaroucid(Version::Egbk3),
            "egbk2" => Self::Egaroucid(Version::Egbk2),
            "egbk" => Self::EGBK,
            _ => return None,
        })
    }
}
