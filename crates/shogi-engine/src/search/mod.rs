//! Searches: the request that a `go` becomes, the thread that runs it, and what is reported meanwhile.

mod reporter;
mod request;
mod running;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use shogi_core::movegen::LegalAll;
use shogi_core::{Declaration, EnteringKingRule, Game, Move, Position};
use shogi_eval::loader::{AnyEvaluator, Evaluation};
use shogi_eval::nnue::FvScale;
use shogi_search::{
    Control, Limits, Observer, SearchOptions, SearchResult, SharedState, Value, quiescence,
    search_with_helpers,
};
use yane_book::probe::probe;

use crate::{Listener, SearchOutcome};
use reporter::Reporter;

pub(crate) use request::{BookRequest, SearchRequest, fit_options};
pub(crate) use running::{RunningSearch, STACK_BYTES};

/// The evaluators, the transposition table and the histories that one search leaves to the next.
pub(crate) struct SearchCore {
    evaluator: AnyEvaluator,
    /// Those of the other threads.
    helpers: Vec<AnyEvaluator>,
    /// The evaluation of the evaluators; `None` when they have to be made.
    evaluation: Option<ScaledEvaluation>,
    pub(crate) shared: SharedState,
}

/// An evaluation with the divisor of [`Evaluation::evaluator`].
#[derive(Clone, Debug)]
pub(crate) struct ScaledEvaluation {
    pub(crate) evaluation: Evaluation,
    pub(crate) scale: Option<FvScale>,
}

impl ScaledEvaluation {
    /// An evaluator for one thread.
    pub(crate) fn evaluator(&self) -> AnyEvaluator {
        self.evaluation.evaluator(self.scale)
    }

    /// Whether every position has the same value to both.
    fn is_same(&self, other: &Self) -> bool {
        self.scale == other.scale && self.evaluation.is_same(&other.evaluation)
    }
}

impl SearchCore {
    pub(crate) fn new(hash_mib: usize, evaluation: ScaledEvaluation) -> Self {
        Self {
            evaluator: evaluation.evaluator(),
            helpers: Vec::new(),
            evaluation: Some(evaluation),
            shared: SharedState::new(hash_mib),
        }
    }

    /// Evaluates with `evaluation` from now on. When it is another one, what earlier searches found is
    /// worth nothing and is forgotten.
    pub(crate) fn evaluate_with(&mut self, evaluation: ScaledEvaluation) {
        let current = self.evaluation.as_ref();
        if !current.is_some_and(|current| current.is_same(&evaluation)) {
            self.evaluator = evaluation.evaluator();
            self.helpers.clear();
            self.evaluation = Some(evaluation);
            self.shared.clear();
        }
    }

    /// Searches on so many threads, at least one, from now on.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        let helpers = threads.saturating_sub(1);
        let evaluation = self.evaluation.as_ref();
        self.helpers.resize_with(helpers, || {
            evaluation.map_or_else(without_data, ScaledEvaluation::evaluator)
        });
    }

    /// [`shogi_search::search`] with this core.
    pub(crate) fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Option<SearchResult> {
        search_with_helpers(
            game,
            limits,
            options,
            &mut self.evaluator,
            &mut self.helpers,
            &mut self.shared,
            control,
            observer,
        )
    }

    /// [`shogi_search::quiescence`] with this core.
    pub(crate) fn quiescence(
        &mut self,
        game: &Game,
        options: &SearchOptions,
    ) -> (Value, Vec<Move>) {
        quiescence(game, options, &mut self.evaluator, &mut self.shared)
    }

    /// Lets go of the evaluation, so that another can take its place in memory.
    pub(crate) fn drop_evaluation(&mut self) {
        self.evaluator = without_data();
        self.helpers.clear();
        self.evaluation = None;
    }
}

/// An evaluator that takes no memory.
fn without_data() -> AnyEvaluator {
    Evaluation::positional().evaluator(None)
}

impl SearchRequest {
    /// Finds the decision and shows lines on the way. The core is lost when the search fails.
    fn run(
        &self,
        core: SearchCore,
        control: &Control,
        listener: &dyn Listener,
    ) -> (SearchOutcome, Option<SearchCore>) {
        let rule = self.search.entering_king_rule;
        if let Some(outcome) = decided(self.game.position(), rule, &self.limits) {
            listener.decided(&outcome);
            return (outcome, Some(core));
        }
        let mut core = core;
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let outcome = self
                .probe_book(listener)
                .or_else(|| self.search(&mut core, control, listener));
            (outcome, core)
        }));
        match searched {
            Ok((outcome, core)) => (outcome.unwrap_or_else(|| self.fallback()), Some(core)),
            Err(_) => (self.fallback(), None),
        }
    }

    fn probe_book(&self, listener: &dyn Listener) -> Option<SearchOutcome> {
        let book = self.book.as_ref()?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(book.seed);
        let found = probe(&book.books, &self.game, &book.options, &mut rng);
        found
            .messages
            .iter()
            .for_each(|message| listener.book(message));
        found.choice.map(|choice| SearchOutcome::Move {
            best: choice.mv,
            ponder: choice.ponder,
        })
    }

    fn search(
        &self,
        core: &mut SearchCore,
        control: &Control,
        listener: &dyn Listener,
    ) -> Option<SearchOutcome> {
        let mut reporter = Reporter::new(listener, &self.report, &self.game);
        core.shared.params = self.params.clone();
        core.set_threads(self.threads);
        core.shared.placement = self.placement.clone();
        let result = core.search(
            &self.game,
            &self.limits,
            &self.search,
            control,
            &mut reporter,
        )?;
        reporter.flush();
        if i64::from(result.score.centipawns()) <= -self.resign_value {
            return Some(SearchOutcome::Resign);
        }
        Some(SearchOutcome::Move {
            best: result.best,
            ponder: reporter.shown_reply(result.best),
        })
    }

    /// Any move, so that an error of the program does not lose the game at once.
    fn fallback(&self) -> SearchOutcome {
        let named = self.limits.search_moves.first().copied();
        match named.or_else(|| self.game.position().moves::<LegalAll>().first().copied()) {
            Some(fallback) => SearchOutcome::Failed { fallback },
            None => SearchOutcome::Mated,
        }
    }
}

/// The decision without a search: a declaration, unless moves to search were named, or no legal move.
pub(crate) fn decided(
    position: &Position,
    rule: EnteringKingRule,
    limits: &Limits,
) -> Option<SearchOutcome> {
    if limits.search_moves.is_empty() {
        match position.declaration(rule) {
            Some(Declaration::Win) => return Some(SearchOutcome::DeclareWin),
            Some(Declaration::Try(m)) => return Some(SearchOutcome::Try(m)),
            None => {}
        }
    }
    position.has_no_legal_move().then_some(SearchOutcome::Mated)
}
