//! The books as an engine plays from them.

use std::cmp::Reverse;
use std::sync::Arc;

use shogi_core::{Move, Position};
use yane_book::edit::{EntryMatching, OverlaidBook};
use yane_book::probe::{Books, OpenBook, PositionBook};

use crate::fields::{behind, legal};

/// A move that a book knows. What it does not say is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvisedMove {
    /// The move, legal.
    pub mv: Move,
    /// The expected reply, legal after the move.
    pub reply: Option<Move>,
    /// Centipawns for the side that makes it.
    pub score: Option<i32>,
    /// The depth of the score, in plies.
    pub depth: Option<i32>,
    /// How often it was played, as a rule.
    pub count: Option<u64>,
}

/// What the first book says that knows a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookAnswer {
    /// By which name requests know the book.
    pub book: String,
    /// Its moves, by count, then by score, both falling.
    pub moves: Vec<AdvisedMove>,
}

/// The opened books that an engine plays from, as they are at a moment: edits that were not saved are in them. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct OpenBooks(Arc<[(String, Arc<OverlaidBook>)]>);

impl OpenBooks {
    pub(super) fn new(books: impl IntoIterator<Item = (String, Arc<OverlaidBook>)>) -> Self {
        Self(books.into_iter().collect())
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of books.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The moves of the first book, in their order, that has legal ones for the position: as it is, at another ply, or turned. A book that
    /// is damaged at this position is passed over.
    pub fn find(&self, position: &Position) -> Option<BookAnswer> {
        let mut answers = self.0.iter().filter_map(|(name, book)| {
            let found = book.find(position, EntryMatching::default()).ok()??;
            let known = found.into_moves();
            let moves = known.iter().filter_map(|known| {
                let mv = legal(position, known.mv?)?;
                let reply = known.reply;
                Some(AdvisedMove {
                    mv,
                    reply: reply.and_then(|reply| legal(&behind(position, mv), reply)),
                    score: known.score,
                    depth: known.depth,
                    count: known.count,
                })
            });
            let mut moves: Vec<_> = moves.collect();
            moves
                .sort_by_key(|known| Reverse((known.count.unwrap_or(1), known.score.unwrap_or(0))));
            (!moves.is_empty()).then(|| BookAnswer {
                book: name.clone(),
                moves,
            })
        });
        answers.next()
    }

    /// The same books as [`yane_book::probe`] asks them.
    pub fn to_probe(&self) -> Books {
        let books = self.0.iter();
        let open = books.map(|(_, book)| {
            let book: Arc<dyn PositionBook> = Arc::clone(book) as _;
            OpenBook::from(book)
        });
        Books::from(open.collect::<Vec<_>>())
    }
}
