//! A network's file as it is read from the start to the end.

use crate::nnue::file::FileError;

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes from the file's beginning.
    pub(super) const fn offset(&self) -> usize {
        self.at
    }

    /// The bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next `count` bytes, which are `what`. `None` stands for more than there can be.
    pub(super) fn take(
        &mut self,
        count: Option<usize>,
        what: &'static str,
    ) -> Result<&'a [u8], FileError> {
        let rest = self.rest();
        match count.and_then(|count| rest.get(..count)) {
            Some(taken) => {
                self.at += taken.len();
                Ok(taken)
            }
            None => Err(FileError::Truncated {
                offset: self.at,
                what,
                needed: count.map_or(u64::MAX, |count| count as u64),
                left: rest.len(),
            }),
        }
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, FileError> {
        let bytes = self.take(Some(4), what)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// The next number without moving on.
    pub(super) fn peek_u32(&self) -> Option<u32> {
        self.clone().u32("").ok()
    }
}

/// Numbers of four bytes.
pub(super) fn i32s(bytes: &[u8]) -> impl Iterator<Item = i32> {
    bytes
        .chunks_exact(4)
        .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Numbers of two bytes.
pub(super) fn i16s(bytes: &[u8]) -> impl Iterator<Item = i16> {
    bytes
        .chunks_exact(2)
        .map(|b| i16::from_le_bytes([b[0], b[1]]))
}
