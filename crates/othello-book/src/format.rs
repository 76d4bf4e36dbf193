//! Which format a file has.

use crate::Fault;
use crate::edax;
use crate::egaroucid::{self, Version};

/// A format of books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Edax's `book.dat`.
    Edax,
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
            Err(_) => Err(Fault::new(0, "not a book of Edax or of Egaroucid")),
        }
    }

    /// The format that files with this ending have: `dat`, `egbk3`, `egbk2`, `egbk`, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "dat" => Self::Edax,
            "egbk3" => Self::Egaroucid(Version::Egbk3),
            "egbk2" => Self::Egaroucid(Version::Egbk2),
            "egbk" => Self::Egaroucid(Version::Egbk),
            _ => return None,
        })
    }
}
