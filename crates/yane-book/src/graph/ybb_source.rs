//! `.ybb` files as a source of positions.

use std::sync::Arc;

use shogi_core::Position;

use super::keys::in_view;
use super::{Keys, Source, SourceRecord, View};
use crate::db::Fault;
use crate::ybb::{Entry, Ybb};
use crate::{BookError, BookMove, Result};

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

impl Source for YbbSource {
    /// Numbers of positions.
    type Chunk = std::ops::Range<u64>;
    type Record<'a> = Entry<'a>;

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

    fn records<'a>(&'a self, chunk: &'a Self::Chunk) -> impl Iterator<Item = Entry<'a>> {
        // All entries were checked when the source was made.
        chunk
            .clone()
            .filter_map(|number| self.book.get(number).ok().flatten())
    }

    fn error(&self, place: u64, fault: Fault) -> BookError {
        BookError::byte(self.book.path(), place, fault.to_string())
    }
}

impl SourceRecord for Entry<'_> {
    fn keys(&self, view: View) -> std::result::Result<Keys, Fault> {
        let (position, _) = SourceRecord::position(self, view)?;
        Ok(Keys::of(&position))
    }

    fn position(&self, view: View) -> std::result::Result<(Position, bool), Fault> {
        let position = Self::position(self).map_err(|error| Fault::Expected {
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
        mut visit: impl FnMut(u64, std::result::Result<BookMove, Fault>) -> Result<()>,
    ) -> Result<()> {
        for (place, book_move) in Self::moves(self).enumerate() {
            visit(self.move_offset(place), Ok(book_move))?;
        }
        Ok(())
    }
}
