//! Growing a book along its best play ("super tera shock").
//!
//! A book in which every position has a value for each of its legal moves is a game tree that was searched as
//! far as the book goes. The next position to search is where the best play leaves it; its values change what
//! the best play is. `search_delta` adds what lies around the best play, `search_delta_on_kif` what lies around
//! it and was played in given games.
//!
//! * `net`: positions, moves and values, kept right as the book grows; the choice of a leaf.
//! * `expand`: searching a position; `chooser`: handing out positions to many engines, none twice.
//! * [`run`](fn@run): all of it, with a journal, so that nothing but the positions being searched is ever lost.
//! * [`serve`]: the same with other machines, which [`work`] and know nothing of the book.
//!
//! Reference: `makebook stera` of YaneuraOu V7.61 and its documentation; nothing is searched twice there
//! either, but for positions that end the best play by repetition, which here have a value of their own.

mod books;
mod chooser;
mod expand;
mod net;
mod queue;
mod records;
mod run;
mod store;
mod unit;

use std::path::PathBuf;

use shogi_core::EnteringKingRule;
use yane_book::db::{BadLines, LineEnd};

#[cfg(doc)]
use crate::think::Event;
use crate::think::{Observer, Summary};

pub use queue::{queue, serve, work};
pub use run::run;

/// How a book is to grow.
#[derive(Clone, Debug)]
pub struct SteraOptions {
    /// The book to begin with, `.db` or `.ybb`; need not be there.
    pub read_book: PathBuf,
    /// The book that is written, `.db`. One that is there already is part of the beginning.
    pub write_book: PathBuf,
    /// Record file of the positions from which play is followed. `None`: the even game.
    pub roots: Option<PathBuf>,
    /// Record file of games, for [`Self::search_delta_on_kif`].
    pub records: Option<PathBuf>,
    /// Positions to visit in the search of one position.
    pub nodes_limit: u64,
    /// Positions to search in this run.
    pub think_limit: u64,
    /// Write the book after so many more positions.
    pub save_interval: u64,
    /// Search leaves at this distance from the best play too; 0: do not.
    pub search_delta: i32,
    /// Search leaves at this distance from the best play that occur in the records; 0: do not.
    pub search_delta_on_kif: i32,
    /// How much less a leaf counts while it is being searched, so that others are chosen meanwhile.
    pub virtual_loss: i32,
    /// Keep the book of every save as `write_book.000001` and so on.
    pub numbered_saves: bool,
    /// Have engines forget everything before each position, so that a run can be repeated.
    pub forget: bool,
    /// When the side to move wins by declaration.
    pub entering_king: EnteringKingRule,
    /// How lines of the output end.
    pub line_end: LineEnd,
    /// What to do about lines of books that make no sense.
    pub bad_lines: BadLines,
    /// How patient to be with engines.
    pub rules: farm::Rules,
}

impl Default for SteraOptions {
    /// The defaults of the original: `book/read_book.db`, `book/write_book.db`, 30,000 nodes, 10,000,000
    /// positions, saved every 1,800.
    fn default() -> Self {
        Self {
            read_book: "book/read_book.db".into(),
            write_book: "book/write_book.db".into(),
            roots: None,
            records: None,
            nodes_limit: 30_000,
            think_limit: 10_000_000,
            save_interval: 1800,
            search_delta: 0,
            search_delta_on_kif: 0,
            virtual_loss: 50,
            numbered_saves: false,
            forget: true,
            entering_king: EnteringKingRule::CsaRule27,
            line_end: LineEnd::default(),
            bad_lines: BadLines::default(),
            rules: farm::Rules::default(),
        }
    }
}

/// What only this kind of growing tells.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The run begins.
    Begun {
        /// Positions at a time; 0: other machines search them.
        seats: usize,
        /// Positions of the book.
        positions: u64,
        /// Positions of books that were left out: a legal move has no value.
        incomplete: u64,
        /// Positions that this run finished before it was interrupted.
        finished: u64,
        /// Positions to finish in all.
        limit: u64,
        /// Bytes of the journal that a crash cost.
        lost: u64,
    },
    /// A position became part of the book; comes after [`Event::Position`].
    Grown {
        /// What the first root is worth now, if it is known.
        root_value: Option<i32>,
        /// The run so far.
        grown: &'a Grown,
    },
}

/// Hears of a book that grows along its best play.
pub trait Grower: Observer {
    /// A step is done.
    fn step(&self, step: &Step<'_>);
}

/// Hears nothing.
impl Grower for () {
    fn step(&self, _: &Step<'_>) {}
}

/// A run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Positions of the book.
    pub positions: u64,
    /// Positions that are finished, given up ones and those of interrupted runs included.
    pub finished: u64,
    /// What this process did. It is complete when all positions were searched, or no leaf is left.
    pub summary: Summary,
}
