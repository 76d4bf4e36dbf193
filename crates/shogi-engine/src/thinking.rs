//! One search from its root to its decision, on the thread that searches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Declaration, EnteringKingRule, Game, Move, Position};
use shogi_eval::loader::{AnyEvaluator, Evaluation};
use shogi_eval::nnue::FvScale;
use shogi_search::{
    Control, Limits, Observer, SearchOptions, SearchResult, SharedState, Value, quiescence,
    search_with_helpers,
};
use shogi_usi::Options;
use yane_book::probe::{Books, ProbeOptions, probe};

use crate::option_table::{placement, search_options, search_params, threads};
use crate::reporter::Reporter;
use crate::{Listener, Outcome};

/// What searches need and leave for each other.
pub(crate) struct Core {
    evaluator: AnyEvaluator,
    /// Those of the other threads.
    helpers: Vec<AnyEvaluator>,
    /// What the evaluators were made of; `None` when they have to be made.
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

impl Core {
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

/// A search to be done, with the options as they were when it was asked for.
pub(crate) struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    /// Asked before searching; `None` when the search itself is wanted.
    pub(crate) opening: Option<Opening>,
}

/// The opening book for one decision.
pub(crate) struct Opening {
    pub(crate) books: Arc<Books>,
    pub(crate) options: ProbeOptions,
    /// Decides among moves that are equally good to the book.
    pub(crate) seed: u64,
}

impl Job {
    /// Finds the decision and shows lines on the way. The core is lost when the search fails.
    pub(crate) fn think(
        &self,
        core: Core,
        control: &Control,
        listener: &dyn Listener,
    ) -> (Outcome, Option<Core>) {
        if let Some(outcome) = self.decided_at_root() {
            listener.decided(&outcome);
            return (outcome, Some(core));
        }
        let mut core = core;
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let outcome = self
                .ask_book(listener)
                .or_else(|| self.search(&mut core, control, listener));
            (outcome, core)
        }));
        match searched {
            Ok((outcome, core)) => (outcome.unwrap_or_else(|| self.fallback()), Some(core)),
            Err(_) => (self.fallback(), None),
        }
    }

    fn decided_at_root(&self) -> Option<Outcome> {
        let rule = search_options(&self.options).entering_king_rule;
        decided(self.game.position(), rule, &self.limits)
    }

    fn ask_book(&self, listener: &dyn Listener) -> Option<Outcome> {
        let opening = self.opening.as_ref()?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(opening.seed);
        let found = probe(&opening.books, &self.game, &opening.options, &mut rng);
        found
            .messages
            .iter()
            .for_each(|message| listener.book(message));
        found.choice.map(|choice| Outcome::Move {
            best: choice.mv,
            ponder: choice.ponder,
        })
    }

    fn search(
        &self,
        core: &mut Core,
        control: &Control,
        listener: &dyn Listener,
    ) -> Option<Outcome> {
        let position = self.game.position();
        let mut options = search_options(&self.options);
        let line_count = fit_options(&mut options, position, &self.limits);
        let infinite = self.limits.infinite;
        let mut reporter = Reporter::new(listener, &self.options, &self.game, line_count, infinite);
        core.shared.params = search_params(&self.options);
        let threads = threads(&self.options);
        core.set_threads(threads);
        core.shared.placement = placement(&self.options, threads);
        let result = core.search(&self.game, &self.limits, &options, control, &mut reporter)?;
        reporter.flush();
        if i64::from(result.score.centipawns()) <= -self.options.spin("ResignValue") {
            return Some(Outcome::Resign);
        }
        Some(Outcome::Move {
            best: result.best,
            ponder: reporter.shown_reply(result.best),
        })
    }

    /// Any move, so that an error of the program does not lose the game at once.
    fn fallback(&self) -> Outcome {
        let named = self.limits.search_moves.first().copied();
        match named.or_else(|| self.game.position().moves::<LegalAll>().first().copied()) {
            Some(fallback) => Outcome::Failed { fallback },
            None => Outcome::Mated,
        }
    }
}

/// What needs no search: a declaration, unless moves to search were named, or no legal move.
pub(crate) fn decided(
    position: &Position,
    rule: EnteringKingRule,
    limits: &Limits,
) -> Option<Outcome> {
    if limits.search_moves.is_empty() {
        match position.declaration(rule) {
            Some(Declaration::Win) => return Some(Outcome::DeclareWin),
            Some(Declaration::Try(m)) => return Some(Outcome::Try(m)),
            None => {}
        }
    }
    position.has_no_legal_move().then_some(Outcome::Mated)
}

/// Fits `options` to the moves to search: one that was asked for is searched even when it is a pointless
/// non-promotion. Returns the number of lines that there will be.
pub(crate) fn fit_options(
    options: &mut SearchOptions,
    position: &Position,
    limits: &Limits,
) -> usize {
    let named = &limits.search_moves;
    options.generate_all_legal_moves |= named
        .iter()
        .any(|&m| position.is_pointless_non_promotion(m));
    let root_moves = match (named.len(), options.generate_all_legal_moves) {
        (0, false) => position.count_moves::<Legal>(),
        (0, true) => position.count_moves::<LegalAll>(),
        (named, _) => named,
    };
    options.multi_pv.min(root_moves)
}
