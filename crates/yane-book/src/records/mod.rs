//! Record files (`.sfen`): one game a line.
//!
//! A line is what follows the word `position` of USI:
//!
//! ```text
//! startpos moves 7g7f 3c3d resign
//! sfen <board> <side> <hands> <ply> moves 8c8d
//! ```
//!
//! What else is read: the word `position` itself in front; an SFEN without the word `sfen`; moves
//! without a start (even game) or without the word `moves`; an SFEN without its move number (1); words and
//! moves in capitals (`STARTPOS MOVES 7G7F`); wide blanks (U+3000); UTF-8 and UTF-16, with or without a
//! byte order mark; lines that end with LF, CR LF or CR; blanks at both ends; comments (`#`,
//! `//`) and empty lines. `win` and `resign` end a game. A move that cannot be played ends the game
//! too, and is kept as a [`RecordProblem`].

mod problems;
mod replay;
mod roots;

use std::path::Path;

pub(crate) use problems::PendingProblems;
pub use problems::{Problems, RecordProblem};
pub use replay::Replay;
pub(crate) use replay::legal_move;
pub use roots::{Root, read_roots};
use yane_io::sniff::Expected;
use yane_io::{Chunk, ChunkReader, TextFile};

use crate::db::{map_chunks, open_chunks};
use crate::{Job, Result, Unit};

/// Length of a piece in bytes: thousands of games, so that handing it over costs nothing.
const CHUNK: usize = 256 << 10;

/// Calls `work` on every piece of the file at `path` (whole lines of what is `expected` there) on the job's
/// threads, and `take` on the results in the order of the file.
pub(crate) fn for_each_chunk<T: Send + 'static>(
    path: &Path,
    expected: &Expected<'_>,
    job: &Job,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let text = TextFile::open(path, expected)?;
    run(path, job, ChunkReader::lines(text, CHUNK), work, take)
}

/// The same for a book: pieces are whole positions with their moves.
pub(crate) fn for_each_position_chunk<T: Send + 'static>(
    path: &Path,
    job: &Job,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    run(path, job, open_chunks(path, CHUNK)?, work, take)
}

fn run<T: Send + 'static>(
    path: &Path,
    job: &Job,
    reader: ChunkReader,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let name = format!("reading {}", path.display());
    job.progress
        .stage(&name, Some(reader.file_len()), Unit::Bytes);
    let work = move |chunk: &Chunk| {
        let bytes = chunk.bytes.len() as u64;
        work(chunk).map(|result| (bytes, result))
    };
    for result in map_chunks(reader, job, work) {
        job.check()?;
        let (bytes, result) = result?;
        take(result)?;
        job.progress.advance(bytes);
    }
    Ok(())
}
