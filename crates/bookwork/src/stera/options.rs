//! How a book is grown, and what came of it.

use shogi_farm::EngineContents;
use std::path::PathBuf;

use farm::RetryPolicy;
use shogi_core::EnteringKingRule;
use yane_book::db::{BadLines, LineEnd};

use crate::report::BookSummary;

#[cfg(doc)]
use crate::report::BookReport;

/// Options of a run that grows a book.
#[derive(Clone, Debug)]
pub struct SteraOptions {
    /// The book to start with, `.db` or `.ybb`; need not be there.
    pub read_book: PathBuf,
    /// The book that is written, `.db`. One that is there already grows.
    pub write_book: PathBuf,
    /// Record file of the positions from which play is followed. `None`: the even game.
    pub roots: Option<PathBuf>,
    /// Record file of games, for [`Self::search_delta_on_kif`].
    pub records: Option<PathBuf>,
    /// Nodes of the search of one position.
    pub nodes_limit: u64,
    /// Positions to search in this run.
    pub think_limit: u64,
    /// Write the book after so many more positions.
    pub save_interval: u64,
    /// Search leaves at this distance from the best play too; 0: do not.
    pub search_delta: i32,
    /// Search leaves at this distance from the best play that occur in the records; 0: do not.
    pub search_delta_on_kif: i32,
    /// Virtual loss: how much less a leaf counts while it is being searched, so that others are chosen meanwhile.
    pub virtual_loss: i32,
    /// Keep the book of every save as `write_book.000001` and so on.
    pub numbered_saves: bool,
    /// Have engines forget everything before each position, so that a run can be repeated.
    pub forget: bool,
    /// Rule by which the side to move wins by declaration.
    pub entering_king: EnteringKingRule,
    /// Line end of the output.
    pub line_end: LineEnd,
    /// Treatment of invalid lines of books.
    pub bad_lines: BadLines,
    /// Time limit and retries of engines.
    pub policy: RetryPolicy,
    /// What the engines read, as far as it is on this machine. What was searched with other contents is not mixed in.
    pub contents: Vec<EngineContents>,
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
            policy: RetryPolicy::default(),
            contents: Vec::new(),
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteraSummary {
    /// Positions of the book.
    pub positions: u64,
    /// Positions that are finished, given up ones and those of interrupted runs included.
    pub finished: u64,
    /// Summary of this process. It is complete when all positions were searched, or no leaf is
    /// left.
    pub summary: BookSummary,
}
