//! Whether the whole file of a book is sorted, so that everything in it is found. The file is read and not mapped, so that it does
//! not count as memory.

use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use yane_io::{Chunk, ChunkReader, InputFile};

use crate::apery::RECORD;
use crate::db::{Records, lines_at, map_chunks, open_chunks};
use crate::edit::BookBase;
use crate::ybb;
use crate::{BookError, Format, Job, Result, Unit};

/// Bytes looked at at a time.
const PIECE: usize = 1 << 20;

/// What a look at the whole file of a book tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookOrder {
    /// The number of positions.
    pub positions: u64,
    /// Whether all are found by binary search.
    pub is_sorted: bool,
    /// The first line, from 1, of a text book whose position is smaller than the one before it.
    pub unsorted_line: Option<u64>,
}

/// Reads the whole file at `path`.
///
/// # Errors
/// When it cannot be read, or the job is cancelled.
pub fn check_order(path: &Path, job: &Job) -> Result<BookOrder> {
    match Format::of_path(path)? {
        Format::Db => check_db(path, job),
        Format::Ybb => check_ybb(path, job),
        Format::Apery => check_apery(path, job),
        Format::Sbk => Ok(BookOrder {
            positions: super::sbk::SbkBase::open(path)?.entries.len() as u64,
            is_sorted: true,
            unsorted_line: None,
        }),
    }
}

/// The order of a piece: the keys at its ends, and where the first one stands that is too small.
#[derive(Default)]
struct PieceOrder {
    bytes: u64,
    positions: u64,
    /// The first key with its byte, and the last key.
    ends: Option<(Vec<u8>, u64, Vec<u8>)>,
    unsorted: Option<u64>,
}

impl PieceOrder {
    fn of(chunk: &Chunk) -> Self {
        let mut order = Self {
            bytes: chunk.bytes.len() as u64,
            ..Self::default()
        };
        let mut first: Option<(&[u8], u64)> = None;
        let mut last: &[u8] = b"";
        for record in Records::new(&chunk.bytes, chunk.offset) {
            order.positions += 1;
            if first.is_none() {
                first = Some((record.sfen, record.offset));
            } else if record.sfen < last && order.unsorted.is_none() {
                order.unsorted = Some(record.offset);
            }
            last = record.sfen;
        }
        order.ends = first.map(|(key, offset)| (key.to_vec(), offset, last.to_vec()));
        order
    }
}

fn check_db(path: &Path, job: &Job) -> Result<BookOrder> {
    let reader = open_chunks(path, PIECE)?;
    job.progress
        .stage("check the order", Some(reader.file_len()), Unit::Bytes);
    let (mut positions, mut unsorted, mut last) = (0, None, Vec::new());
    for piece in map_chunks(reader, job, |chunk| Ok(PieceOrder::of(chunk))) {
        let piece = piece?;
        job.check()?;
        job.progress.advance(piece.bytes);
        positions += piece.positions;
        if let Some((first, offset, end)) = piece.ends {
            let at_border = (first < last).then_some(offset);
            unsorted = unsorted.or(at_border).or(piece.unsorted);
            last = end;
        }
    }
    let unsorted_line = match unsorted {
        Some(offset) => lines_at(path, &[offset])?.first().copied(),
        None => None,
    };
    Ok(BookOrder {
        positions,
        is_sorted: unsorted.is_none(),
        unsorted_line,
    })
}

fn check_ybb(path: &Path, job: &Job) -> Result<BookOrder> {
    // The header is checked by opening.
    let positions = BookBase::open(path, job)?.positions().unwrap_or(0);
    job.progress
        .stage("check the order", Some(positions), Unit::Positions);
    let mut file = BufReader::with_capacity(PIECE, InputFile::open(path)?);
    file.seek(SeekFrom::Start(ybb::HEADER_LEN as u64))
        .map_err(BookError::io(path))?;
    let mut record = [0; ybb::INDEX_RECORD];
    let mut last = [0; 32];
    let mut is_sorted = true;
    for number in 0..positions {
        if number.is_multiple_of(1 << 14) {
            job.check()?;
            job.progress.advance(1 << 14);
        }
        file.read_exact(&mut record).map_err(BookError::io(path))?;
        let key: [u8; 32] = std::array::from_fn(|at| record[at]);
        is_sorted &= number == 0 || last < key;
        last = key;
    }
    Ok(BookOrder {
        positions,
        is_sorted,
        unsorted_line: None,
    })
}

fn check_apery(path: &Path, job: &Job) -> Result<BookOrder> {
    let mut reader = ChunkReader::records(path, PIECE, RECORD)?;
    job.progress
        .stage("check the order", Some(reader.file_len()), Unit::Bytes);
    let (mut positions, mut last, mut is_sorted) = (0, None, true);
    while let Some(chunk) = reader.next_chunk()? {
        job.check()?;
        job.progress.advance(chunk.bytes.len() as u64);
        for record in chunk.bytes.chunks_exact(RECORD) {
            let key = u64::from_le_bytes(std::array::from_fn(|at| record[at]));
            positions += u64::from(last != Some(key));
            is_sorted &= last.is_none_or(|last| last <= key);
            last = Some(key);
        }
    }
    Ok(BookOrder {
        positions,
        is_sorted,
        unsorted_line: None,
    })
}
