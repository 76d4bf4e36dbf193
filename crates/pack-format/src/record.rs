//! Records of a fixed size: one position each, in files without header or order.

use std::io::{self, Read, Write};
use std::marker::PhantomData;

use shogi_core::{AperyMove16, Move, Move16, Position, UnpackError};
use thiserror::Error;

/// What is wrong with a record. Offsets count from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordFault {
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
    Position(#[from] UnpackError),
    /// The move, of the Apery family, is not legal in the position.
    #[error("{} ({:#06x}) is not a legal move", name(.code.decode()), .code.0)]
    IllegalApery {
        /// Its bits.
        code: AperyMove16,
    },
    /// The move, of the YaneuraOu family, is not legal in the position.
    #[error("{} ({:#06x}) is not a legal move", name(.code.decode()), .code.0)]
    Illegal {
        /// Its bits.
        code: Move16,
    },
    /// The result is no result.
    #[error("result {found} is none of {expected}")]
    Result {
        /// Where it is.
        at: usize,
        /// The number found.
        found: i16,
        /// What may be there.
        expected: &'static str,
    },
    /// The last byte is not zero.
    #[error("the last byte is {found}, expected 0")]
    Padding {
        /// Where it is.
        at: usize,
        /// The number found.
        found: u8,
    },
}

impl RecordFault {
    /// Where the wrong bytes are, counted from the first byte of the record.
    pub const fn at(&self) -> usize {
        match *self {
            Self::Truncated { .. } | Self::Position(_) => 0,
            Self::IllegalApery { .. } | Self::Illegal { .. } => 34,
            Self::Result { at, .. } | Self::Padding { at, .. } => at,
        }
    }
}

fn name(text: Option<shogi_core::MoveText>) -> String {
    text.map_or_else(|| "no move".to_owned(), |text| text.to_string())
}

/// A fault with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: record {record} (begins at byte {offset}): {fault}", offset + fault.at() as u64)]
pub struct FaultyRecord {
    /// Number of the record, from 1.
    pub record: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: RecordFault,
}

impl FaultyRecord {
    /// A fault of the record of type `T` with this index (from 0).
    pub(crate) const fn of<T: Record>(index: usize, fault: RecordFault) -> Self {
        Self {
            record: index as u64 + 1,
            offset: (index * T::LEN) as u64,
            fault,
        }
    }

    /// Offset of the wrong bytes.
    pub const fn byte(&self) -> u64 {
        self.offset + self.fault.at() as u64
    }
}

/// A record of a fixed number of bytes: [`crate::Hcpe`] or [`crate::Psv`].
pub trait Record: Copy {
    /// Bytes of a record.
    const LEN: usize;

    /// Reads a record without looking into its position and move.
    ///
    /// # Errors
    /// When a field has a value it cannot have.
    ///
    /// # Panics
    /// When there are fewer than [`Self::LEN`] bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self, RecordFault>;

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

    /// The position and the move, both checked against the rules.
    ///
    /// # Errors
    /// When they break one.
    fn open(&self) -> Result<(Position, Move), RecordFault>;
}

/// The records of `bytes`, their positions and moves unchecked. Faulty ones are given in their place
/// and do not end the iteration: the next record is where it must be.
pub fn records<T: Record>(bytes: &[u8]) -> impl Iterator<Item = Result<T, FaultyRecord>> {
    bytes.chunks(T::LEN).enumerate().map(|(index, bytes)| {
        let record = if bytes.len() < T::LEN {
            Err(RecordFault::Truncated {
                needed: T::LEN,
                left: bytes.len(),
            })
        } else {
            T::from_bytes(bytes)
        };
        record.map_err(|fault| FaultyRecord::of::<T>(index, fault))
    })
}

/// Why there is no next record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next record is damaged.
    #[error(transparent)]
    Fault(#[from] FaultyRecord),
}

/// The records of a stream. After a faulty record it goes on with the next one; after an error of
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

impl<R: Read, T: Record> RecordReader<R, T> {
    /// A reader.
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
            Err(RecordFault::Truncated { needed, left })
        } else {
            T::from_bytes(&self.buffer)
        };
        Ok(Some(record.map_err(|fault| FaultyRecord {
            record: self.record,
            offset,
            fault,
        })?))
    }
}

impl<R: Read, T: Record> Iterator for RecordReader<R, T> {
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

impl<W: Write, T: Record> RecordWriter<W, T> {
    /// A writer.
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
