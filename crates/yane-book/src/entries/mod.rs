//! Books as streams of positions, for the commands that look at them: text and `.ybb` alike, read
//! once from front to back, worked on by all threads, results in the order of the file.

mod sorted;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::{AtomicFile, Chunk, OrderedParallelMap, TextEncoding, TextFile};

use crate::db::{
    BadLines, CommentCounts, CommentPolicy, Comments, HEADER, LineEnd, LineProblem, MoveLine,
    Record, Records, SfenLine, SkippedLine, canonical_sfen, comments_of_books, line_error,
    map_chunks, open_chunks, push_number,
};
use crate::sniff::expect_text_book;
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Format, Job, Result, Unit, ybb};

pub(crate) use sorted::{Order, SfenKey, Sorted, SortedEntry, pack_entry, unpack_entry};

/// Bytes of a text book that a thread works on at a time.
const TEXT_PIECE: usize = 1 << 20;
/// Positions of a binary book that a thread works on at a time.
const BINARY_PIECE: u64 = 1 << 13;

/// A book to be read.
#[derive(Clone, Debug)]
pub(crate) struct BookFile {
    path: PathBuf,
    binary: Option<Arc<Ybb>>,
    /// Encoding of a text book, and true if it begins with a byte order mark.
    text: Option<(TextEncoding, bool)>,
    bad_lines: BadLines,
}

impl BookFile {
    /// Opens the book: a `.ybb` file by its name, any other as text.
    ///
    /// # Errors
    /// When it cannot be opened, or is a book of Apery's (which does not know its positions).
    pub(crate) fn open(path: &Path, bad_lines: BadLines) -> Result<Self> {
        let (binary, text) = match Format::of_path(path) {
            Ok(Format::Apery | Format::Sbk) => {
                let reason = "expected a .db or .ybb book (convert it first)";
                return Err(BookError::file(path, reason));
            }
            Ok(Format::Ybb) => (Some(Arc::new(Ybb::open(path)?)), None),
            Ok(Format::Db) | Err(_) => {
                let text = TextFile::open_any(path)?;
                expect_text_book(path, text.head())?;
                (None, Some((text.encoding(), text.has_mark())))
            }
        };
        Ok(Self {
            path: path.to_owned(),
            binary,
            text,
            bad_lines,
        })
    }

    /// Returns how the characters of a text book are stored.
    pub(crate) fn encoding(&self) -> Option<TextEncoding> {
        self.text.map(|(encoding, _)| encoding)
    }

