//! Analysis of positions one after the other, without a GUI: for book making, teacher data and tools.
//!
//! A [`Thinker`] takes a game and limits and returns lines. [`crate::Searcher`] is this engine's search, [`crate::UsiThinker`] any
//! engine as a process; both follow the same rules, so that their users need not know which it is.

pub(crate) mod lines;
pub(crate) mod usi;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::{Game, Move};
use shogi_search::{Control, Limits, TimeLimit};
use shogi_usi::client::EngineError;
use shogi_usi::{Score, ScoreBound};
use thiserror::Error;

use crate::listener::PvEnd;

/// The limits of a thought. All limits that are given apply; at least one of depth, nodes, time and stop has to
/// be.
#[derive(Clone, Debug, Default)]
pub struct ThinkLimits {
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Number of positions visited.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// Number of best lines to find; 0 counts as 1.
    pub lines: usize,
    /// Consider only these moves, all of them legal; all moves when empty.
    pub search_moves: Vec<Move>,
    /// Set by another thread to end the search; the answer is the best one found by then.
    pub stop: Option<Arc<AtomicBool>>,
    /// Most moves of each line that are needed; all when `None`. Further moves of an engine process are not parsed, nor
    /// is the expected reply when this is below 2. An engine in this process always reports all.
    pub line_moves: Option<usize>,
}

impl ThinkLimits {
    /// Checks that a search of `game` ends, and that the moves to consider are legal.
    pub(crate) fn check(&self, game: &Game) -> Result<(), ThinkError> {
        let ends = self.depth.is_some() || self.nodes.is_some() || self.time.is_some();
        if !ends && self.stop.is_none() {
            return Err(ThinkError::NoLimit);
        }
        let illegal = |&&m: &&Move| !game.position().is_legal(m);
        match self.search_moves.iter().find(illegal) {
            Some(&m) => Err(ThinkError::IllegalMove(m)),
            None => Ok(()),
        }
    }

    /// The same limits for a search in this process; 0 nodes count as 1.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes.map(|nodes| nodes.max(1)),
            time: self.time.map_or(TimeLimit::None, TimeLimit::MoveTime),
            search_moves: self.search_moves.clone(),
            infinite: false,
        }
    }

    /// The control of such a search, which `stop` ends.
    pub(crate) fn control(&self) -> Control {
        Control::with_stop(self.stop.clone().unwrap_or_default())
    }

    fn is_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The decision in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Play `best`.
    Play {
        /// The move.
        best: Move,
        /// The reply that is expected.
        ponder: Option<Move>,
    },
    /// Give up, or there is no legal move.
    Resign,
    /// Declare a win (入玉宣言).
    DeclareWin,
}

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThoughtLine {
    /// Depth of the iteration, in plies; 0 when nothing was searched.
    pub depth: u32,
    /// Deepest ply reached; 0 when it is not known.
    pub sel_depth: u32,
    /// Score for the side to move.
    pub score: Score,
    /// Set when the score is only a bound.
    pub bound: Option<ScoreBound>,
    /// The line, best move first. Empty when the position itself is the end.
    pub pv: Vec<Move>,
    /// The end of the line, where that is known.
    pub end: Option<PvEnd>,
}

/// The playouts of the deep engine that went through a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveVisits {
    /// The move.
    pub mv: Move,
    /// The number of playouts, at least 1, those of earlier searches of the same tree included.
    pub visits: u32,
    /// The probability that the move wins, 0 to 1; 0 or 1 when that is proved.
    pub win_rate: f32,
}

/// The result of thinking about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The decision.
    pub decision: Decision,
    /// The lines, best first. May be empty when an engine reported none.
    pub lines: Vec<ThoughtLine>,
    /// All moves that playouts of the deep engine in this process went through, the best first. Empty for other engines, and when
    /// nothing was searched.
    pub visits: Vec<MoveVisits>,
    /// Positions visited, as reported; playouts of the deep engine.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
}

/// An error of a thinker.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThinkError {
    /// The limits would never end the search.
    #[error("thinking needs a limit: depth, nodes, time or a way to stop it")]
    NoLimit,
    /// A move to consider is not legal in the position.
    #[error("{0} is not legal in the position")]
    IllegalMove(Move),
    /// An engine process failed, or did not answer in time. It is not used again.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine process wants to play a move that is not legal.
    #[error("{engine} answered {answer}, which is not legal after {position:?}")]
    IllegalAnswer {
        /// The engine.
        engine: String,
        /// The answer of the engine.
        answer: String,
        /// The position, as in the command `position`.
        position: String,
    },
    /// The engine process failed earlier.
    #[error("{0} has failed before and is not used again")]
    Broken(String),
    /// The search failed by an error of the program.
    #[error("the search failed")]
    Failed,
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl From<std::io::Error> for ThinkError {
    fn from(error: std::io::Error) -> Self {
        Self::Thread(error)
    }
}

impl ThinkError {
    /// True if an engine process said of an error while it got ready: it would work with something else than it was told.
    pub const fn is_reported(&self) -> bool {
        matches!(self, Self::Engine(EngineError::Reported { .. }))
    }
}

/// An engine that searches positions.
///
/// Answers depend only on the game, the limits and the searches since the last [`Self::new_game`]; with one thread and
/// without a limit of time they are reproducible.
pub trait Thinker: Send {
    /// The name of the engine.
    fn name(&self) -> &str;

    /// Clears the transposition table and histories.
    ///
    /// # Errors
    /// When an engine process fails.
    fn new_game(&mut self) -> Result<(), ThinkError>;

    /// Begins another game. The transposition table and histories may stay, which saves time.
    ///
    /// # Errors
    /// When an engine process fails.
    fn next_game(&mut self) -> Result<(), ThinkError>;

    /// Thinks about the current position of `game`. A possible declaration win is declared, unless moves to consider
    /// are given.
    ///
    /// # Errors
    /// See [`ThinkError`].
    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError>;
}

impl<T: Thinker + ?Sized> Thinker for Box<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        (**self).new_game()
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        (**self).next_game()
    }

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        (**self).think(game, limits)
    }
}
