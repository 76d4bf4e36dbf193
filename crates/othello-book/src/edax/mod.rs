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
        let count = self.header.n_nodes;
        let expected = if count > 0 { count as u64 } else { 0 };
        Records::within(self.bytes, Header::LEN, expected)
    }
}

/// The records of a book. Behind a fault it goes on with the next record, except behind one that the end of the file
/// cuts off. Fewer records than the header counts are a fault at the end: such a file was cut between two. More are
/// none, as Edax reads all.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    next: usize,
    count: u64,
    /// How many the header counts; 0 once they were found to be too few.
    expected: u64,
}

impl<'a> Records<'a> {
    /// Records inside a file: where they begin, and how many there should be.
    pub(crate) const fn within(bytes: &'a [u8], next: usize, expected: u64) -> Self {
        Self {
            bytes,
            next,
            count: 0,
            expected,
        }
    }
}

impl Records<'_> {
    /// How many records there were up to here, damaged ones among them.
    pub const fn count_read(&self) -> u64 {
        self.count
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
        let rest = self.bytes.get(self.next..).filter(|r| !r.is_empty());
        let Some(rest) = rest else {
            return self.too_few().map(Err);
        };
        let start = self.next;
        match RecordRef::framed(rest, start) {
            Ok(record) => {
                self.next += record.len();
                self.count += 1;
                Some(record.checked().map(|()| record))
            }
            Err(fault) => {
                self.next = self.bytes.len();
                self.expected = 0;
                Some(Err(fault))
            }
        }
    }
}

impl Records<'_> {
    /// What is wrong if the file ends before the last record that the header counts, told once.
    #[cold]
    fn too_few(&mut self) -> Option<Fault> {
        let expected = std::mem::take(&mut self.expected);
        let missing = expected.checked_sub(self.count).filter(|&n| n > 0)?;
        let reason = format!(
            "the file ends where {missing} more records were expected: its head counts {expected}, {} are there",
            self.count
        );
        Some(Fault::new(self.bytes.len() as u64, reason))
    }
}
