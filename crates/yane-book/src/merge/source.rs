//! Sorted records of an input: streamed, or from runs; and how they are made from the text of a book.
//!
//! The key of a record is the canonical SFEN (with ply, unless plies are ignored). Its body begins
//! with a [`Meta`] and goes on with the move lines in their canonical form and in file order, comments between them: rule 1
//! of the merge depends on that order, and most bodies go into the output as they are.

use std::path::{Path, PathBuf};

use shogi_core::{Color, Move16, Position};
use shogi_packed::SfenBoard;
use yane_io::external::{RecordBytes, RunBuilder, RunReader, SortedSource, Sorter};
use yane_io::{Chunk, OrderedParallelMap, Pool};

use super::{Early, Legality, MergeInput, MergeOptions, MergeReport};
use crate::db::{
    BadLines, CommentPolicy, LineEnd, LineProblem, MoveLine, Record, Records, SkippedLine,
    canonical_sfen, is_comment, line_error, map_chunks, open_chunks, push_move_line, push_number,
};
use crate::graph::{View, sfen_position};
use crate::{BookError, Job, Result, Unit};

/// Bytes of a sorted book that one thread works on at a time: small enough for its cache.
const STREAM_CHUNK: usize = 1 << 20;
/// Runs are not smaller than this, in bytes of input, unless memory is.
const MIN_RUN: u64 = 8 << 20;
/// Larger books are cut into this many runs, unless memory asks for more.
const RUNS: u64 = 64;

/// One sorted stream of records.
pub(super) enum SortedInput {
    /// A book that is sorted.
    InputStream(InputStream),
    /// A run of a book that is not.
    Run(RunReader),
}

/// The records of a sorted book, made ready ahead by other threads.
pub(super) struct InputStream {
    chunks: OrderedParallelMap<Normalised, BookError>,
    pool: Pool,
    /// Number of the input.
    input: usize,
    path: PathBuf,
    current: RecordBytes,
    /// Key of the last record of the chunk before.
    last_key: Vec<u8>,
    read: u64,
    skipped: Vec<(u64, LineProblem)>,
}

impl SortedInput {
    /// Streams a sorted book, which is input number `input`.
    pub(super) fn stream(
        normaliser: &Normaliser,
        input: usize,
        job: &Job,
    ) -> std::result::Result<Self, Early> {
        let pool = Pool::default();
        let mut stream = InputStream {
            chunks: chunks(normaliser, STREAM_CHUNK, job, &pool, Ok)?,
            pool,
            input,
            path: normaliser.path.clone(),
            current: RecordBytes::default(),
            last_key: Vec::new(),
            read: 0,
            skipped: Vec::new(),
        };
        stream.next_chunk()?;
        Ok(Self::InputStream(stream))
    }

    /// Sorts a book into runs. `number` is that of the input, one `of` so many.
    pub(super) fn runs(
        normaliser: &Normaliser,
        number: usize,
        of: usize,
        output: &Path,
        job: &Job,
        report: &mut MergeReport,
    ) -> Result<Vec<Self>> {
        let path = normaliser.path.as_path();
        let len = std::fs::metadata(path).map_err(BookError::io(path))?.len();
        // A thread holds a chunk and the run made of it; twice as many runs may be waiting.
        let most = job.memory / (4 * job.threads.max(1) as u64 + 2);
        let size = (len / RUNS).max(MIN_RUN).min(most).min(1 << 30);
        job.progress.stage("sort", Some(len), Unit::Bytes);
        let progress = job.progress.clone();
        let pool = Pool::default();
        let runs_pool = pool.clone();
        let sorted = move |mut chunk: Normalised| {
            let records = std::mem::take(&mut chunk.records);
            progress.advance(records.size() as u64);
            Ok((chunk, records.into_run_with(&runs_pool)))
        };
        let mut sorter = Sorter::new(job, job.temp_for(output));
        for chunk in chunks(normaliser, size as usize, job, &pool, sorted)? {
            let (chunk, run) = chunk?;
            sorter.add_run(run, &pool)?;
            report.read[number] += chunk.read;
            let skipped = chunk.skipped.into_iter();
            report
                .skipped
                .extend(skipped.map(|(offset, problem)| SkippedLine::new(path, offset, problem)));
        }
        let readers = sorter.into_readers(of)?;
        Ok(readers.into_iter().map(Self::Run).collect())
    }

    /// Adds the counts known at the end to the report.
    pub(super) fn report(&self, number: usize, report: &mut MergeReport) {
        let Self::InputStream(stream) = self else {
            return;
        };
        report.read[number] += stream.read;
        let path = &stream.path;
        let skipped = stream.skipped.iter().cloned();
        report
            .skipped
            .extend(skipped.map(|(offset, problem)| SkippedLine::new(path, offset, problem)));
    }
}

