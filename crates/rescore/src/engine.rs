//! The engine that gives scores.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use farm::{EmbeddedEngine, Engine, EnginePresets};
use pack_format::TeacherFormat;
use pack_format::rescore::NewScore;
use shogi_core::{Game, Position};
use shogi_engine::{BareEvaluator, ThinkLimits, Thinker, teacher_eval_coef, teacher_score};

use crate::{RescoreDepth, RescoreError, RescoreOptions};

/// Positions whose values tell one evaluation from another.
const PROBES: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

/// An engine in this process that gives scores to the positions of files of one format.
pub struct RescoreEngine {
    embedded: EmbeddedEngine,
    format: TeacherFormat,
    /// The options that were set.
    options: Vec<(String, String)>,
}

impl RescoreEngine {
    /// The engine with these USI options, and its evaluation, which may be in one of `folders`. The deep engine, if the
    /// options name its network, has scores in the centipawns of those who read the format
    /// ([`shogi_engine::teacher_eval_coef`]), and begins each search anew, unless options say otherwise.
    ///
    /// # Errors
    /// [`RescoreError::Engine`] when it refuses an option or cannot use the evaluation that was asked for.
    pub fn new(
        format: TeacherFormat,
        options: &[(String, String)],
        folders: &[PathBuf],
    ) -> Result<Self, RescoreError> {
        let mut engine = Engine::embedded();
        engine.options.extend(options.iter().cloned());
        let presets = EnginePresets {
            all: &[("ResignValue", "99999")],
            deep: &[
                ("Eval_Coef", teacher_eval_coef(format)),
                ("ReuseSubtree", "false"),
            ],
        };
        Ok(Self {
            embedded: EmbeddedEngine::new(&engine, presets, folders)?,
            format,
            options: options.to_vec(),
        })
    }

    /// The format.
    pub const fn format(&self) -> TeacherFormat {
        self.format
    }

    /// The name of the evaluation.
    pub fn evaluation(&mut self) -> String {
        self.embedded.session().evaluation_name()
    }

    /// All that scores depend on beside the positions and the limit.
    pub(crate) fn description(&mut self) -> String {
        let session = self.embedded.session();
        let values = PROBES.map(|sfen| {
            let position = Position::from_sfen(sfen).expect("a position");
            session.set_game(Game::new(position));
            session.evaluate()
        });
        format!(
            "{} {} {values:?} {:?}",
            env!("CARGO_PKG_VERSION"),
            session.evaluation_name(),
            self.options
        )
    }

    /// Takes what has happened to the connection to a server since the last time, in lines for people.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        self.embedded.take_notices()
    }

    /// An instance for a thread, which ends a search when `stop` is set.
    pub(crate) fn scorer(&mut self, options: &RescoreOptions, stop: &Arc<AtomicBool>) -> Scorer {
        let way = match options.depth {
            RescoreDepth::Nodes(nodes) => Way::Search {
                thinker: self.embedded.thinker(),
                limits: ThinkLimits {
                    nodes: Some(nodes),
                    stop: Some(Arc::clone(stop)),
                    ..ThinkLimits::default()
                },
            },
            RescoreDepth::Evaluation => {
                Way::Evaluation(Box::new(self.embedded.session().bare_evaluator()))
            }
        };
        Scorer {
            way,
            format: self.format,
            best_move: options.best_move,
        }
    }
}

/// What gives scores on one thread.
pub(crate) struct Scorer {
    way: Way,
    format: TeacherFormat,
    best_move: bool,
}

enum Way {
    Search {
        thinker: Box<dyn Thinker>,
        limits: ThinkLimits,
    },
    Evaluation(Box<BareEvaluator>),
}

impl Scorer {
    /// The format of the files.
    pub(crate) const fn format(&self) -> TeacherFormat {
        self.format
    }

    /// Forgets everything.
    pub(crate) fn begin(&mut self) -> Result<(), RescoreError> {
        match &mut self.way {
            Way::Search { thinker, .. } => Ok(thinker.new_game()?),
            Way::Evaluation(_) => Ok(()),
        }
    }

    /// The new score of the last position of `game`.
    pub(crate) fn score(&mut self, game: &Game) -> Result<NewScore, RescoreError> {
        let (thinker, limits) = match &mut self.way {
            Way::Search { thinker, limits } => (thinker, limits),
            Way::Evaluation(evaluator) => {
                let score = teacher_score(evaluator.score(game)?);
                return Ok(NewScore::new(self.format, score, None));
            }
        };
        let thought = thinker.think(game, limits)?;
        let is_stopped = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
        if limits.stop.as_ref().is_some_and(is_stopped) {
            return Err(yane_io::Error::Cancelled.into());
        }
        let no_score = || RescoreError::NoScore(game.position().to_sfen());
        let line = thought.lines.first().ok_or_else(no_score)?;
        let best = line.pv.first().copied().filter(|_| self.best_move);
        Ok(NewScore::new(self.format, teacher_score(line.score), best))
    }
}
