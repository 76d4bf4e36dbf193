//! The format of a book by its first bytes, or by its name.

use yane_io::Map;
use yane_io::sniff::{FileKind, Head};

use crate::bytes::FormatError;
use crate::files::{SIDE_CAR_MAGIC, book_of_side_car};
use crate::format::BookFormat;
use crate::{edax, egaroucid, text};

/// The error for an unknown format.
const NO_BOOK: &str = "not a book of Edax or of Egaroucid";

impl BookFormat {
    /// Recognises the format by the first bytes of a file.
    ///
    /// # Errors
    ///
    /// An unknown format.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        if bytes.starts_with(&SIDE_CAR_MAGIC) {
            return Err(FormatError::new(
                0,
                "a side-car, which is no book of its own",
            ));
        }
        match edax::EdaxBook::new(bytes) {
            Ok(_) => return Ok(Self::Edax),
            // A book of Edax of another version or byte order.
            Err(error) if bytes.starts_with(b"XADE") || bytes.starts_with(b"EDAX") => {
                return Err(error);
            }
            Err(_) => {}
        }
        match egaroucid::EgaroucidBook::new(bytes) {
            Ok(book) => Ok(Self::Egaroucid(book.version)),
            Err(error) if error.offset > 0 => Err(error),
            Err(_) if text::is_edax_text(bytes) => Ok(Self::EdaxText),
            Err(_) => Err(FormatError::new(0, NO_BOOK)),
        }
    }

    /// Recognises the format of a file. A truncated `.egbk` and a side-car are recognised by name.
    ///
    /// # Errors
    ///
    /// An unknown format, or a side-car, which is not a book.
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
            Err(error) if error.offset == 0 && may_be_egbk() => {
                let book =
                    egaroucid::EgaroucidBook::of_egbk(map).map_err(|error| error.in_file(map))?;
                Ok(Self::Egaroucid(book.version))
            }
            Err(error) if error.reason == NO_BOOK => {
                let FileKind { name, advice, .. } = FileKind::of(&Head::of(map), &[]);
                let stop = if advice.is_empty() { "" } else { "; " };
                let reason = format!("{NO_BOOK}: this is {name}{stop}{advice}");
                Err(FormatError::new(0, reason).in_file(map))
            }
            found => found.map_err(|error| error.in_file(map)),
        }
    }
}
