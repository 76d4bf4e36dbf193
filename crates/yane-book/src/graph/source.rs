//! Sources of the positions of a graph.

use std::path::Path;
use std::sync::Arc;

use shogi_core::Position;
use yane_io::{Chunk, TextFile};

use super::View;
use super::keys::{Keys, in_view, sfen_keys, sfen_position};
use crate::db::{LineProblem, Record, Records, canonical_sfen, line_error, open_chunks};
use crate::sniff::expect_text_book;
use crate::ybb::{Ybb, YbbEntry};
use crate::{BookError, BookMove, Result, add_move};

/// A book that can be read more than once, in pieces.
pub trait GraphSource: Clone + Send + Sync + 'static {
    /// A piece: whole positions.
    type Chunk: Send + 'static;
    /// A position in a piece.
    type Record<'a>: SourceRecord;

    /// Begins to read. The pieces come in the order of the book; `None` is the end.
    ///
    /// # Errors
    /// When the book cannot be opened.
    fn open(&self) -> Result<impl FnMut() -> Result<Option<Self::Chunk>> + Send + 'static>;

    /// Length of the book in bytes, 0 when that is not known.
    fn size(&self) -> u64;

    /// Roughly how many positions it has.
    fn expected_len(&self) -> usize;

    /// Returns how much of the length a piece is.
    fn chunk_size(chunk: &Self::Chunk) -> u64;

    /// The positions of a piece, in order.
    fn records<'a>(&'a self, chunk: &'a Self::Chunk) -> impl Iterator<Item = Self::Record<'a>>;

    /// The error that names the place `at` ([`SourceRecord::place`], [`Registered::place`]).
    fn error(&self, place: u64, problem: LineProblem) -> BookError;
}

/// A position of a [`GraphSource`] with its moves.
pub trait SourceRecord {
    /// Returns the keys of the position in orientation `view`. The position may turn out to be
    /// invalid when it is built.
    ///
    /// # Errors
    /// When it is no position.
    fn keys(&self, view: View) -> std::result::Result<Keys, LineProblem>;

    /// The position, and whether it was flipped.
    ///
    /// # Errors
    /// When it is no position.
    fn position(&self, view: View) -> std::result::Result<(Position, bool), LineProblem>;

    /// Appends the position as text in canonical form, without the ply.
    ///
    /// # Errors
    /// When it is no position.
    fn push_sfen(&self, out: &mut Vec<u8>) -> std::result::Result<(), LineProblem> {
        let (position, _) = self.position(View::AsWritten)?;
        out.extend_from_slice(position.to_sfen_without_ply().as_bytes());
        Ok(())
    }

    /// Returns where it stands, for [`GraphSource::error`].
    fn place(&self) -> u64;

    /// Calls `visit` for every registered move, `none` included, or for the text in its place.
    ///
    /// # Errors
    /// The first error of `visit`.
    fn moves(
        &self,
        visit: impl FnMut(u64, std::result::Result<BookMove, LineProblem>) -> Result<()>,
    ) -> Result<()>;
}

/// A move that the book gives for a position, as the position is written.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// The move with the book's fields.
    pub book_move: BookMove,
    /// Its place, for [`GraphSource::error`].
    pub place: u64,
}

/// Returns the valid moves of a record, with those that later entries `added`. Wrong lines are
/// skipped: linking has reported them.
pub(crate) fn registered_moves(record: &impl SourceRecord, added: &[Registered]) -> Vec<BookMove> {
    let mut moves = Vec::new();
    let read = record.moves(|_, line| {
        if let Ok(known) = line
            && known.mv.is_some()
        {
            add_move(&mut moves, known);
        }
        Ok(())
    });
    debug_assert!(read.is_ok());
    for known in added {
        add_move(&mut moves, known.book_move);
    }
    moves
}

/// A `.db` file.
#[derive(Clone, Debug)]
pub struct DbSource {
    path: Arc<Path>,
    size: u64,
}

/// Bytes in a piece: large enough to keep the threads busy, small enough for the caches.
const CHUNK: usize = 1 << 18;

/// Bytes of a position with its moves in a typical book.
const POSITION: usize = 128;

