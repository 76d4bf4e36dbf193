//! What is wrong at a place of a book.

use yane_io::Map;

/// A place of a file that is not as the format demands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {reason}")]
pub struct Fault {
    /// Where the wrong bytes begin, from the start of the file.
    pub offset: u64,
    /// What was expected, and what is there.
    pub reason: String,
}

impl Fault {
    /// A fault at a place.
    pub fn new(offset: u64, reason: impl Into<String>) -> Self {
        Self {
            offset,
            reason: reason.into(),
        }
    }

    /// The fault with the name of its file.
    pub fn of(self, map: &Map) -> yane_io::Error {
        map.error(self.offset, self.reason)
    }
}