/// The chunks of a book, normalised and then given to `and_then`, on all threads.
fn chunks<T: Send + 'static>(
    normaliser: &Normaliser,
    size: usize,
    job: &Job,
    pool: &Pool,
    and_then: impl Fn(Normalised) -> Result<T> + Send + Sync + 'static,
) -> Result<OrderedParallelMap<T, BookError>> {
    let reader = open_chunks(&normaliser.path, size)?;
    let (normaliser, pool) = (normaliser.clone(), pool.clone());
    Ok(map_chunks(reader, job, move |chunk| {
        let normalised = normaliser
            .normalise(chunk, &pool)
            .map_err(|(offset, problem)| line_error(&normaliser.path, offset, problem))?;
        and_then(normalised)
    }))
}

impl InputStream {
    /// Continues with the next chunk that has records.
    #[cold]
    fn next_chunk(&mut self) -> std::result::Result<(), Early> {
        while self.current.is_at_end() {
            let Some(chunk) = self.chunks.next() else {
                return Ok(());
            };
            let chunk = chunk?;
            self.read += chunk.read;
            self.skipped.extend(chunk.skipped);
            if let Some((first, last)) = chunk.records.ends() {
                if !chunk.records.is_sorted() || *self.last_key > *first {
                    return Err(Early::NeedsSorting(self.input));
                }
                self.last_key.clear();
                self.last_key.extend_from_slice(last);
            }
            let next = RecordBytes::new(chunk.records.into_unsorted_run());
            let done = std::mem::replace(&mut self.current, next);
            self.pool.give(done.into_buffer());
        }
        Ok(())
    }
}

impl SortedSource for SortedInput {
    type Error = Early;

    #[inline(always)]
    fn current(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Self::InputStream(stream) => stream.current.record(),
            Self::Run(run) => run.current(),
        }
    }

    #[inline(always)]
    fn advance(&mut self) -> std::result::Result<(), Early> {
        match self {
            Self::InputStream(stream) => {
                stream.current.advance();
                if stream.current.is_at_end() {
                    stream.next_chunk()?;
                }
                Ok(())
            }
            Self::Run(run) => Ok(run.advance()?),
        }
    }
}

// From the text of a book to records that can be compared and merged.

/// Rules for reading an input of the merge.
#[derive(Clone, Debug)]
pub(super) struct Normaliser {
    pub(super) path: PathBuf,
    side: Option<Color>,
    ignore_ply: bool,
    line_end: LineEnd,
    bad_lines: BadLines,
    legality: Legality,
    comments: CommentPolicy,
    /// True if the book is taken to be sorted.
    pub(super) sorted: bool,
}

/// Result of one chunk.
#[derive(Debug, Default)]
pub(super) struct Normalised {
    /// The records, in file order.
    pub(super) records: RunBuilder,
    /// Positions read, those of the other side included.
    pub(super) read: u64,
    /// Bad lines left out, by offset.
    pub(super) skipped: Vec<(u64, LineProblem)>,
}

/// Properties of a body that the merge needs, so that it does not read the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) ply: u32,
    /// Depth of the first line.
    pub(super) first_depth: i32,
    /// Number of lines.
    pub(super) moves: u32,
    /// Number of comments, in the body or left out.
    pub(super) comments: u32,
    /// No move occurs twice, and the lines are in the order in which they are written.
    pub(super) clean: bool,
}

impl Meta {
    pub(super) const SIZE: usize = 16;

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.ply.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.first_depth.to_le_bytes());
        let moves = self.moves << 1 | u32::from(self.clean);
        bytes[8..12].copy_from_slice(&moves.to_le_bytes());
        bytes[12..].copy_from_slice(&self.comments.to_le_bytes());
        bytes
    }

    /// The meta and the lines of a body.
    #[inline(always)]
    pub(super) fn split(body: &[u8]) -> (Self, &[u8]) {
        let (meta, lines) = body.split_at(Self::SIZE);
        let word = |at: usize| [meta[at], meta[at + 1], meta[at + 2], meta[at + 3]];
        let moves = u32::from_le_bytes(word(8));
        let meta = Self {
            ply: u32::from_le_bytes(word(0)),
            first_depth: i32::from_le_bytes(word(4)),
            moves: moves >> 1,
            comments: u32::from_le_bytes(word(12)),
            clean: moves & 1 != 0,
        };
        (meta, lines)
    }
}

/// Buffers used again and again.
struct MergeScratch {
    sfen: Vec<u8>,
    key: Vec<u8>,
    seen: Vec<u16>,
    board: SfenBoard,
}

impl Normaliser {
    pub(super) fn new(input: &MergeInput, options: MergeOptions, sorted: bool) -> Self {
        Self {
            path: input.path.clone(),
            side: input.side,
            ignore_ply: options.ignore_ply,
            line_end: options.line_end,
            bad_lines: options.bad_lines,
            legality: options.legality,
            comments: options.comments,
            sorted,
        }
    }

