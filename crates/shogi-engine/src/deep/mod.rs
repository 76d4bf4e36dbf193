//! The deep engine: PUCT with a policy and value network.

mod clock;
mod core;
pub(crate) mod model;
mod request;
mod thinker;

use shogi_core::{Game, Position};
use shogi_deep::{
    CacheCounts, DeepBackend, EvaluationError, PolicyValueEvaluator, PuctSearch,
    centipawns_of_win_rate, units_of_win_rate,
};
use shogi_usi::Score;

use self::core::DeepCore;
use self::model::DeepNetwork;
use self::request::DeepRequest;
use self::thinker::DeepThinker;
use crate::engine::{Engine, Memory, NetworkView, SearchTask, SearchWork};
use crate::options::EngineOptions;
use crate::options::deep::DeepSettings;
use crate::teacher::{BareEvaluator, BareScore};
use crate::thinker::Thinker;

/// The engine.
pub(crate) struct Deep {
    network: DeepNetwork,
    memory: Memory<DeepCore>,
}

impl Deep {
    /// An engine with this network. Cheap: memory is taken by the first search, or before a game.
    pub(crate) fn new(network: DeepNetwork) -> Self {
        Self {
            network,
            memory: Memory::empty(),
        }
    }

    /// The settings, with those of the file beside the network.
    fn settings(&self, options: &EngineOptions) -> DeepSettings {
        let mut settings = options.with_ini(&self.network.ini);
        if self.network.is_stand_in {
            settings.deep.backend = DeepBackend::Native;
        }
        DeepSettings::of(&settings)
    }

    /// The memory.
    fn ready(&self) -> DeepCore {
        let memory = self.memory.take();
        memory.unwrap_or_else(|| DeepCore::new(self.network.model.clone()))
    }

    /// The evaluator of one position.
    fn evaluator(&self) -> Box<dyn PolicyValueEvaluator> {
        self.network.model.evaluator(1, 0)
    }
}

impl Engine for Deep {
    fn prepare(&mut self, options: &EngineOptions) -> usize {
        let mut core = self.ready();
        core.new_game();
        core.prepare(&self.settings(options));
        self.memory.put(core);
        options.settings().hash_mib
    }

    fn new_game(&mut self) {
        self.memory.change(DeepCore::new_game);
    }

    fn search(&mut self, task: SearchTask, options: &EngineOptions) -> SearchWork {
        let request = DeepRequest::new(task, options.settings(), self.settings(options));
        let (core, memory) = (self.ready(), self.memory.share());
        Box::new(move |control, listener| {
            let (outcome, core) = request.run(core, control, listener);
            if let Some(core) = core {
                memory.put(core);
            }
            outcome
        })
    }

    /// It makes playouts alone, and searches for no mates beside them.
    fn thinker(&self, options: &EngineOptions, _: usize, threads: usize) -> Box<dyn Thinker> {
        let settings = self.settings(options);
        let settings = DeepSettings {
            threads: threads.max(1),
            devices: Vec::new(),
            batch: settings.batch_of_many,
            mate_threads: 0,
            ..settings
        };
        let common = options.settings();
        Box::new(DeepThinker::new(
            self.network.model.clone(),
            settings,
            common.resign_value,
            common.consideration,
        ))
    }

    fn bare_evaluator(&self, options: &EngineOptions) -> BareEvaluator {
        BareEvaluator::new(NetworkScore {
            evaluator: self.evaluator(),
            eval_coef: self.settings(options).eval_coef,
        })
    }

    fn evaluate(&self, pieces: &Position, options: &EngineOptions) -> i32 {
        let mut evaluator = self.evaluator();
        evaluator.put(0, pieces);
        evaluator.evaluate(1);
        let eval_coef = self.settings(options).eval_coef;
        units_of_win_rate(evaluator.output(0).value, eval_coef)
    }

    fn check(&self) -> Result<(), EvaluationError> {
        let mut evaluator = self.evaluator();
        evaluator.put(0, &Position::startpos());
        evaluator.try_evaluate(1)
    }

    fn view(&self, game: &Game, options: &EngineOptions) -> Option<NetworkView> {
        let mut evaluator = self.evaluator();
        let params = self.settings(options).params;
        let search = PuctSearch::new(game.clone(), params, &mut evaluator);
        let moves = search.root_moves();
        let policy = moves.iter().map(|root| (root.m, root.prior)).collect();
        Some((evaluator.output(0).value, policy))
    }

    fn take_notices(&self) -> Vec<String> {
        self.network.model.take_notices()
    }

    fn cache_counts(&self) -> Option<CacheCounts> {
        self.network.model.cache_counts()
    }
}

/// Scores of positions by what the network says of them.
struct NetworkScore {
    evaluator: Box<dyn PolicyValueEvaluator>,
    eval_coef: f32,
}

impl BareScore for NetworkScore {
    fn score(&mut self, game: &Game) -> Result<Score, EvaluationError> {
        self.evaluator.put(0, game.position());
        self.evaluator.try_evaluate(1)?;
        let value = self.evaluator.output(0).value;
        Ok(Score::Cp(centipawns_of_win_rate(value, self.eval_coef)))
    }
}
