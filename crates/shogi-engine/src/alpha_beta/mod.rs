//! The alpha-beta engine: `shogi-search` with an evaluation.

mod core;
mod request;
pub(crate) mod searcher;

use shogi_core::Position;
use shogi_eval::Evaluator;
use shogi_eval::loader::{AnyEvaluator, Evaluation};

use self::core::{ScaledEvaluation, SearchCore, affordable_mib};
use self::request::SearchRequest;
use self::searcher::Searcher;
use crate::engine::{Engine, Memory, SearchTask, SearchWork};
use crate::options::EngineOptions;
use crate::options::settings::EngineSettings;
use crate::teacher::BareEvaluator;
use crate::thinker::Thinker;

/// The engine.
pub(crate) struct AlphaBeta {
    evaluation: Evaluation,
    memory: Memory<SearchCore>,
}

impl AlphaBeta {
    /// An engine with this evaluation. Cheap: memory is taken by the first search, or before a game.
    pub(crate) fn new(evaluation: Evaluation) -> Self {
        Self {
            evaluation,
            memory: Memory::empty(),
        }
    }

    /// The evaluation with the divisor and the unit of the options.
    fn scaled(&self, settings: &EngineSettings) -> ScaledEvaluation {
        ScaledEvaluation {
            scale: settings.eval.scale_in_use(&self.evaluation),
            unit: settings.eval.unit,
            evaluation: self.evaluation.clone(),
        }
    }

    /// An evaluator for one thread.
    pub(crate) fn evaluator(&self, settings: &EngineSettings) -> AnyEvaluator {
        self.scaled(settings).evaluator()
    }

    /// An independent search with one thread and a transposition table of `hash_mib` mebibytes: at least 1; 16 where the system
    /// refuses that much.
    pub(crate) fn searcher(&self, settings: &EngineSettings, hash_mib: usize) -> Searcher {
        let mut searcher = Searcher::new(
            self.scaled(settings),
            affordable_mib(hash_mib.max(1)),
            settings.search_options(),
            settings.resign_value,
            settings.consideration,
        );
        searcher.set_params(settings.params.clone());
        searcher
    }

    /// The memory, with a transposition table of the size in the options, if there is memory for it.
    fn ready(&self, settings: &EngineSettings) -> SearchCore {
        let size = settings.hash_mib;
        let Some(mut core) = self.memory.take() else {
            return SearchCore::new(affordable_mib(size), self.scaled(settings));
        };
        if core.shared.hash_mib() != size {
            // Make room first: both tables together might not fit.
            core.shared.resize(1);
            core.shared.resize(affordable_mib(size));
        }
        core
    }
}

impl Engine for AlphaBeta {
    fn prepare(&mut self, options: &EngineOptions) -> usize {
        let settings = options.settings();
        let is_used = self.memory.is_there();
        let mut core = self.ready(settings);
        if is_used {
            core.evaluate_with(self.scaled(settings));
            core.shared.clear();
        }
        core.shared.reserve(settings.threads);
        let hash_mib = core.shared.hash_mib();
        self.memory.put(core);
        hash_mib
    }

    fn new_game(&mut self) {
        self.memory.change(|core| core.shared.new_game());
    }

    fn make_room(&mut self) {
        self.memory.change(|core| core.shared.resize(1));
    }

    fn search(&mut self, task: SearchTask, options: &EngineOptions) -> SearchWork {
        let settings = options.settings();
        let request = SearchRequest::new(task, settings);
        let mut core = self.ready(settings);
        core.evaluate_with(self.scaled(settings));
        let memory = self.memory.share();
        Box::new(move |control, listener| {
            let (outcome, core) = request.run(core, control, listener);
            if let Some(core) = core {
                memory.put(core);
            }
            outcome
        })
    }

    fn thinker(
        &self,
        options: &EngineOptions,
        hash_mib: usize,
        threads: usize,
    ) -> Box<dyn Thinker> {
        let mut searcher = self.searcher(options.settings(), hash_mib);
        searcher.set_threads(threads.max(1));
        Box::new(searcher)
    }

    fn bare_evaluator(&self, options: &EngineOptions) -> BareEvaluator {
        // The table is cleared for every position.
        BareEvaluator::new(self.searcher(options.settings(), 1))
    }

    fn evaluate(&self, pieces: &Position, options: &EngineOptions) -> i32 {
        let mut evaluator = self.evaluator(options.settings());
        evaluator.reset(pieces);
        evaluator.evaluate(pieces)
    }
}
