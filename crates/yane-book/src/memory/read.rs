//! Reads a `.db` file into memory, all threads parsing.

use std::path::{Path, PathBuf};

use shogi_core::Position;

use super::builder::Builder;
use super::{Book, ReadOptions};
use crate::db::{Fault, MoveLine, Record, Records, line_error};
use crate::io::{Chunk, ChunkReader, Ordered};
use crate::{Job, Result, Unit};

/// Bytes parsed at a time by one thread.
const CHUNK: usize = 1 << 20;

/// Reads the text book at `path`.
pub(super) fn read_db(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    let mut chunks = ChunkReader::open(path, CHUNK)?;
    let total = chunks.file_len();
    let name = path.display().to_string();
    job.progress.stage(&name, Some(total), Unit::Bytes);
    let parser = Parser {
        path: path.to_owned(),
        options,
    };
    let parsed = Ordered::new(
        job.threads,
        move || chunks.next_chunk(),
        move |chunk: Chunk| Ok((chunk.text.len() as u64, parser.parse(&chunk)?)),
    );
    let mut builder = Builder::default();
    let mut done = 0;
    for piece in parsed {
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

struct Parser {
    path: PathBuf,
    options: ReadOptions,
}

impl Parser {
    fn parse(&self, chunk: &Chunk) -> Result<Builder> {
        let mut builder = Builder::default();
        for record in Records::new(&chunk.text, chunk.offset) {
            let position =
                position(&record).map_err(|fault| line_error(&self.path, record.offset, fault))?;
            builder.begin(&position, self.options);
            for (offset, line) in record.lines() {
                let line =
                    MoveLine::parse(line).map_err(|fault| line_error(&self.path, offset, fault))?;
                builder.add(line.book_move);
            }
        }
        Ok(builder)
    }
}

fn position(record: &Record<'_>) -> std::result::Result<Position, Fault> {
    let text = String::from_utf8_lossy(record.sfen);
    Ok(Position::from_sfen(&text)?)
}
