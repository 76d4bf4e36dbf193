//! Egaroucid's books: `.egbk3` and its predecessors `.egbk2` and `.egbk`.
//!
//! Little endian: a count, then the records. Boards are canonical; Egaroucid counts squares from h8, which gives a
//! canonical board the same numbers as Edax's, and a move number the same meaning on it. Links are not stored: a move
//! is in the book when the position behind it is.

use othello_core::Board;
use serde::{Deserialize, Serialize};

use crate::bytes::{i32_at, u32_at, u64_at};
use crate::format::hex;
use crate::{Edge, FormatError, TooManyPositions};

/// The first nine bytes of `.egbk3` and `.egbk2`.
const MAGIC: [u8; 9] = *b"DICUORAGE";

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EgaroucidVersion {
    /// `.egbk`: boards and values.
    Egbk,
    /// `.egbk2`: levels too, and moves with values, which Egaroucid ignores.
    Egbk2,
    /// `.egbk3`: levels, numbers of lines and leaves.
    Egbk3,
}

/// A book in the bytes of its file.
#[derive(Clone, Debug)]
pub struct EgaroucidBook<'a> {
    /// The version.
    pub version: EgaroucidVersion,
    bytes: &'a [u8],
    start: usize,
    count: usize,
}

impl<'a> EgaroucidBook<'a> {
    /// Parses the header.
    ///
    /// # Errors
    ///
    /// Bytes that are no book of Egaroucid, an unknown version, a negative count.
    pub fn new(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let (version, place) = if bytes.starts_with(&MAGIC) {
            match bytes.get(9) {
                Some(2) => (EgaroucidVersion::Egbk2, 10),
                Some(3) => (EgaroucidVersion::Egbk3, 10),
                Some(other) => {
                    let reason = format!("version {other} of the format, 2 or 3 was expected");
                    return Err(FormatError::new(9, reason));
                }
                None => return Err(FormatError::new(9, "the file ends before its version")),
            }
        } else if is_egbk(bytes) {
            (EgaroucidVersion::Egbk, 0)
        } else {
            let reason = "not an Egaroucid book: 'DICUORAGE' was expected, \
                          or a count of records of 17 bytes that fill the file (.egbk)";
            return Err(FormatError::new(0, reason));
        };
        if bytes.len() < place + 4 {
            return Err(FormatError::new(
                place as u64,
                "the file ends before the number of records",
            ));
        }
        let count = i32_at(bytes, place);
        let count = usize::try_from(count).map_err(|_| {
            let reason = format!("{count} records; a number that is not negative was expected");
            FormatError::new(place as u64, reason)
        })?;
        Ok(Self {
            version,
            bytes,
            start: place + 4,
            count,
        })
    }

    /// Parses the header of a book of a known version.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new) and `of_egbk`.
    pub fn of(bytes: &'a [u8], version: EgaroucidVersion) -> Result<Self, FormatError> {
        match version {
            EgaroucidVersion::Egbk => Self::new(bytes).or_else(|_| Self::of_egbk(bytes)),
            EgaroucidVersion::Egbk2 | EgaroucidVersion::Egbk3 => Self::new(bytes),
        }
    }

    /// Parses the header of an `.egbk`, which only its file name identifies when it is truncated or has trailing bytes.
    ///
    /// # Errors
    ///
    /// Bytes that no `.egbk` begins with.
    pub(crate) fn of_egbk(bytes: &'a [u8]) -> Result<Self, FormatError> {
        if bytes.len() < 4 {
            let reason = "the file ends before the number of records";
            return Err(FormatError::new(bytes.len() as u64, reason));
        }
        let error = || {
            let reason =
                "not an Egaroucid book: a count of records of 17 bytes was expected (.egbk)";
            FormatError::new(0, reason)
        };
        let count = usize::try_from(i32_at(bytes, 0)).map_err(|_| error())?;
        let book = Self {
            version: EgaroucidVersion::Egbk,
            bytes,
            start: 4,
            count,
        };
        // Text is no board.
        let is_whole = bytes.len() >= 4 + EgaroucidRecord::len(EgaroucidVersion::Egbk, &[]);
        match book.entries().next() {
            Some(Err(_)) if is_whole => Err(error()),
            _ => Ok(book),
        }
    }

