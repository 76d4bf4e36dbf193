//! Choosing a move from a book during a game.
//!
//! [`probe`] looks the position up, lists the moves of the book, leaves out those that the options
//! do not want and draws one of the rest. It touches nothing but the books and the random numbers
//! that it is given; what there is to show comes back as [`Message`]s.
//!
//! # The rules
//!
//! 1. `USI_OwnBook`, `BookIgnoreRate` and `BookMoves` may say that the book is not used.
//! 2. The books are asked in turn ([`Books::find`]); the first that knows the position answers. Its
//!    moves are sorted by count, then by value. Illegal ones are left out with a message.
//! 3. Every move is shown, with what the book expects to follow.
//! 4. `NarrowBook`, the depth limit and the limits of value leave moves out. All of them compare with
//!    the *first* move of the order above, which need not be the one with the best value.
//! 5. One of the rest is drawn, evenly or as often as its count.
//!
//! # Messages
//!
//! They are those of `YaneuraOu` 9.70, with these differences. There is no line of depth 0 for the
//! move that was chosen: as line 1 it would replace the first move in the list that a GUI shows. The
//! limit of depth is not announced as `info string info string`. An illegal move is named instead of
//! called `none`, and told of only where it stands, not while lines are followed through the book.

mod books;
mod mapped_db;
mod message;
mod options;
mod select;

use shogi_core::{Game, Move};
use yane_base::random::{Rng, RngExt};

use crate::Result;

use select::{draw, total_count, walk};

pub(crate) use books::APERY_DEPTH;
pub use books::{Books, OpenBook, OpenOptions, PositionBook, book_files};
pub use mapped_db::MappedDb;
pub(crate) use mapped_db::without_ply;
pub use message::{Line, Message};
pub use options::{ProbeOptions, Profile};
pub use select::{Candidate, Listed, Selection, select};

/// The move to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, legal.
    pub mv: Move,
    /// The reply that the book expects, legal after the move.
    pub ponder: Option<Move>,
    /// Value of the move in the book, for the side that plays it.
    pub eval: i32,
}

/// The result of [`probe`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The move to play; `None` when the book has none that the options allow.
    pub choice: Option<Choice>,
    /// Messages to show, in this order.
    pub messages: Vec<Message>,
}

/// Asks the books about the current position of `game`. The same random numbers give the same answer.
pub fn probe(books: &Books, game: &Game, options: &ProbeOptions, rng: &mut impl Rng) -> Probe {
    if options.ignore_rate > rng.random_range(0..100) {
        return Probe::default();
    }
    try_probe(books, game, options, rng).unwrap_or_else(|error| Probe {
        choice: None,
        messages: vec![Message::Broken(error.to_string())],
    })
}

fn try_probe(
    books: &Books,
    game: &Game,
    options: &ProbeOptions,
    rng: &mut impl Rng,
) -> Result<Probe> {
    let selection = select(books, game.position(), options)?;
    let mut messages = selection.illegal;
    let total = total_count(&selection.listed);
    for (at, listed) in selection.listed.iter().enumerate() {
        let (pv, end) = walk(
            books,
            game,
            listed.mv,
            options.pv_moves,
            options.flipped,
            rng,
        )?;
        messages.push(Message::Line(Line {
            number: at + 1,
            depth: listed.book_move.depth,
            eval: listed.book_move.eval,
            pv,
            end,
            count: listed.book_move.count,
            total,
        }));
    }
    messages.extend(selection.notes);
    let weights: Vec<_> = selection.candidates.iter().map(|c| c.weight).collect();
    let choice = draw(&weights, rng).map(|at| {
        let Candidate {
            mv, ponder, eval, ..
        } = selection.candidates[at];
        Choice { mv, ponder, eval }
    });
    Ok(Probe { choice, messages })
}
