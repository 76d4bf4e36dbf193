//! The binary format `.ybb` of the `YaneuraOu` family.
//!
//! All numbers are little endian.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 16 | `YANE-BINBOOK-V1` and a zero |
//! | 16 | 8 | number of positions, *n* |
//! | 24 | 8 | flags: bit 0 = moves have depths; the others are 0 |
//! | 32 | 44 *n* | index: position ([`shogi_packed::PackedSfen`], 32 bytes), start of its moves in the moves area (u64, bytes), ply (u16), number of its moves (u16) |
//! | 32 + 44 *n* | | moves area: move ([`shogi_core::Move16`], 0 for none), value (i16), with the flag depth (u16) |
//!
//! The index is in strictly ascending order of the 32 bytes, so a position is found by binary search
//! in the file. Expected replies and counts are not stored. The move number is stored but does not
//! distinguish positions.

mod reader;

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use shogi_packed::PackedSfen;
use yane_io::{AtomicFile, TempFolder};

use crate::{BookError, BookMove, Result};

pub use reader::{Ybb, YbbEntries, YbbEntry, YbbMoves};

/// Bytes of an index record.
pub(crate) const INDEX_RECORD: usize = 44;

/// Bytes of the header.
pub(crate) const HEADER_LEN: usize = 32;

/// Returns where an index record begins in the file.
const fn record_offset(at: usize) -> usize {
    HEADER_LEN + at * INDEX_RECORD
}

/// A record of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexRecord {
    packed: PackedSfen,
    /// Where its moves begin in the moves area, in bytes.
    offset: u64,
    ply: u16,
    /// The number of its moves.
    count: u16,
}

impl IndexRecord {
    /// Reads the bytes of a record.
    pub(crate) fn read(record: &[u8; INDEX_RECORD]) -> Self {
        Self {
            packed: PackedSfen(std::array::from_fn(|at| record[at])),
            offset: u64::from_le_bytes(std::array::from_fn(|at| record[32 + at])),
            ply: u16::from_le_bytes([record[40], record[41]]),
            count: u16::from_le_bytes([record[42], record[43]]),
        }
    }

    /// Where its moves are in a moves area of so many bytes; offset in the file and reason if they are not in it. `number` is that of the record.
    pub(crate) fn moves(
        &self,
        number: u64,
        depths: MoveDepths,
        area: u64,
    ) -> std::result::Result<Range<u64>, (u64, String)> {
        let move_len = depths.move_len() as u64;
        let end = self.offset.checked_add(u64::from(self.count) * move_len);
        let is_within = |&end: &u64| end <= area && self.offset.is_multiple_of(move_len);
        end.filter(is_within)
            .map(|end| self.offset..end)
            .ok_or_else(|| {
                let place = HEADER_LEN as u64 + number * INDEX_RECORD as u64 + 32;
                let reason = format!(
                    "index record {number}: expected {} moves of {move_len} bytes within the {area} bytes of the moves area, found offset {}",
                    self.count, self.offset
                );
                (place, reason)
            })
    }
}

const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";

/// Presence of depths in the moves of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveDepths {
    /// They have: 6 bytes a move.
    #[default]
    Stored,
    /// They have not: 4 bytes a move.
    Omitted,
}

impl MoveDepths {
    /// Bytes of a move.
    pub(crate) const fn move_len(self) -> usize {
        match self {
            Self::Stored => 6,
            Self::Omitted => 4,
        }
    }
}

/// Fields of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) count: u64,
    pub(crate) depths: MoveDepths,
}

impl Header {
    /// Reads the header at the start of `file`; offset and reason of the problem when it is none.
    pub(crate) fn parse(file: &[u8]) -> std::result::Result<Self, (u64, String)> {
        let Some(header) = file.first_chunk::<HEADER_LEN>() else {
            let reason = format!("expected a header of {HEADER_LEN} bytes, the file ends");
            return Err((file.len() as u64, reason));
        };
        if !header.starts_with(MAGIC) {
            return Err((0, "expected YANE-BINBOOK-V1".to_owned()));
        }
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let depths = match number(24) {
            0 => MoveDepths::Omitted,
            1 => MoveDepths::Stored,
            flags => return Err((24, format!("expected flags 0 or 1, found {flags:#x}"))),
        };
        Ok(Self {
            count: number(16),
            depths,
        })
    }

    /// The number of bytes of the index, in a file with so many bytes after the header; offset and reason where the file has not room for it, or ends
    /// inside a move.
    pub(crate) fn index_len(self, area: u64) -> std::result::Result<u64, (u64, String)> {
        let index_len = self.count.checked_mul(INDEX_RECORD as u64);
        let Some(index_len) = index_len.filter(|&len| len <= area) else {
            let reason = format!(
                "{} positions need an index of {INDEX_RECORD} bytes each, the file has {area} bytes after the header",
                self.count
            );
            return Err((16, reason));
        };
        let move_len = self.depths.move_len();
        if !(area - index_len).is_multiple_of(move_len as u64) {
            let reason =
                format!("expected moves of {move_len} bytes each, the file ends inside one");
            return Err((HEADER_LEN as u64 + area, reason));
        }
        Ok(index_len)
    }

    /// The bytes of the header.
    pub(crate) fn bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..24].copy_from_slice(&self.count.to_le_bytes());
        let flags = u64::from(self.depths == MoveDepths::Stored);
        bytes[24..].copy_from_slice(&flags.to_le_bytes());
        bytes
    }
}