    /// Returns whether a byte order mark is in front of a text book.
    pub(crate) fn has_mark(&self) -> bool {
        self.text.is_some_and(|(_, has_mark)| has_mark)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The book if it is binary.
    pub(crate) fn binary(&self) -> Option<&Arc<Ybb>> {
        self.binary.as_ref()
    }

    /// Returns what `work` makes of every piece, computed ahead on the job's threads, in the order of the
    /// book. A stage for its progress begins.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        stage: &str,
        job: &Job,
        work: impl Fn(&BookChunk<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<OrderedParallelMap<T, BookError>> {
        let (progress, cancelled) = (job.progress.clone(), job.clone());
        let work = move |piece: &BookChunk<'_>| {
            cancelled.check()?;
            let result = work(piece)?;
            progress.advance(piece.size());
            Ok(result)
        };
        let Some(book) = self.binary.clone() else {
            let reader = open_chunks(&self.path, text_piece(job))?;
            job.progress
                .stage(stage, Some(reader.file_len()), Unit::Bytes);
            let work = move |chunk: &Chunk| work(&BookChunk::Text(chunk));
            return Ok(map_chunks(reader, job, work));
        };
        job.progress.stage(stage, Some(book.len()), Unit::Positions);
        let pieces = book.clone();
        let mut next = 0;
        let source = move || {
            let range = next..book.len().min(next + BINARY_PIECE);
            next = range.end;
            Ok((!range.is_empty()).then_some(range))
        };
        let work = move |range| work(&BookChunk::Binary(&pieces, range));
        Ok(OrderedParallelMap::new(job.threads, source, work))
    }

    /// Calls `take` on what `work` makes of every piece, in the order of the book.
    pub(crate) fn pieces<T: Send + 'static>(
        &self,
        stage: &str,
        job: &Job,
        work: impl Fn(&BookChunk<'_>) -> Result<T> + Send + Sync + 'static,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        for result in self.stream(stage, job, work)? {
            take(result?)?;
        }
        Ok(())
    }

    /// As [`Self::pieces`], with the positions of each piece read. Tells the lines that were left
    /// out.
    pub(crate) fn entries<T: Default + Send + 'static>(
        &self,
        stage: &str,
        job: &Job,
        visit: impl Fn(&mut T, &Entry<'_>) -> Result<()> + Send + Sync + 'static,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<Vec<SkippedLine>> {
        let mut skipped = Vec::new();
        self.pieces(stage, job, self.visitor(visit), |(result, more)| {
            skipped.extend(more);
            take(result)
        })?;
        SkippedLine::with_lines(skipped)
    }
}

impl BookFile {
    /// Work that collects what `visit` makes of the positions of a piece, and the lines left out.
    fn visitor<T: Default, V>(
        &self,
        visit: V,
    ) -> impl Fn(&BookChunk<'_>) -> Result<(T, Vec<SkippedLine>)> + use<T, V>
    where
        V: Fn(&mut T, &Entry<'_>) -> Result<()>,
    {
        let (path, bad_lines) = (self.path.clone(), self.bad_lines);
        move |piece| {
            let mut result = T::default();
            let visit = &mut |entry: &Entry<'_>| visit(&mut result, entry);
            let skipped = piece.for_each(&path, bad_lines, visit)?;
            Ok((result, skipped))
        }
    }
}

/// Pieces get smaller when memory is short: each thread holds one, and as many wait.
fn text_piece(job: &Job) -> usize {
    let most = job.memory / (8 * job.threads.max(1) as u64);
    (TEXT_PIECE as u64).min(most) as usize
}

/// Neighbouring positions of a book.
#[derive(Debug)]
pub(crate) enum BookChunk<'a> {
    /// Text that begins and ends where a position does.
    Text(&'a Chunk),
    /// Positions of a binary book by their numbers.
    Binary(&'a Ybb, Range<u64>),
}

/// A position with its moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The canonical SFEN with ply.
    pub(crate) sfen: &'a str,
    /// Length of `sfen` without the ply and the blank before it.
    pub(crate) position_len: usize,
    /// The ply.
    pub(crate) ply: u32,
    /// The lines of the position in their order; a move may be there twice.
    pub(crate) moves: &'a [BookMove],
    /// The comments about the position and its moves.
    pub(crate) comments: &'a Comments,
    /// True if the book spells the position as `sfen`.
    pub(crate) canonical: bool,
}

impl Entry<'_> {
    /// The SFEN without ply.
    pub(crate) fn position(&self) -> &str {
        &self.sfen[..self.position_len]
    }

    /// The side to move.
    pub(crate) fn side_to_move(&self) -> shogi_core::Color {
        let line = SfenLine {
            position: self.position().as_bytes(),
            ply: self.ply,
        };
        line.side_to_move()
    }
}

/// Buffers used again and again.
#[derive(Default)]
struct EntryScratch {
    rewritten: Vec<u8>,
    sfen: String,
    moves: Vec<BookMove>,
    comments: Comments,
}

impl BookChunk<'_> {
    /// Bytes of text, positions of a binary book.
    fn size(&self) -> u64 {
        match self {
            Self::Text(chunk) => chunk.bytes.len() as u64,
            Self::Binary(_, range) => range.end - range.start,
        }
    }

    /// Calls `visit` on each position. Tells the lines that were left out, their numbers not filled
    /// in yet.
    fn for_each(
        &self,
        path: &Path,
        bad_lines: BadLines,
        visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
    ) -> Result<Vec<SkippedLine>> {
        let mut scratch = EntryScratch::default();
        match self {
            Self::Text(chunk) => {
                let mut skipped = Vec::new();
                let mut bad = |offset, problem| match bad_lines {
                    BadLines::Fail => Err(line_error(path, offset, problem)),
                    BadLines::Skip => {
                        skipped.push(SkippedLine::new(path, offset, problem));
                        Ok(())
                    }
                };
                for record in Records::new(&chunk.bytes, chunk.offset) {
                    text_entry(&record, &mut scratch, &mut bad, visit)?;
                }
                Ok(skipped)
            }
            Self::Binary(book, range) => {
                for at in range.clone() {
                    if let Some(entry) = book.get(at)? {
                        binary_entry(path, &entry, &mut scratch, visit)?;
                    }
                }
                Ok(Vec::new())
            }
        }
    }
}

fn text_entry(
    record: &Record<'_>,
    scratch: &mut EntryScratch,
    bad: &mut dyn FnMut(u64, LineProblem) -> Result<()>,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
) -> Result<()> {
    let line = match canonical_sfen(record.sfen, &mut scratch.rewritten) {
        Ok(line) => line,
        Err(error) => return bad(record.offset, error.into()),
    };
    scratch.moves.clear();
    let moves = &mut scratch.moves;
    scratch.comments = Comments::read(record, |offset, line| match MoveLine::parse(line) {
        Ok(line) => {
            moves.push(line.book_move);
            Ok(Some(line))
        }
        Err(problem) => bad(offset, problem).map(|()| None),
    })?;
    let position_len = line.position.len();
    spell(&mut scratch.sfen, line);
    visit(&Entry {
        sfen: &scratch.sfen,
        position_len,
        ply: line.ply,
        moves: &scratch.moves,
        comments: &scratch.comments,
        canonical: scratch.sfen.as_bytes() == record.sfen,
    })
}

/// Writes a canonical SFEN (ASCII by its nature) with its ply.
fn spell(sfen: &mut String, line: SfenLine<'_>) {
    let mut bytes = std::mem::take(sfen).into_bytes();
    bytes.clear();
    bytes.extend_from_slice(line.position);
    bytes.push(b' ');
    push_number(&mut bytes, line.ply.into(), false);
    *sfen = String::from_utf8(bytes).unwrap_or_default();
}

fn binary_entry(
    path: &Path,
    entry: &ybb::YbbEntry<'_>,
    scratch: &mut EntryScratch,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<()>,
) -> Result<()> {
    let position = entry
        .position()
        .map_err(|error| BookError::byte(path, entry.offset(), error.to_string()))?;
    scratch.moves.clear();
    scratch.moves.extend(entry.moves());
    scratch.comments.clear();
    let sfen = position.to_sfen();
    visit(&Entry {
        position_len: position.to_sfen_without_ply().len(),
        sfen: &sfen,
        ply: position.ply(),
        moves: &scratch.moves,
        comments: &scratch.comments,
        canonical: true,
    })
}

// Writing a text book position by position.

/// Bytes collected before they are written.
const BLOCK: usize = 256 << 10;

/// A text book being written.
pub(crate) struct TextWriter {
    file: AtomicFile,
    block: Vec<u8>,
}

impl TextWriter {
    /// Begins the book with its header.
    pub(crate) fn create(path: &Path, line_end: LineEnd) -> Result<Self> {
        let block = [HEADER.as_bytes(), line_end.bytes()].concat();
        Ok(Self {
            file: AtomicFile::create(path)?,
            block,
        })
    }

    /// Adds the comments that stand before the positions of `book`, if that is the policy. Returns their counts.
    pub(crate) fn begin_comments(
        &mut self,
        book: &BookFile,
        policy: CommentPolicy,
        line_end: LineEnd,
    ) -> Result<CommentCounts> {
        let comments = match book.binary() {
            Some(_) => Vec::new(),
            None => comments_of_books([book.path()])?,
        };
        let all = comments.len() as u64;
        if policy == CommentPolicy::LeaveOut {
            return Ok(CommentCounts {
                kept: 0,
                left_out: all,
            });
        }
        self.push_book_comments(&comments, line_end);
        Ok(CommentCounts {
            kept: all,
            left_out: 0,
        })
    }

    /// Adds comments about the book, which stand behind the header.
    pub(crate) fn push_book_comments(&mut self, comments: &[Vec<u8>], line_end: LineEnd) {
        for comment in comments {
            self.block.extend_from_slice(comment);
            self.block.extend_from_slice(line_end.bytes());
        }
    }

    /// Adds text of [`Comments::push_entry`].
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<()> {
        self.block.extend_from_slice(text);
        if self.block.len() >= BLOCK {
            self.write_block()?;
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<()> {
        self.file.put(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Replaces the file with the book.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.write_block()?;
        Ok(self.file.commit()?)
    }
}
