//! Reads books into memory, all threads parsing.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use yane_io::{Chunk, OrderedParallelMap};

use super::builder::Builder;
use super::{Book, ReadOptions};
use crate::db::{Records, line_error, map_chunks, open_chunks};
use crate::ybb::Ybb;
use crate::{BookError, Job, Result, Unit};

/// Bytes of text parsed at a time by one thread.
const CHUNK: usize = 1 << 20;
/// Positions of a binary book decoded at a time by one thread.
const PIECE: u64 = 1 << 13;

/// Reads the text book at `path`.
pub(super) fn read_db(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    let chunks = open_chunks(path, CHUNK)?;
    let total = chunks.file_len();
    let name = path.display().to_string();
    job.progress.stage(&name, Some(total), Unit::Bytes);
    let owned = path.to_owned();
    let parsed = map_chunks(chunks, job, move |chunk| {
        Ok((chunk.bytes.len() as u64, parse(&owned, chunk, options)?))
    });
    collect(parsed, total, options, job)
}

/// Reads the binary book at `path`.
pub(super) fn read_ybb(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    let book = Arc::new(Ybb::open(path)?);
    let total = book.len();
    let name = path.display().to_string();
    job.progress.stage(&name, Some(total), Unit::Positions);
    let mut next = 0;
    let ranges = move || {
        let range = next..total.min(next + PIECE);
        next = range.end;
        Ok((!range.is_empty()).then_some(range))
    };
    let parsed = OrderedParallelMap::new(job.threads, ranges, move |range: Range<u64>| {
        Ok((range.end - range.start, decode(&book, range, options)?))
    });
    collect(parsed, total, options, job)
}

/// Positions `range` of `book`.
fn decode(book: &Ybb, range: Range<u64>, options: ReadOptions) -> Result<Builder> {
    book.verify_range(range.clone())?;
    let mut builder = Builder::default();
    for at in range {
        let Some(entry) = book.get(at)? else {
            break;
        };
        let position = entry.position().map_err(|error| {
            let reason = format!("index record {at}: {error}");
            BookError::byte(book.path(), entry.offset(), reason)
        })?;
        builder.begin(&position, options);
        for book_move in entry.moves() {
            builder.add(book_move);
        }
    }
    Ok(builder)
}

/// Puts pieces together; each comes with its length, `total` is the length of all.
fn collect(
    pieces: OrderedParallelMap<(u64, Builder), BookError>,
    total: u64,
    options: ReadOptions,
    job: &Job,
) -> Result<Book> {
    let mut builder = Builder::default();
    let mut done = 0;
    for piece in pieces {
        job.check()?;
        let (len, piece) = piece?;
        builder.append(piece);
        if done == 0 {
            builder.reserve(len, total);
        }
        done += len;
        job.progress.advance(len);
    }
    Ok(builder.finish(options))
}

/// The positions of a chunk of the text book at `path`.
fn parse(path: &Path, chunk: &Chunk, options: ReadOptions) -> Result<Builder> {
    let mut builder = Builder::default();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        let position = record
            .position()
            .map_err(|fault| line_error(path, record.offset, fault))?;
        builder.begin(&position, options);
        for (offset, line) in record.moves() {
            builder.add(line.map_err(|fault| line_error(path, offset, fault))?);
        }
    }
    Ok(builder)
}
