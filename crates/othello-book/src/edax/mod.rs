//! Edax's `book.dat`: a header of 42 bytes and records of 42 bytes and 2 for each link, to the end of the file.
//!
//! Little endian throughout. The order of records is that of a hash table, which means nothing; of two records of one
//! board, Edax keeps the first.

mod header;
mod record;

pub use header::{Date, Header};
pub use record::{Record, RecordRef};

use crate::Fault;

/// A book as the bytes of its file.
#[derive(Clone, Debug)]
pub struct Book<'a> {
    /// What stands before the records.
    pub header: Header,
    bytes: &'a [u8],
}

impl<'a> Book<'a> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// Bytes that are no book of Edax, one of the other byte order, or one of another version.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let header = Header::read(bytes)?;
        Ok(Self { header, bytes })
    }

    /// The records in the order of the file.
    pub const fn records(&self) -> Records<'a> {
        Records::new(self.bytes, Header::LEN)
    }
}

/// The records of a book. Behind a fault it goes on with the next record, except behind one that the end of the file
/// cuts off.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Records<'a> {
    /// The records that begin at a place of the file.
    pub(crate) const fn new(bytes: &'a [u8], next: usize) -> Self {
        Self { bytes, next }
    }

    /// Where the next record begins.
    pub const fn offset(&self) -> u64 {
        self.next as u64
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<RecordRef<'a>, Fault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.next..).filter(|r| !r.is_empty())?;
        let start = self.next;
        match RecordRef::framed(rest, start) {
            Ok(record) => {
                self.next += record.len();
                Some(record.checked().map(|()| record))
            }
            Err(fault) => {
                self.next = self.bytes.len();
                Some(Err(fault))
            }
        }
    }
}