    /// The number of records by the header.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The records in the order of the file.
    pub const fn entries(&self) -> EgaroucidRecords<'a> {
        EgaroucidRecords {
            version: self.version,
            bytes: self.bytes,
            next: self.start,
            left: self.count,
        }
    }
}

/// Returns whether bytes without a magic number are an `.egbk`, by their length.
fn is_egbk(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && i64::from(i32_at(bytes, 0)) * 17 + 4 == bytes.len() as i64
}

/// An iterator over the records of a book. After an error it continues with the next record, unless the file ends
/// inside the record.
#[derive(Clone, Debug)]
pub struct EgaroucidRecords<'a> {
    version: EgaroucidVersion,
    bytes: &'a [u8],
    next: usize,
    left: usize,
}

impl EgaroucidRecords<'_> {
    /// The offset of the next record.
    pub const fn offset(&self) -> u64 {
        self.next as u64
    }
}

impl Iterator for EgaroucidRecords<'_> {
    type Item = Result<EgaroucidRecord, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.next..).unwrap_or_default();
        if self.left == 0 {
            let behind = !rest.is_empty();
            let at = self.next as u64;
            self.next = self.bytes.len();
            return behind.then(|| {
                let reason = format!("{} bytes behind the last record", rest.len());
                Err(FormatError::new(at, reason))
            });
        }
        let len = EgaroucidRecord::len(self.version, rest);
        let Some(record) = rest.get(..len) else {
            let reason = format!(
                "the file ends where {} more records were expected: {} bytes are left, \
                 the next takes {len}",
                self.left,
                rest.len()
            );
            let error = FormatError::new(self.next as u64, reason);
            (self.next, self.left) = (self.bytes.len(), 0);
            return Some(Err(error));
        };
        let read = EgaroucidRecord::read(self.version, record);
        let at = self.next as u64;
        self.next += len;
        self.left -= 1;
        Some(read.map_err(|(place, reason)| FormatError::new(at + place, reason)))
    }
}

/// The header of a book of `count` records.
///
/// # Errors
///
/// More records than the format can count.
pub fn head(version: EgaroucidVersion, count: u64) -> Result<Vec<u8>, TooManyPositions> {
    let number = i32::try_from(count).map_err(|_| TooManyPositions::Format(count))?;
    let mut bytes = match version {
        EgaroucidVersion::Egbk => Vec::new(),
        EgaroucidVersion::Egbk2 => [&MAGIC[..], &[2]].concat(),
        EgaroucidVersion::Egbk3 => [&MAGIC[..], &[3]].concat(),
    };
    bytes.extend(number.to_le_bytes());
    Ok(bytes)
}

/// A position of an Egaroucid book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EgaroucidRecord {
    /// The board, in canonical form in a sound book.
    #[serde(flatten, with = "hex")]
    pub board: Board,
    /// The value in discs for the player to move, −64 to 64.
    pub value: i8,
    /// The level of the search that gave it: 0 to 60, 70 by hand, −1 undefined.
    pub level: i8,
    /// The number of lines from here; 0 if they were never counted.
    pub lines: u32,
    /// The best move that leads out of the book.
    pub leaf: BookLeaf,
    /// Moves with values. Only `.egbk2` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Edge>,
}

/// The leaf of a position: its best move that leads out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookLeaf {
    /// The value for the player who makes the move, and its number: 65 if every move is in the book, 125 undefined.
    #[serde(flatten)]
    pub edge: Edge,
    /// The level of the search that found it, −1 undefined.
    pub level: i8,
}

impl BookLeaf {
    /// The number of an undefined move.
    pub(crate) const UNDEFINED_MOVE: u8 = 125;

