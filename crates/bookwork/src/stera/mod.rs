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
//!
//! Reference: `makebook stera` of YaneuraOu V7.61 and its documentation; nothing is searched twice there
//! either, but for positions that end the best play by repetition, which here have a value of their own.

mod books;
mod chooser;
mod expand;
mod net;
mod records;
mod run;
mod store;
mod unit;

use std::path::PathBuf;

use farm::Seat;
use shogi_core::EnteringKingRule;
use yane_book::db::{BadLines, LineEnd};

pub use run::run;
pub use unit::{Leaf, Outcome};

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

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum SteraEvent<'a> {
    /// The run begins.
    Begun {
        /// Positions of the book.
        positions: u64,
        /// Positions of books that were left out: a legal move has no value.
        incomplete: u64,
        /// Positions that this run searched before it was interrupted.
        finished: u64,
        /// Positions to search in all.
        limit: u64,
        /// Bytes of the journal that a crash cost.
        lost: u64,
    },
    /// A position was searched.
    Searched {
        /// Where.
        seat: usize,
        /// The position.
        leaf: &'a Leaf,
        /// What came of it.
        outcome: &'a Outcome,
        /// What the first root is worth now, if it is known.
        root_value: Option<i32>,
        /// What was done so far.
        summary: &'a SteraSummary,
    },
    /// An engine failed, and is started again.
    Failed {
        /// Its seat.
        seat: usize,
        /// What happened.
        reason: &'a str,
    },
    /// An engine failed too often, and works no more.
    Closed {
        /// Its seat.
        seat: usize,
        /// What happened last.
        reason: &'a str,
    },
    /// The book was written.
    Saved {
        /// Where.
        path: &'a std::path::Path,
        /// Its positions.
        positions: u64,
    },
    /// Time goes by, ten times a second.
    Tick {
        /// The seats, in order.
        seats: &'a [std::sync::Arc<Seat>],
    },
}

/// What a run did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SteraSummary {
    /// Positions of the book.
    pub positions: u64,
    /// Positions searched since this process began.
    pub searched: u64,
    /// Positions that were searched, given up ones and those of interrupted runs included.
    pub finished: u64,
    /// Positions that engines failed on again and again.
    pub given_up: u64,
    /// How often engines failed.
    pub failures: u64,
    /// Time since this process began.
    pub elapsed: std::time::Duration,
    /// Whether the run has reached its end: all positions are searched, or no leaf is left.
    pub is_complete: bool,
}

impl SteraSummary {
    /// Positions searched a second.
    pub fn rate(&self) -> f64 {
        self.searched as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}
