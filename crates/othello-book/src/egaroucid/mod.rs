//! Egaroucid's books: `.egbk3` and its forerunners `.egbk2` and `.egbk`.
//!
//! Little endian, a count and as many records. Boards are canonical; Egaroucid counts squares from h8, which makes
//! their numbers the same as Edax's, and a move's number means the same on the stored board. What Edax calls a
//! link is not written: a move is registered when the position behind it is in the book.

mod entry;

pub use entry::{Entry, Leaf};

use crate::Fault;
use crate::bytes::i32_at;

/// The first nine bytes of `.egbk3` and `.egbk2`.
const MAGIC: [u8; 9] = *b"DICUORAGE";

/// A form of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// `.egbk`: boards and values.
    Egbk,
    /// `.egbk2`: levels too, and moves with values, which Egaroucid no longer reads.
    Egbk2,
    /// `.egbk3`: levels, numbers of lines and leaves.
    Egbk3,
}

/// A book as the bytes of its file.
#[derive(Clone, Debug)]
pub struct Book<'a> {
    /// The form.
    pub version: Version,
    bytes: &'a [u8],
    start: usize,
    count: usize,
}

impl<'a> Book<'a> {
    /// Reads what stands before the records.
    ///
    /// # Errors
    ///
    /// Bytes that are no book of Egaroucid, a version that is not known, a count that is negative.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let (version, place) = if bytes.starts_with(&MAGIC) {
            match bytes.get(9) {
                Some(2) => (Version::Egbk2, 10),
                Some(3) => (Version::Egbk3, 10),
                Some(other) => {
                    let reason = format!("version {other} of the format, 2 or 3 was expected");
                    return Err(Fault::new(9, reason));
                }
                None => return Err(Fault::new(9, "the file ends before its version")),
            }
        } else if is_egbk(bytes) {
            (Version::Egbk, 0)
        } else {
            let reason = "not an Egaroucid book: 'DICUORAGE' was expected, \
                          or a count of records of 17 bytes that fill the file (.egbk)";
            return Err(Fault::new(0, reason));
        };
        if bytes.len() < place + 4 {
            return Err(Fault::new(
                place as u64,
                "the file ends before the number of records",
            ));
        }
        let count = i32_at(bytes, place);
        let count = usize::try_from(count).map_err(|_| {
            let reason = format!("{count} records; a number that is not negative was expected");
            Fault::new(place as u64, reason)
        })?;
        Ok(Self {
            version,
            bytes,
            start: place + 4,
            count,
        })
    }

    /// Reads a book whose version is known.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new) and [`of_egbk`](Self::of_egbk).
    pub fn of(bytes: &'a [u8], version: Version) -> Result<Self, Fault> {
        match version {
            Version::Egbk => Self::new(bytes).or_else(|_| Self::of_egbk(bytes)),
            Version::Egbk2 | Version::Egbk3 => Self::new(bytes),
        }
    }

    /// Reads what stands before the records of an `.egbk`, which nothing but the name of its file tells from other
    /// bytes if it is cut off or has bytes too many.
    ///
    /// # Errors
    ///
    /// Bytes that no `.egbk` begins with.
    pub fn of_egbk(bytes: &'a [u8]) -> Result<Self, Fault> {
        if bytes.len() < 4 {
            let reason = "the file ends before the number of records";
            return Err(Fault::new(bytes.len() as u64, reason));
        }
        let fault = || {
            let reason =
                "not an Egaroucid book: a count of records of 17 bytes was expected (.egbk)";
            Fault::new(0, reason)
        };
        let count = usize::try_from(i32_at(bytes, 0)).map_err(|_| fault())?;
        let book = Self {
            version: Version::Egbk,
            bytes,
            start: 4,
            count,
        };
        // Text has no boards in it.
        let is_whole = bytes.len() >= 4 + Entry::len(Version::Egbk, &[]);
        match book.entries().next() {
            Some(Err(_)) if is_whole => Err(fault()),
            _ => Ok(book),
        }
    }

    /// How many records there should be.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The record with a number, of a form whose records have one length; `None` if it is damaged or not there.
    pub(crate) fn entry(&self, number: usize) -> Option<Entry> {
        let len = match self.version {
            Version::Egbk2 => return None,
            version => Entry::len(version, &[]),
        };
        let at = self.start + number * len;
        Entry::read(self.version, self.bytes.get(at..at + len)?).ok()
    }

    /// The records in the order of the file.
    pub const fn entries(&self) -> Entries<'a> {
        Entries {
            version: self.version,
            bytes: self.bytes,
            next: self.start,
            left: self.count,
        }
    }
}

/// Whether bytes without a magic word are an `.egbk`: nothing else tells but their number.
fn is_egbk(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && i64::from(i32_at(bytes, 0)) * 17 + 4 == bytes.len() as i64
}

/// The records of a book. Behind a fault it goes on with the next record, except behind one that the end of the file
/// cuts off.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    version: Version,
    bytes: &'a [u8],
    next: usize,
    left: usize,
}

impl Entries<'_> {
    /// Where the next record begins.
    pub const fn offset(&self) -> u64 {
        self.next as u64
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.next..).unwrap_or_default();
        if self.left == 0 {
            let behind = !rest.is_empty();
            let at = self.next as u64;
            self.next = self.bytes.len();
            return behind.then(|| {
                let reason = format!("{} bytes behind the last record", rest.len());
                Err(Fault::new(at, reason))
            });
        }
        let len = Entry::len(self.version, rest);
        let Some(record) = rest.get(..len) else {
            let reason = format!(
                "the file ends where {} more records were expected: {} bytes are left, \
                 the next takes {len}",
                self.left,
                rest.len()
            );
            let fault = Fault::new(self.next as u64, reason);
            (self.next, self.left) = (self.bytes.len(), 0);
            return Some(Err(fault));
        };
        let read = Entry::read(self.version, record);
        let at = self.next as u64;
        self.next += len;
        self.left -= 1;
        Some(read.map_err(|(place, reason)| Fault::new(at + place, reason)))
    }
}

/// The bytes before the records of a book of `count`.
///
/// # Errors
///
/// More records than the format can count.
pub fn head(version: Version, count: u64) -> Result<Vec<u8>, String> {
    let number = i32::try_from(count)
        .map_err(|_| format!("{count} positions are more than the format can count"))?;
    let mut bytes = match version {
        Version::Egbk => Vec::new(),
        Version::Egbk2 => [&MAGIC[..], &[2]].concat(),
        Version::Egbk3 => [&MAGIC[..], &[3]].concat(),
    };
    bytes.extend(number.to_le_bytes());
    Ok(bytes)
}
