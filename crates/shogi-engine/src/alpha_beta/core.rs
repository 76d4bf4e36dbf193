//! What the alpha-beta engine searches with: evaluators, the transposition table, histories.

use shogi_core::{Game, Move};
use shogi_eval::loader::{AnyEvaluator, Evaluation};
use shogi_eval::nnue::FvScale;
use shogi_search::{
    Control, Limits, Observer, SearchOptions, SearchResult, SearchUnit, SharedState, Value,
    quiescence, search_with_helpers,
};

/// Size of the transposition table when the system refuses the one that is asked for.
const FALLBACK_HASH_MIB: usize = 16;

/// The evaluators, the transposition table and the histories that one search leaves to the next.
pub(crate) struct SearchCore {
    evaluator: AnyEvaluator,
    /// Evaluators of the other threads.
    helpers: Vec<AnyEvaluator>,
    /// The evaluation of the evaluators.
    evaluation: ScaledEvaluation,
    pub(crate) shared: SharedState,
}

/// An evaluation with the divisor of [`Evaluation::evaluator`].
#[derive(Clone, Debug)]
pub(crate) struct ScaledEvaluation {
    pub(crate) evaluation: Evaluation,
    pub(crate) scale: Option<FvScale>,
    /// The unit in which it is searched.
    pub(crate) unit: SearchUnit,
}

impl ScaledEvaluation {
    /// An evaluator for one thread.
    pub(crate) fn evaluator(&self) -> AnyEvaluator {
        self.evaluation.evaluator(self.scale)
    }

    /// Returns whether every position has the same value to searches with both.
    fn is_same(&self, other: &Self) -> bool {
        (self.scale, self.unit) == (other.scale, other.unit)
            && self.evaluation.is_same(&other.evaluation)
    }
}

impl SearchCore {
    pub(crate) fn new(hash_mib: usize, evaluation: ScaledEvaluation) -> Self {
        let mut shared = SharedState::new(hash_mib);
        shared.unit = evaluation.unit;
        Self {
            evaluator: evaluation.evaluator(),
            helpers: Vec::new(),
            evaluation,
            shared,
        }
    }

    /// The evaluation that it searches with.
    pub(crate) const fn evaluation(&self) -> &ScaledEvaluation {
        &self.evaluation
    }

    /// Sets the evaluation. When it is another one, the transposition table and histories are cleared.
    pub(crate) fn evaluate_with(&mut self, evaluation: ScaledEvaluation) {
        if !self.evaluation.is_same(&evaluation) {
            self.evaluator = evaluation.evaluator();
            self.helpers.clear();
            self.shared.unit = evaluation.unit;
            self.evaluation = evaluation;
            self.shared.clear();
        }
    }

    /// Sets the number of threads, at least one.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        let helpers = threads.saturating_sub(1);
        let evaluation = &self.evaluation;
        self.helpers.resize_with(helpers, || evaluation.evaluator());
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
}

/// `mib` if the system can allocate that much memory, else a size that fits anywhere: a failed allocation would end the
/// program. Nothing in between is tried, since systems overcommit nearly all memory.
pub(super) fn affordable_mib(mib: usize) -> usize {
    let fits = |mib: usize| {
        Vec::<u8>::new()
            .try_reserve_exact(mib.saturating_mul(1 << 20))
            .is_ok()
    };
    if fits(mib) {
        mib
    } else {
        mib.min(FALLBACK_HASH_MIB)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_not_tried() {
        assert_eq!(affordable_mib(1), 1);
        assert_eq!(affordable_mib(usize::MAX), FALLBACK_HASH_MIB);
    }
}
