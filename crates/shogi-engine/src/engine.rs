//! The engine of a session, which the evaluation chooses: alpha-beta, or the deep one.
//!
//! An engine is made when an evaluation is loaded, and gone when another one is. What one search leaves to the next (transposition
//! table, tree) is in its [`Memory`], which the thread of a search has while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shogi_core::{Game, Move, Position};
use shogi_deep::{CacheCounts, EvaluationError};
use shogi_search::Control;
use shogi_usi::GoCommand;

use crate::listener::{Listener, SearchOutcome};
use crate::options::EngineOptions;
use crate::search::book::BookRequest;
use crate::teacher::BareEvaluator;
use crate::thinker::Thinker;

/// A search to be made.
pub(crate) struct SearchTask {
    /// The command.
    pub(crate) go: GoCommand,
    /// The game that is searched: for a ponder search with `Stochastic_Ponder` the one before the last move.
    pub(crate) game: Arc<Game>,
    /// The moves to search; all when empty.
    pub(crate) search_moves: Vec<Move>,
    /// Makes the times of `rtime`, and the moves of limited strength, differ.
    pub(crate) random: u64,
    /// The book, probed before searching; `None` when the search itself is wanted.
    pub(crate) book: Option<BookRequest>,
}

/// A search, to be made on a thread of its own: it finds the decision and reports lines meanwhile.
pub(crate) type SearchWork = Box<dyn FnOnce(&Control, &dyn Listener) -> SearchOutcome + Send>;

/// What the network of an engine says about a position: the probability that the side to move wins, and its moves with the
/// probabilities of the policy, the largest first.
pub(crate) type NetworkView = (f32, Vec<(Move, f32)>);

/// What plays with an evaluation. No method is called while a search of it runs, but for those that take `&self`.
pub(crate) trait Engine: Send {
    /// Prepares for a game: allocates memory, and forgets what earlier searches have left. The size of the transposition table in
    /// mebibytes.
    fn prepare(&mut self, options: &EngineOptions) -> usize;

    /// The next search knows nothing of the last game.
    fn new_game(&mut self);

    /// Gives memory back that other searches may need; the next search takes it again.
    fn make_room(&mut self) {}

    /// The search of a task, with the memory of the engine.
    fn search(&mut self, task: SearchTask, options: &EngineOptions) -> SearchWork;

    /// An independent engine with the same evaluation on `threads` threads, at least one; with a transposition table of `hash_mib`
    /// mebibytes where it has one.
    fn thinker(&self, options: &EngineOptions, hash_mib: usize, threads: usize)
    -> Box<dyn Thinker>;

    /// An evaluator of positions without a search.
    fn bare_evaluator(&self, options: &EngineOptions) -> BareEvaluator;

    /// Static evaluation of a position for the side to move, in the internal unit (a pawn is 90).
    fn evaluate(&self, pieces: &Position, options: &EngineOptions) -> i32;

    /// Checks that positions can be evaluated.
    ///
    /// # Errors
    /// What the evaluation of a network says.
    fn check(&self) -> Result<(), EvaluationError> {
        Ok(())
    }

    /// What a policy and value network says about the current position of `game`; `None` where there is none.
    fn view(&self, game: &Game, options: &EngineOptions) -> Option<NetworkView> {
        let _ = (game, options);
        None
    }

    /// Takes what has happened to the connection to a server since the last time, in lines for people.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the memory of a network's evaluations has done; `None` where there is none.
    fn cache_counts(&self) -> Option<CacheCounts> {
        None
    }
}

/// What one search leaves to the next: empty before the first, while a search has it, and after a search failed.
pub(crate) struct Memory<T>(Arc<Mutex<Option<T>>>);

impl<T> Memory<T> {
    /// Nothing yet.
    pub(crate) fn empty() -> Self {
        Self(Arc::default())
    }

    /// A handle for the thread of a search.
    pub(crate) fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Returns whether something is there.
    pub(crate) fn is_there(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes what is there.
    pub(crate) fn take(&self) -> Option<T> {
        self.lock().take()
    }

    /// Puts it back.
    pub(crate) fn put(&self, memory: T) {
        *self.lock() = Some(memory);
    }

    /// Changes what is there, if anything is.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        if let Some(memory) = &mut *self.lock() {
            change(memory);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