    /// The undefined value.
    pub(crate) const UNDEFINED_SCORE: i8 = -126;

    /// An undefined leaf.
    pub const UNDEFINED: Self = Self {
        edge: Edge {
            score: Self::UNDEFINED_SCORE,
            number: Self::UNDEFINED_MOVE,
        },
        level: -1,
    };
}

impl EgaroucidRecord {
    /// The length of the record at the front of `bytes`.
    pub(crate) fn len(version: EgaroucidVersion, bytes: &[u8]) -> usize {
        match version {
            EgaroucidVersion::Egbk => 17,
            EgaroucidVersion::Egbk2 => 19 + 2 * bytes.get(18).copied().map_or(0, usize::from),
            EgaroucidVersion::Egbk3 => 25,
        }
    }

    /// The record at an index of a book's bytes, in versions with records of one length; `None` if it is damaged or
    /// missing.
    pub(crate) fn at(version: EgaroucidVersion, bytes: &[u8], index: usize) -> Option<Self> {
        let start = match version {
            EgaroucidVersion::Egbk => 4,
            EgaroucidVersion::Egbk2 => return None,
            EgaroucidVersion::Egbk3 => 14,
        };
        let len = Self::len(version, &[]);
        let at = start + index * len;
        Self::read(version, bytes.get(at..at + len)?).ok()
    }

    /// Parses a record. `Err` has the offset inside the record, and the reason.
    pub(crate) fn read(version: EgaroucidVersion, bytes: &[u8]) -> Result<Self, (u64, String)> {
        let board = Board::new(u64_at(bytes, 0), u64_at(bytes, 8));
        let board = board.map_err(|error| (0, error.to_string()))?;
        let value = match version {
            // Stored as 64 - value.
            EgaroucidVersion::Egbk => i8::try_from(64 - i16::from(bytes[16])).unwrap_or(i8::MIN),
            _ => bytes[16] as i8,
        };
        if !(-64..=64).contains(&value) {
            return Err((16, format!("a value of {value}, -64 to 64 was expected")));
        }
        let mut entry = Self {
            board,
            value,
            level: -1,
            lines: 0,
            leaf: BookLeaf::UNDEFINED,
            links: Vec::new(),
        };
        let edge = |pair: &[u8]| Edge {
            score: pair[0] as i8,
            number: pair[1],
        };
        match version {
            EgaroucidVersion::Egbk => {}
            EgaroucidVersion::Egbk2 => {
                entry.level = bytes[17] as i8;
                entry.links = bytes[19..].chunks_exact(2).map(edge).collect();
            }
            EgaroucidVersion::Egbk3 => {
                entry.level = bytes[17] as i8;
                entry.lines = u32_at(bytes, 18);
                entry.leaf = BookLeaf {
                    edge: edge(&bytes[22..24]),
                    level: bytes[24] as i8,
                };
            }
        }
        Ok(entry)
    }

    /// Appends the bytes of the record. Fields that the version lacks are dropped; values beyond ±64 are clamped.
    ///
    /// # Panics
    ///
    /// With more than 255 links in an `.egbk2`.
    pub fn write_to(&self, version: EgaroucidVersion, out: &mut Vec<u8>) {
        out.extend(self.board.mover().to_le_bytes());
        out.extend(self.board.opponent().to_le_bytes());
        let value = self.value.clamp(-64, 64);
        match version {
            EgaroucidVersion::Egbk => out.push((64 - i16::from(value)) as u8),
            EgaroucidVersion::Egbk2 => {
                let links = u8::try_from(self.links.len()).expect("at most 255 moves");
                out.extend([value as u8, self.level as u8, links]);
                for link in &self.links {
                    out.extend([link.score as u8, link.number]);
                }
            }
            EgaroucidVersion::Egbk3 => {
                out.extend([value as u8, self.level as u8]);
                out.extend(self.lines.to_le_bytes());
                let leaf = self.leaf;
                out.extend([leaf.edge.score as u8, leaf.edge.number, leaf.level as u8]);
            }
        }
    }
}
