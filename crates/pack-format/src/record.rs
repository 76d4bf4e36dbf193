//! Records of a fixed size: one position each, in files without header or order.

use std::io;
use std::io::{Read, Write};
use std::marker::PhantomData;

use shogi_core::{AperyMove16, Color, Move, Move16, Position};
use shogi_packed::UnpackError;
use thiserror::Error;

use crate::{DataPlace, InvalidData};

/// Problem in a record. Offsets count from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TeacherRecordProblem {
    /// The file ends inside the record.
    #[error("the file ends in a record: {needed} bytes needed, {left} left")]
    Truncated {
        /// Bytes of a record.
        needed: usize,
        /// Bytes there are.
        left: usize,
    },
    /// The 32 bytes are no position.
    #[error("bad position: {0}")]
    Position(UnpackError),
    /// The move, of the Apery family, is not legal in the position.
    #[error("{} ({:#06x}) is not a legal move", name(.code.decode()), .code.0)]
    IllegalApery {
        /// Bits of the move.
        code: AperyMove16,
    },
    /// The move, of the YaneuraOu family, is not legal in the position.
    #[error("{} ({:#06x}) is not a legal move", name(.code.decode()), .code.0)]
    Illegal {
        /// Bits of the move.
        code: Move16,
    },
    /// The result is no result.
    #[error("result {found} is none of {expected}")]
    Result {
        /// Offset of the wrong value.
        at: usize,
        /// The number found.
        found: i16,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// The last byte, which means nothing, is not zero: told only by a strict check.
    #[error("the last byte, which is unused, is {found}, expected 0")]
    Padding {
        /// Offset of the wrong value.
        at: usize,
        /// The number found.
        found: u8,
    },
    /// The next whole record begins later than it should.
    #[error("{bytes} {} too many in or behind it", plural(*.bytes))]
    Inserted {
        /// Number of bytes inserted.
        bytes: usize,
    },
    /// The next whole record begins earlier than it should.
    #[error("{bytes} {} missing in it", plural(*.bytes))]
    Lost {
        /// Number of bytes lost.
        bytes: usize,
    },
    /// No whole record is found for some bytes.
    #[error("no whole record in {bytes} bytes")]
    NoRecord {
        /// Number of bytes without a whole record.
        bytes: usize,
    },
    /// A carriage return was put before a line feed, as a transfer in text mode does.
    #[error("a carriage return before a line feed, put there by a transfer in text mode")]
    CarriageReturn,
}

impl From<UnpackError> for TeacherRecordProblem {
    fn from(error: UnpackError) -> Self {
        Self::Position(error)
    }
}

fn plural(bytes: usize) -> &'static str {
    if bytes == 1 { "byte" } else { "bytes" }
}

impl TeacherRecordProblem {
    /// Returns the offset of the wrong bytes from the first byte of the record.
    pub const fn at(&self) -> usize {
        match *self {
            Self::IllegalApery { .. } | Self::Illegal { .. } => 34,
            Self::Result { at, .. } | Self::Padding { at, .. } => at,
            _ => 0,
        }
    }
}

fn name(text: Option<shogi_core::MoveText>) -> String {
    text.map_or_else(|| "no move".to_owned(), |text| text.to_string())
}

/// A problem with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: record {record} (begins at byte {offset}): {problem}", offset + problem.at() as u64)]
pub struct InvalidRecord {
    /// Number of the record, from 1.
    pub record: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// The problem.
    pub problem: TeacherRecordProblem,
}

impl InvalidRecord {
    /// A problem of the record of type `T` with this index (from 0).
    pub(crate) const fn of<T: TeacherRecord>(index: usize, problem: TeacherRecordProblem) -> Self {
        Self {
            record: index as u64 + 1,
            offset: (index * T::LEN) as u64,
            problem,
        }
    }

    /// Offset of the wrong bytes.
    pub const fn byte(&self) -> u64 {
        self.offset + self.problem.at() as u64
    }
}

impl From<InvalidRecord> for InvalidData {
    fn from(invalid: InvalidRecord) -> Self {
        let place = DataPlace::Record {
            record: invalid.record,
            offset: invalid.offset,
            byte: invalid.byte(),
        };
        Self::new(place, invalid.problem)
    }
}

/// A record of a fixed number of bytes: [`crate::Hcpe`] or [`crate::Psv`].
pub trait TeacherRecord: Copy {
    /// Bytes of a record.
    const LEN: usize;

    /// Reads a record without looking into its position and move.
    ///
    /// # Errors
    /// When a field has a value it cannot have.
    ///
    /// # Panics
    /// When there are fewer than [`Self::LEN`] bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TeacherRecordProblem>;

    /// Writes the record over `bytes`.
    ///
    /// # Panics
    /// When they are not [`Self::LEN`] bytes.
    fn put(&self, bytes: &mut [u8]);

    /// Appends the record's bytes.
    fn write_to(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.resize(start + Self::LEN, 0);
        self.put(&mut bytes[start..]);
    }

