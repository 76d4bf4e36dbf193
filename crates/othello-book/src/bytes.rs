//! Numbers at places of a file, and what is wrong in one.

use std::path::Path;

use yane_io::Map;

// Errors of a format, with their byte.

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

/// More positions than fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooManyPositions {
    /// More than a format can count.
    #[error("{0} positions are more than the format can count")]
    Format(u64),
    /// More than an index takes.
    #[error("{0} positions are more than can be worked on")]
    Index(u64),
}

impl TooManyPositions {
    /// The error with the name of its file.
    pub fn in_file(self, path: &Path) -> yane_io::Error {
        yane_io::Error::file(path, self.to_string())
    }
}

// Little-endian numbers in byte slices, and boards in hexadecimal.

/// The `N` bytes at an offset; zeros beyond the end.
#[inline(always)]
pub(crate) fn at<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    bytes
        .get(place..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

/// The `u64` at an offset.
#[inline(always)]
pub(crate) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(at(bytes, place))
}

/// The `u32` at an offset.
#[inline(always)]
pub(crate) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(at(bytes, place))
}

/// The `i32` at an offset.
#[inline(always)]
pub(crate) fn i32_at(bytes: &[u8], place: usize) -> i32 {
    i32::from_le_bytes(at(bytes, place))
}

/// The `i16` at an offset.
#[inline(always)]
pub(crate) fn i16_at(bytes: &[u8], place: usize) -> i16 {
    i16::from_le_bytes(at(bytes, place))
}
