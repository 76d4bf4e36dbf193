//! Errors of a format, with their byte.

use yane_io::Map;

/// A violation of a format at a byte of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {reason}")]
pub struct FormatError {
    /// The offset of the wrong bytes in the file.
    pub offset: u64,
    /// The expected and the found data.
    pub reason: String,
}

impl FormatError {
    /// An error at an offset.
    pub fn new(offset: u64, reason: impl Into<String>) -> Self {
        Self {
            offset,
            reason: reason.into(),
        }
    }

    /// The error with the name of its file.
    pub fn in_file(self, map: &Map) -> yane_io::Error {
        map.error(self.offset, self.reason)
    }
}
