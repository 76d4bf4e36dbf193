//! The search of the alpha-beta engine as a thinker.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shogi_core::{Game, Move};
use shogi_deep::EvaluationError;
use shogi_eval::loader::Evaluation;
use shogi_search::{Control, Limits, Params, SearchOptions, SearchResult, Value};
use shogi_usi::Score;

use super::core::{ScaledEvaluation, SearchCore};
use crate::listener::usi_score;
use crate::search::request::{decided, fit_options};
use crate::teacher::BareScore;
use crate::thinker::lines::{Lines, without_search};
use crate::thinker::{Decision, ThinkError, ThinkLimits, Thinker, Thought};

/// An independent search: an evaluator, a transposition table and histories. Any number of searchers share the data of
/// one evaluation.
///
/// [`crate::Session::searcher`] makes one. Searches need stack: call [`Thinker::think`] on a thread with
/// at least [`Searcher::STACK_BYTES`].
pub struct Searcher {
    evaluation: Evaluation,
    core: SearchCore,
    options: SearchOptions,
    /// Scores of at most this many centipawns below zero are resigned.
    resign_value: i64,
    /// True if ends of lines are reported.
    consideration: bool,
}

impl Searcher {
    /// Size of the stack that thinking needs.
    pub const STACK_BYTES: usize = crate::search::STACK_BYTES;

    /// A searcher with a transposition table of `hash_mib` mebibytes.
    pub(super) fn new(
        evaluation: ScaledEvaluation,
        hash_mib: usize,
        options: SearchOptions,
        resign_value: i64,
        consideration: bool,
    ) -> Self {
        Self {
            evaluation: evaluation.evaluation.clone(),
            core: SearchCore::new(hash_mib, evaluation),
            options,
            resign_value,
            consideration,
        }
    }

    /// Another searcher on one thread with the same evaluation, options and size of its table, which has searched nothing yet.
    #[must_use]
    pub fn sibling(&self) -> Self {
        let mut core = SearchCore::new(self.core.shared.hash_mib(), self.core.evaluation().clone());
        core.shared.params = self.core.shared.params.clone();
        Self {
            evaluation: self.evaluation.clone(),
            core,
            options: self.options.clone(),
            resign_value: self.resign_value,
            consideration: self.consideration,
        }
    }

    /// The evaluation, which other searchers may share ([`Evaluation::is_same`]).
    pub const fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Quiescence search of the current position: its value for the side to move, and the moves to the quiet leaf.
    /// Depends only on the position and the evaluation; the transposition table and histories are cleared.
    pub fn quiet_line(&mut self, game: &Game) -> (Value, Vec<Move>) {
        self.core.quiescence(game, &self.options)
    }

    /// Sets the parameters of the search.
    pub(super) const fn set_params(&mut self, params: Params) {
        self.core.shared.params = params;
    }

    /// Sets the number of threads from the next thought on; at first it is one.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.core.set_threads(threads);
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        control: &Control,
    ) -> Result<(SearchResult, Lines), ThinkError> {
        let mut lines = Lines::default();
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.core.search(game, limits, options, control, &mut lines)
        }));
        match result {
            Ok(Some(result)) => Ok((result, lines)),
            // Without a legal move nothing is searched.
            Ok(None) => Err(ThinkError::Failed),
            Err(_) => {
                // Its state may be inconsistent.
                self.core.shared.clear();
                Err(ThinkError::Failed)
            }
        }
    }
}

impl Thinker for Searcher {
    fn name(&self) -> &'static str {
        concat!("yaneura ", env!("CARGO_PKG_VERSION"))
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.core.shared.new_game();
        Ok(())
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        Ok(())
    }

    fn think(&mut self, game: &Game, task: &ThinkLimits) -> Result<Thought, ThinkError> {
        task.check(game)?;
        let (limits, control) = (task.limits(), task.control());
        let position = game.position();
        let rule = self.options.entering_king_rule;
        if let Some(outcome) = decided(position, rule, &limits) {
            return Ok(without_search(&outcome, control.elapsed()));
        }
        let mut options = self.options.clone();
        options.multi_pv = task.lines.max(1);
        fit_options(&mut options, position, &limits);
        let (result, lines) = self.search(game, &limits, &options, &control)?;
        let resigns = i64::from(result.score.centipawns()) <= -self.resign_value;
        let play = Decision::Play {
            best: result.best,
            ponder: result.ponder,
        };
        Ok(Thought {
            decision: if resigns { Decision::Resign } else { play },
            lines: lines.reported(game, self.consideration.then_some(rule)),
            visits: Vec::new(),
            nodes: result.nodes,
            elapsed: control.elapsed(),
        })
    }
}

impl BareScore for Searcher {
    fn score(&mut self, game: &Game) -> Result<Score, EvaluationError> {
        Ok(usi_score(self.quiet_line(game).0))
    }
}