    /// The records of a chunk.
    ///
    /// # Errors
    /// A bad line, with its offset.
    pub(super) fn normalise(
        &self,
        chunk: &Chunk,
        pool: &Pool,
    ) -> std::result::Result<Normalised, (u64, LineProblem)> {
        let buffer = pool.take(chunk.bytes.len() + chunk.bytes.len() / 4);
        let mut result = Normalised {
            records: RunBuilder::in_buffer(buffer),
            ..Normalised::default()
        };
        let mut scratch = MergeScratch {
            sfen: Vec::new(),
            key: Vec::new(),
            seen: Vec::new(),
            board: SfenBoard::empty(),
        };
        for record in Records::new(&chunk.bytes, chunk.offset) {
            result.read += 1;
            let added = self.add(&record, &mut scratch, &mut result);
            if let Err(problem) = added {
                if self.bad_lines == BadLines::Fail {
                    return Err((record.offset, problem));
                }
                result.skipped.push((record.offset, problem));
            }
            if self.bad_lines == BadLines::Fail
                && let Some(bad) = result.skipped.pop()
            {
                return Err(bad);
            }
        }
        Ok(result)
    }

    /// Adds a record; bad move lines are left out and listed.
    #[inline]
    fn add(
        &self,
        record: &Record<'_>,
        scratch: &mut MergeScratch,
        result: &mut Normalised,
    ) -> std::result::Result<(), LineProblem> {
        let line = canonical_sfen(record.sfen, &mut scratch.sfen)?;
        if self.side.is_some_and(|side| side != line.side_to_move()) {
            return Ok(());
        }
        scratch.key.clear();
        scratch.key.extend_from_slice(line.position);
        if !self.ignore_ply {
            scratch.key.push(b' ');
            push_number(&mut scratch.key, line.ply.into(), false);
        }
        let ply = line.ply;
        let position;
        let judge = match self.legality {
            Legality::Pieces => {
                scratch.board.set(line.position);
                MoveCheck::Pieces(&scratch.board)
            }
            Legality::Rules => {
                position = sfen_position(record.sfen, View::AsWritten)?.0;
                MoveCheck::Rules(&position)
            }
        };
        let (seen, skipped) = (&mut scratch.seen, &mut result.skipped);
        result.records.push_with(&scratch.key, |body| {
            let start = body.len();
            body.extend_from_slice(&[0; Meta::SIZE]);
            let meta = self.push_lines(record, ply, &judge, seen, skipped, body);
            body[start..start + Meta::SIZE].copy_from_slice(&meta.to_bytes());
        });
        Ok(())
    }

    #[inline]
    fn push_lines(
        &self,
        record: &Record<'_>,
        ply: u32,
        judge: &MoveCheck<'_>,
        seen: &mut Vec<u16>,
        skipped: &mut Vec<(u64, LineProblem)>,
        body: &mut Vec<u8>,
    ) -> Meta {
        let mut meta = Meta {
            ply,
            first_depth: 0,
            moves: 0,
            comments: 0,
            clean: true,
        };
        seen.clear();
        let mut last = (u64::MAX, i32::MAX);
        for (offset, text) in record.text_lines() {
            if is_comment(text) {
                meta.comments += 1;
                if self.comments == CommentPolicy::Keep {
                    body.extend_from_slice(text);
                    body.extend_from_slice(self.line_end.bytes());
                }
                continue;
            }
            let line = match MoveLine::parse(text) {
                Ok(line) if judge.allows(line.book_move.mv) => line,
                wrong => {
                    let problem = wrong.map_or_else(|problem| problem, |line| illegal(&line));
                    skipped.push((offset, problem));
                    continue;
                }
            };
            let known = line.book_move;
            if meta.moves == 0 {
                meta.first_depth = known.depth;
            }
            let mv = known.mv.map_or(0, |mv| mv.0);
            let order = (known.count, known.eval);
            meta.clean &= order <= last && !seen.contains(&mv);
            last = order;
            seen.push(mv);
            meta.moves += 1;
            if line.canonical {
                body.extend_from_slice(text);
            } else {
                push_move_line(body, &known);
                meta.comments += self.push_comment(text, body);
            }
            body.extend_from_slice(self.line_end.bytes());
        }
        meta
    }
}

impl Normaliser {
    /// Appends the comment behind the fields of a move line. Returns how many there are.
    #[cold]
    fn push_comment(&self, line: &[u8], body: &mut Vec<u8>) -> u32 {
        let comment = MoveLine::comment(line);
        if self.comments == CommentPolicy::Keep && !comment.is_empty() {
            body.push(b' ');
            body.extend_from_slice(comment);
        }
        u32::from(!comment.is_empty())
    }
}

/// The check of moves against a position.
enum MoveCheck<'a> {
    Pieces(&'a SfenBoard),
    Rules(&'a Position),
}

impl MoveCheck<'_> {
    /// Returns whether the move may be played; `none` may stand anywhere.
    #[inline(always)]
    fn allows(&self, mv: Option<Move16>) -> bool {
        match (self, mv) {
            (_, None) => true,
            (Self::Pieces(board), Some(mv)) => {
                mv.decode().is_some_and(|text| board.is_pseudo_legal(text))
            }
            (Self::Rules(position), Some(mv)) => {
                let complete = position.move_from_16(mv);
                complete.is_some_and(|m| position.is_legal(m))
            }
        }
    }
}

#[cold]
fn illegal(line: &MoveLine) -> LineProblem {
    let text = line.book_move.mv.and_then(Move16::decode);
    LineProblem::Illegal(text.map_or_else(String::new, |text| text.to_string()))
}