impl DbSource {
    /// The file at `path`.
    ///
    /// # Errors
    /// When it cannot be opened or is no text book.
    pub fn new(path: &Path) -> Result<Self> {
        let text = TextFile::open_any(path)?;
        expect_text_book(path, text.head())?;
        Ok(Self {
            path: path.into(),
            size: text.text_len(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl GraphSource for DbSource {
    type Chunk = Chunk;
    type Record<'a> = Record<'a>;

    fn open(&self) -> Result<impl FnMut() -> Result<Option<Chunk>> + Send + 'static> {
        let mut reader = open_chunks(&self.path, CHUNK)?;
        Ok(move || Ok(reader.next_chunk()?))
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn expected_len(&self) -> usize {
        self.size as usize / POSITION
    }

    fn chunk_size(chunk: &Chunk) -> u64 {
        chunk.bytes.len() as u64
    }

    fn records<'a>(&'a self, chunk: &'a Chunk) -> impl Iterator<Item = Record<'a>> {
        Records::new(&chunk.bytes, chunk.offset)
    }

    fn error(&self, place: u64, problem: LineProblem) -> BookError {
        line_error(&self.path, place, problem)
    }
}

impl SourceRecord for Record<'_> {
    #[inline(always)]
    fn keys(&self, view: View) -> std::result::Result<Keys, LineProblem> {
        Ok(sfen_keys(self.sfen, view)?)
    }

    #[inline(always)]
    fn position(&self, view: View) -> std::result::Result<(Position, bool), LineProblem> {
        Ok(sfen_position(self.sfen, view)?)
    }

    fn push_sfen(&self, out: &mut Vec<u8>) -> std::result::Result<(), LineProblem> {
        let mut buffer = Vec::new();
        out.extend_from_slice(canonical_sfen(self.sfen, &mut buffer)?.position);
        Ok(())
    }

    fn place(&self) -> u64 {
        self.offset
    }

    #[inline(always)]
    fn moves(
        &self,
        mut visit: impl FnMut(u64, std::result::Result<BookMove, LineProblem>) -> Result<()>,
    ) -> Result<()> {
        Record::moves(self).try_for_each(|(place, line)| visit(place, line))
    }
}

/// Positions in a piece.
const PIECE: u64 = 2048;

/// A `.ybb` file.
#[derive(Clone, Debug)]
pub struct YbbSource {
    book: Arc<Ybb>,
}

impl YbbSource {
    /// The book, whose whole index is checked first.
    ///
    /// # Errors
    /// When the index is not in order or moves are not where they should be.
    pub fn new(book: Ybb) -> Result<Self> {
        book.verify()?;
        Ok(Self {
            book: Arc::new(book),
        })
    }

    /// The book.
    pub fn book(&self) -> &Ybb {
        &self.book
    }
}

impl GraphSource for YbbSource {
    /// Numbers of positions.
    type Chunk = std::ops::Range<u64>;
    type Record<'a> = YbbEntry<'a>;

    fn open(&self) -> Result<impl FnMut() -> Result<Option<Self::Chunk>> + Send + 'static> {
        let len = self.book.len();
        let mut next = 0;
        Ok(move || {
            let start = next;
            next = len.min(start + PIECE);
            Ok((start < len).then_some(start..next))
        })
    }

    fn size(&self) -> u64 {
        self.book.len()
    }

    fn expected_len(&self) -> usize {
        self.book.len() as usize
    }

    fn chunk_size(chunk: &Self::Chunk) -> u64 {
        chunk.end - chunk.start
    }

    fn records<'a>(&'a self, chunk: &'a Self::Chunk) -> impl Iterator<Item = YbbEntry<'a>> {
        // All entries were checked when the source was made.
        chunk
            .clone()
            .filter_map(|number| self.book.get(number).ok().flatten())
    }

    fn error(&self, place: u64, problem: LineProblem) -> BookError {
        BookError::byte(self.book.path(), place, problem.to_string())
    }
}

impl SourceRecord for YbbEntry<'_> {
    fn keys(&self, view: View) -> std::result::Result<Keys, LineProblem> {
        let (position, _) = SourceRecord::position(self, view)?;
        Ok(Keys::of(&position))
    }

    fn position(&self, view: View) -> std::result::Result<(Position, bool), LineProblem> {
        let position = Self::position(self).map_err(|error| LineProblem::Expected {
            expected: "a packed position",
            found: error.to_string(),
        })?;
        Ok(in_view(position, view))
    }

    fn place(&self) -> u64 {
        self.offset()
    }

    fn moves(
        &self,
        mut visit: impl FnMut(u64, std::result::Result<BookMove, LineProblem>) -> Result<()>,
    ) -> Result<()> {
        for (place, book_move) in Self::moves(self).enumerate() {
            visit(self.move_offset(place), Ok(book_move))?;
        }
        Ok(())
    }
}