// Writing `.ybb` books as a stream.

/// Bytes collected before the system is asked to write, or read at once.
const BUFFER: usize = 1 << 18;

/// Moves that wait for the end of the index.
#[derive(Debug)]
enum WaitingMoves {
    File(BufWriter<File>),
    /// Of a book in memory.
    Memory(Vec<u8>),
}

/// Writes a book position by position in a little memory, whatever its size.
///
/// The index comes first in the file but its length is known last, so the moves wait in a temporary
/// file without a name.
#[derive(Debug)]
pub struct YbbWriter {
    file: AtomicFile,
    moves: WaitingMoves,
    temp_dir: TempFolder,
    depths: MoveDepths,
    count: u64,
    moves_len: u64,
    last: Option<PackedSfen>,
    /// The moves of one position.
    buffer: Vec<u8>,
}

impl YbbWriter {
    /// Begins a new version of `path`. The temporary file is in `temp_dir`.
    ///
    /// # Errors
    /// When one of the files cannot be made.
    pub fn create(
        path: &Path,
        temp_dir: impl Into<TempFolder>,
        depths: MoveDepths,
    ) -> Result<Self> {
        let temp_dir = temp_dir.into();
        let mut file = AtomicFile::create(path)?;
        let moves = if file.is_in_memory() {
            WaitingMoves::Memory(Vec::new())
        } else {
            WaitingMoves::File(BufWriter::with_capacity(BUFFER, temp_dir.file()?))
        };
        let header = Header { count: 0, depths };
        file.put(&header.bytes())?;
        Ok(Self {
            file,
            moves,
            temp_dir,
            depths,
            count: 0,
            moves_len: 0,
            last: None,
            buffer: Vec::new(),
        })
    }

    /// Adds a position. Of a move its code, value and depth are written; replies and counts have no
    /// place in the format.
    ///
    /// # Errors
    /// When the position is not greater than the one before it, it has more than 65,535 moves, a
    /// value does not fit in 16 bits with sign or a depth in 16 bits without, or a file cannot be
    /// written.
    pub fn push(&mut self, packed: &PackedSfen, ply: u16, moves: &[BookMove]) -> Result<()> {
        if self.last.is_some_and(|last| last >= *packed) {
            return Err(self.bad(packed, "expected positions in strictly ascending order"));
        }
        let Ok(move_count) = u16::try_from(moves.len()) else {
            return Err(self.bad(packed, "expected at most 65535 moves"));
        };
        self.buffer.clear();
        for book_move in moves {
            if push_move(&mut self.buffer, book_move, self.depths).is_none() {
                let reason = "expected values of -32768 to 32767 and depths of 0 to 65535";
                return Err(self.bad(packed, reason));
            }
        }
        let mut record = [0; INDEX_RECORD];
        record[..32].copy_from_slice(&packed.0);
        record[32..40].copy_from_slice(&self.moves_len.to_le_bytes());
        record[40..42].copy_from_slice(&ply.to_le_bytes());
        record[42..].copy_from_slice(&move_count.to_le_bytes());
        self.file.put(&record)?;
        let written = match &mut self.moves {
            WaitingMoves::File(file) => file.write_all(&self.buffer),
            WaitingMoves::Memory(bytes) => bytes.write_all(&self.buffer),
        };
        written.map_err(self.temp_dir.error(self.moves_len))?;
        self.moves_len += self.buffer.len() as u64;
        self.count += 1;
        self.last = Some(*packed);
        Ok(())
    }

    /// Number of positions so far.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there is no position yet.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Completes the book and makes it the file.
    ///
    /// # Errors
    /// When a file cannot be read or written; the old file is untouched then.
    pub fn commit(mut self) -> Result<()> {
        match self.moves {
            WaitingMoves::File(moves) => {
                let failed = self.temp_dir.error(self.moves_len);
                let moves = moves.into_inner();
                let mut moves = moves.map_err(|error| failed(error.into_error()))?;
                moves
                    .rewind()
                    .map_err(self.temp_dir.error(self.moves_len))?;
                let mut moves = BufReader::with_capacity(BUFFER, moves.take(self.moves_len));
                let failed = self.file.error();
                std::io::copy(&mut moves, &mut self.file).map_err(failed)?;
            }
            WaitingMoves::Memory(bytes) => self.file.put(&bytes)?,
        }
        let failed = self.file.error();
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let header = Header {
            count: self.count,
            depths: self.depths,
        };
        self.file.put(&header.bytes())?;
        Ok(self.file.commit()?)
    }

    fn bad(&self, packed: &PackedSfen, reason: &str) -> BookError {
        let position = packed
            .decode()
            .map_or_else(|_| packed.to_string(), |position| position.to_sfen());
        BookError::file(
            self.file.target(),
            format!("position {} ({position}): {reason}", self.count),
        )
    }
}

/// Appends a move; `None` when a number does not fit.
fn push_move(out: &mut Vec<u8>, book_move: &BookMove, depths: MoveDepths) -> Option<()> {
    let code = book_move.mv.map_or(0, |mv| mv.0);
    let eval = i16::try_from(book_move.eval).ok()?;
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&eval.to_le_bytes());
    if depths == MoveDepths::Stored {
        let depth = u16::try_from(book_move.depth).ok()?;
        out.extend_from_slice(&depth.to_le_bytes());
    }
    Some(())
}
