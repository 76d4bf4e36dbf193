//! Hints: the value of moves, where it comes from, and the best play behind it.

use std::fmt;
use std::time::Duration;

use othello_book::store::GameCounts;
use othello_core::{Board, Move};
use othello_search::{Observer, SearchLine, SearchResult, Selectivity};

use crate::book::BookCandidate;

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintSource {
    /// The book.
    Book {
        /// Level of the search behind the value; `None`: unknown.
        level: Option<u8>,
        /// Games of the book behind the move, for the player who makes it.
        games: GameCounts,
    },
    /// A search.
    Search {
        /// Depth in plies.
        depth: u32,
        /// Selectivity.
        selectivity: Selectivity,
        /// True if the value is the final score of perfect play.
        is_exact: bool,
    },
}

impl HintSource {
    /// The source of a searched line.
    pub(crate) const fn of_line(line: &SearchLine) -> Self {
        Self::Search {
            depth: line.depth,
            selectivity: line.selectivity,
            is_exact: line.is_exact,
        }
    }

    /// The source of the value of a move whose position behind it has a value of this source: the games of a book are those of
    /// another move.
    pub(crate) fn seen_from_before(self) -> Self {
        match self {
            Self::Book { level, .. } => Self::Book {
                level,
                games: GameCounts::default(),
            },
            search @ Self::Search { .. } => search,
        }
    }

    /// Returns whether the value is the final score of perfect play.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Search { is_exact: true, .. })
    }
}

/// Writes `12@93%`, or `book`.
impl fmt::Display for HintSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Book { .. } => f.pad("book"),
            Self::Search {
                depth, selectivity, ..
            } => f.pad(&format!("{depth}@{selectivity}")),
        }
    }
}

/// A move with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The move; a pass if it is forced.
    pub mv: Move,
    /// Value in discs for the player to move.
    pub score: i32,
    /// The same in tenths of a disc; of books and perfect play ten times `score`.
    pub tenths: i32,
    /// The source of the value.
    pub source: HintSource,
    /// The best play, the move first, passes included.
    pub pv: Vec<Move>,
    /// Boards visited for this move; shallower searches of all moves count for the first.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
}

impl Hint {
    pub(crate) fn of_book(found: &BookCandidate, pv: Vec<Move>) -> Self {
        Self {
            mv: found.mv,
            score: found.score,
            tenths: 10 * found.score,
            source: HintSource::Book {
                level: found.level,
                games: found.games,
            },
            pv,
            nodes: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// A move that ends the game, with the final score.
    pub(crate) fn of_end(mv: Move, score: i32) -> Self {
        Self {
            mv,
            score,
            tenths: 10 * score,
            source: HintSource::Search {
                depth: 0,
                selectivity: Selectivity::Exact,
                is_exact: true,
            },
            pv: vec![mv],
            nodes: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// The move of a line whose score is that of perfect play, as the position behind it has it.
    pub(crate) fn of_exact(line: &SearchLine, nodes: u64, elapsed: Duration) -> Self {
        Self {
            mv: line.best,
            score: line.score,
            tenths: line.tenths,
            source: HintSource::Search {
                depth: line.depth.saturating_sub(1),
                selectivity: line.selectivity,
                is_exact: line.is_exact,
            },
            pv: line.pv.clone(),
            nodes,
            elapsed,
        }
    }

    /// Games of the book behind the move, for the player who makes it; `None` if the book has none.
    pub fn games(&self) -> Option<GameCounts> {
        match self.source {
            HintSource::Book { games, .. } => Some(games).filter(|games| games.total() > 0),
            HintSource::Search { .. } => None,
        }
    }

    /// The best play as a transcript without passes, which follow from the moves.
    pub fn transcript(&self) -> String {
        let moves = self.pv.iter().filter(|&&mv| mv != Move::Pass);
        moves.map(ToString::to_string).collect()
    }
}

/// The best moves of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Value of the best move in discs for the player to move, or the final score of a finished game.
    pub score: i32,
    /// The moves, best first. Empty if the game is over, or if the search was stopped before it knew anything.
    pub moves: Vec<Hint>,
    /// Boards visited.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
    /// True if the search ended before it was done.
    pub is_interrupted: bool,
}

impl Hints {
    /// The best `lines` of some moves; those of the same score stay in their order.
    pub(crate) fn new(
        board: Board,
        mut moves: Vec<Hint>,
        lines: usize,
        result: Option<&SearchResult>,
    ) -> Self {
        moves.sort_by_key(|hint| (-hint.score, -hint.tenths));
        moves.truncate(lines);
        Self {
            score: moves.first().map_or(board.score(), |best| best.score),
            moves,
            nodes: result.map_or(0, |result| result.nodes),
            elapsed: result.map_or(Duration::ZERO, |result| result.elapsed),
            is_interrupted: result.is_some_and(|result| result.is_interrupted),
        }
    }
}

/// What each line of the last iteration cost.
pub(crate) struct Costs<'a> {
    observer: &'a mut dyn Observer,
    lines: Vec<(Move, u64, Duration)>,
    before: (u64, Duration),
}

impl<'a> Costs<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer) -> Self {
        Self {
            observer,
            lines: Vec::new(),
            before: (0, Duration::ZERO),
        }
    }

    pub(crate) fn hint(&self, line: &SearchLine) -> Hint {
        let cost = self.lines.iter().rev().find(|(mv, ..)| *mv == line.best);
        let (nodes, elapsed) = cost.map_or((0, Duration::ZERO), |&(_, nodes, time)| (nodes, time));
        Hint {
            mv: line.best,
            score: line.score,
            tenths: line.tenths,
            source: HintSource::of_line(line),
            pv: line.pv.clone(),
            nodes,
            elapsed,
        }
    }
}

impl Observer for Costs<'_> {
    fn line(&mut self, index: usize, line: &SearchLine, nodes: u64, elapsed: Duration) {
        if index == 0 {
            // Everything so far counts for the best move.
            self.lines.clear();
            self.before = (0, Duration::ZERO);
        }
        let (nodes_before, time_before) = self.before;
        let time = elapsed.saturating_sub(time_before);
        let cost = (line.best, nodes.saturating_sub(nodes_before), time);
        self.lines.push(cost);
        self.before = (nodes, elapsed);
        self.observer.line(index, line, nodes, elapsed);
    }
}
