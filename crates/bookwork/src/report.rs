//! Reports and counts of runs that grow books.

use shogi_core::Position;
use yane_book::BookMove;

use yane_book::extend_tree::ExtendTreeReport;
use yane_book::peta_shock::PetaShockReport;

/// Runs that grow books.
#[derive(Clone, Copy, Debug)]
pub struct BookRun;

impl farm::RunKind for BookRun {
    type Report<'a> = BookReport<'a>;
    type Totals = BookTotals;
}

/// An event of a run that grows a book.
pub type BookRunEvent<'a> = farm::Event<'a, BookRun>;

/// Called with every event of a run that grows a book.
pub type BookObserver<'o> = farm::RunObserver<'o, BookRun>;

/// A run that grows a book, in numbers.
pub type BookSummary = farm::Summary<BookTotals>;

/// Events of runs that grow books.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookReport<'a> {
    /// The search of a list of positions starts.
    Started {
        /// Positions at a time; 0: other machines search them.
        workers: usize,
        /// Number of positions to search, by kind.
        counts: &'a ThinkCounts,
    },
    /// A position was searched, and is safe.
    Searched {
        /// The worker that did it, none when another machine did.
        worker: Option<usize>,
        /// The position.
        position: &'a Position,
        /// Its moves, best first.
        moves: &'a [BookMove],
        /// Depth of the best line that was reached, in plies.
        depth: u32,
        /// Nodes searched.
        nodes: u64,
    },
    /// Engines failed at a position so often that it is given up.
    GivenUp {
        /// The position.
        position: &'a Position,
    },
    /// A step of [`crate::endless`].
    Endless(EndlessStep<'a>),
    /// A step of [`mod@crate::mine`].
    Mine(MineStep<'a>),
    /// A step of [`crate::stera`].
    Stera(SteraStep),
}

/// The positions of records: how many there are, and how many are left to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkCounts {
    /// Games read.
    pub games: u64,
    /// Positions of the records.
    pub found: u64,
    /// Of those, the ones of this process's shard.
    pub share: u64,
    /// Of those, mates and positions won by declaration.
    pub ended: u64,
    /// Of those, the ones that the book knows well enough.
    pub known: u64,
    /// Of those, the ones whose moves have no value ([`yane_book::lacks_values`]): moves of records, which have depth 32.
    pub known_without_value: u64,
    /// The rest: the positions to search.
    pub to_do: u64,
    /// Positions that an earlier run left in the journal and that are in the book now.
    pub recovered: u64,
}

/// Counts of runs that grow books.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookTotals {
    /// Number of positions to search, by kind.
    pub counts: ThinkCounts,
    /// Moves that were written for the searched positions.
    pub moves: u64,
    /// Nodes searched for them.
    pub nodes: u64,
    /// Comments of the book about moves that were replaced, which are left out.
    pub comments_left_out: u64,
}

impl BookTotals {
    /// Adds those of a later round: the counts are those of the last round.
    pub(crate) fn add(&mut self, later: &Self) {
        self.counts = later.counts;
        self.moves += later.moves;
        self.nodes += later.nodes;
        self.comments_left_out += later.comments_left_out;
    }
}

/// Reason why a run in rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The limit of rounds is reached.
    Rounds,
    /// The limit of positions is reached.
    Positions,
    /// The time limit is reached.
    Time,
    /// No line leaves the book any more that leads to a new position.
    NothingLeft,
    /// Engines failed at every position of a round.
    Failing,
    /// The run was interrupted; the same call resumes it.
    Interrupted,
}

/// A step between rounds.
#[derive(Debug)]
#[non_exhaustive]
pub enum EndlessStep<'a> {
    /// An interrupted run is resumed with the lines that it had listed.
    Resumed {
        /// Number of rounds before.
        number: u64,
    },
    /// Lines were listed.
    Listed {
        /// Number of rounds before.
        number: u64,
        /// Report on the listed positions.
        report: &'a ExtendTreeReport,
    },
    /// The book has grown by these lines.
    Grown {
        /// Summary of the round.
        summary: &'a BookSummary,
    },
}

/// A step between rounds.
#[derive(Debug)]
#[non_exhaustive]
pub enum MineStep<'a> {
    /// An interrupted run is resumed.
    Resumed {
        /// The round, from 1.
        round: u64,
        /// Positions searched by then.
        searched: u64,
    },
    /// The positions of a round were listed.
    Listed {
        /// The round, from 1.
        round: u64,
        /// The report of peta shock; `None` when the book is still empty.
        peta: Option<&'a PetaShockReport>,
        /// Positions outside of the book on the best lines.
        found: u64,
        /// Number of those positions that this round searches.
        chosen: u64,
    },
    /// The positions of the round were searched.
    Grown {
        /// Summary of the round.
        summary: &'a BookSummary,
    },
    /// The final book was written.
    Finished {
        /// The report of peta shock.
        peta: &'a PetaShockReport,
    },
}

/// A step of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum SteraStep {
    /// The run starts.
    Started {
        /// Positions at a time; 0: other machines search them.
        workers: usize,
        /// Positions of the book.
        positions: u64,
        /// Positions of books that were left out: a legal move has no value.
        incomplete: u64,
        /// Positions that this run finished before it was interrupted.
        finished: u64,
        /// Positions to finish in all.
        limit: u64,
        /// Bytes of the journal that were left out after a crash.
        lost: u64,
    },
    /// A position became part of the book; comes after [`BookReport::Searched`].
    Grown {
        /// The value of the first root, if it is known.
        root_value: Option<i32>,
        /// Positions of the book.
        positions: u64,
        /// Positions that are finished, those of interrupted runs included.
        finished: u64,
    },
}
