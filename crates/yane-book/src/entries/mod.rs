//! Books as streams of positions, for the commands that look at them: text and `.ybb` alike, read
//! once from front to back, worked on by all threads, results in the order of the file.

mod order;
mod packed_entry;
mod piece;
mod sorted;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::{Chunk, OrderedParallelMap, TextEncoding, TextFile};

pub(crate) use order::Order;
pub(crate) use piece::{Entry, Piece};
pub(crate) use sorted::{SfenKey, Sorted, SortedEntry};
pub(crate) use writer::{TextWriter, push_text};

use crate::db::{BadLines, SkippedLine, map_chunks, open_chunks};
use crate::sniff::expect_text_book;
use crate::ybb::Ybb;
use crate::{BookError, Format, Job, Result, Unit};

/// Bytes of a text book that a thread works on at a time.
const TEXT_PIECE: usize = 1 << 20;
/// Positions of a binary book that a thread works on at a time.
const BINARY_PIECE: u64 = 1 << 13;

/// A book to be read.
#[derive(Clone, Debug)]
pub(crate) struct BookFile {
    path: PathBuf,
    binary: Option<Arc<Ybb>>,
    /// How the characters of a text book are stored, and whether a byte order mark is in front.
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
            Ok(Format::Apery) => {
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

    /// How the characters of a text book are stored.
    pub(crate) fn encoding(&self) -> Option<TextEncoding> {
        self.text.map(|(encoding, _)| encoding)
    }

    /// Whether a byte order mark is in front of a text book.
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

    /// What `work` makes of every piece, computed ahead on the job's threads, in the order of the
    /// book. A stage for its progress begins.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        stage: &str,
        job: &Job,
        work: impl Fn(&Piece<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<OrderedParallelMap<T, BookError>> {
        let (progress, cancelled) = (job.progress.clone(), job.clone());
        let work = move |piece: &Piece<'_>| {
            cancelled.check()?;
            let result = work(piece)?;
            progress.advance(piece.size());
            Ok(result)
        };
        let Some(book) = self.binary.clone() else {
            let reader = open_chunks(&self.path, text_piece(job))?;
            job.progress
                .stage(stage, Some(reader.file_len()), Unit::Bytes);
            let work = move |chunk: &Chunk| work(&Piece::Text(chunk));
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
        let work = move |range| work(&Piece::Binary(&pieces, range));
        Ok(OrderedParallelMap::new(job.threads, source, work))
    }

    /// Calls `take` on what `work` makes of every piece, in the order of the book.
    pub(crate) fn pieces<T: Send + 'static>(
        &self,
        stage: &str,
        job: &Job,
        work: impl Fn(&Piece<'_>) -> Result<T> + Send + Sync + 'static,
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
    ) -> impl Fn(&Piece<'_>) -> Result<(T, Vec<SkippedLine>)> + use<T, V>
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