    /// The position and the move, both checked against the rules. A record without a move
    /// (0x0000) is whole: tools that replace positions by later ones write such records.
    ///
    /// # Errors
    /// When position or move break a rule.
    fn open(&self) -> Result<(Position, Option<Move>), TeacherRecordProblem>;
}

/// Result of [`TeacherRecord::open`] for a position and its move, which `legal` reads, or `None` where the record has no
/// move. Both kings must be there.
pub(crate) fn opened(
    position: Position,
    legal: Option<impl FnOnce(&Position) -> Result<Move, TeacherRecordProblem>>,
) -> Result<(Position, Option<Move>), TeacherRecordProblem> {
    let is_missing = |&color: &Color| position.king(color).is_none();
    if Color::ALL.iter().any(is_missing) {
        return Err(UnpackError::MissingKing.into());
    }
    let mv = legal.map(|legal| legal(&position)).transpose()?;
    Ok((position, mv))
}

/// Byte range of the score in a record, the same in both kinds of record.
pub(crate) const SCORE: std::ops::Range<usize> = 32..34;
/// Byte range of the move in a record, the same in both kinds of record.
pub(crate) const MOVE: std::ops::Range<usize> = 34..36;

/// Returns true if a record has no move: both families write 0x0000 for it.
pub(crate) fn has_no_move(record: &[u8]) -> bool {
    record[MOVE] == [0, 0]
}

/// The records of `bytes`, of `len` bytes each, that have no move.
pub(crate) fn count_without_move(bytes: &[u8], len: usize) -> u64 {
    let records = bytes.chunks_exact(len);
    records.filter(|record| has_no_move(record)).count() as u64
}

/// The records of `bytes`, their positions and moves unchecked. Invalid ones are given in their place
/// and do not end the iteration: the next record is where it must be.
pub fn records<T: TeacherRecord>(bytes: &[u8]) -> impl Iterator<Item = Result<T, InvalidRecord>> {
    bytes.chunks(T::LEN).enumerate().map(|(index, bytes)| {
        let record = if bytes.len() < T::LEN {
            Err(TeacherRecordProblem::Truncated {
                needed: T::LEN,
                left: bytes.len(),
            })
        } else {
            T::from_bytes(bytes)
        };
        record.map_err(|problem| InvalidRecord::of::<T>(index, problem))
    })
}

/// Error of reading the next record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The stream reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next record is damaged.
    #[error(transparent)]
    Invalid(#[from] InvalidRecord),
}

/// The records of a stream. After a invalid record it goes on with the next one; after an error of
/// the stream it ends.
///
/// Reads one record at a time: give it a [`std::io::BufReader`].
#[derive(Debug)]
pub struct RecordReader<R, T> {
    stream: R,
    buffer: Vec<u8>,
    record: u64,
    ended: bool,
    kind: PhantomData<T>,
}

impl<R: Read, T: TeacherRecord> RecordReader<R, T> {
    /// Returns a reader.
    pub const fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            record: 0,
            ended: false,
            kind: PhantomData,
        }
    }

    fn read(&mut self) -> Result<Option<T>, RecordError> {
        self.buffer.clear();
        let needed = T::LEN;
        let left = self
            .stream
            .by_ref()
            .take(needed as u64)
            .read_to_end(&mut self.buffer)
            .inspect_err(|_| self.ended = true)?;
        if left == 0 {
            self.ended = true;
            return Ok(None);
        }
        let offset = self.record * needed as u64;
        self.record += 1;
        let record = if left < needed {
            self.ended = true;
            Err(TeacherRecordProblem::Truncated { needed, left })
        } else {
            T::from_bytes(&self.buffer)
        };
        Ok(Some(record.map_err(|problem| InvalidRecord {
            record: self.record,
            offset,
            problem,
        })?))
    }
}

impl<R: Read, T: TeacherRecord> Iterator for RecordReader<R, T> {
    type Item = Result<T, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.read().transpose()
    }
}

/// Bytes collected before they are written.
const BUFFER: usize = 64 << 10;

/// Writes records. Dropping it without [`Self::finish`] loses what is still in its buffer.
#[derive(Debug)]
pub struct RecordWriter<W, T> {
    stream: W,
    buffer: Vec<u8>,
    kind: PhantomData<T>,
}

impl<W: Write, T: TeacherRecord> RecordWriter<W, T> {
    /// Returns a writer.
    pub const fn new(stream: W) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            kind: PhantomData,
        }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// When the stream refuses bytes.
    pub fn write(&mut self, record: &T) -> io::Result<()> {
        record.write_to(&mut self.buffer);
        if self.buffer.len() >= BUFFER {
            self.stream.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the file: all bytes are with the stream, which is flushed and given back.
    ///
    /// # Errors
    /// When the stream refuses bytes.
    pub fn finish(mut self) -> io::Result<W> {
        self.stream.write_all(&self.buffer)?;
        self.stream.flush()?;
        Ok(self.stream)
    }
}
