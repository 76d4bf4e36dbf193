//! The engine that gives scores: the one in this process, or any program.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pack_format::rescore::NewScore;
use pack_format::{TeacherError, TeacherFormat};
use shogi_core::{Game, Position};
use shogi_engine::{
    BareEvaluator, Decision, EngineError, ThinkError, ThinkLimits, Thinker, Thought,
    teacher_eval_coef, teacher_score,
};
use shogi_farm::{EmbeddedEngine, Engine, EnginePresets};
use shogi_usi::Score;

use crate::program::{Introduction, RescoreProgram};
use crate::{RescoreDepth, RescoreError, RescoreOptions};

/// Positions whose values tell one evaluation from another.
const PROBES: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
];

/// An engine that gives scores to the positions of files of one format.
pub struct RescoreEngine {
    kind: Kind,
    format: TeacherFormat,
    /// The options that were set.
    options: Vec<(String, String)>,
}

enum Kind {
    /// The engine in this process.
    Embedded(Box<EmbeddedEngine>),
    /// A program, of which each thread has a process.
    Program(Arc<RescoreProgram>, Introduction),
}

impl RescoreEngine {
    /// The engine in this process with these USI options, and its evaluation, which may be in one of `folders`. The deep engine, if the
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
        let embedded = EmbeddedEngine::new(&engine, presets, folders)?;
        Ok(Self {
            kind: Kind::Embedded(Box::new(embedded)),
            format,
            options: options.to_vec(),
        })
    }

    /// A program, which is started once to see that it is an engine and has its options.
    ///
    /// # Errors
    /// When it is not there, is no engine, has not the options, or says of an error while it gets ready.
    pub fn program(format: TeacherFormat, program: RescoreProgram) -> Result<Self, RescoreError> {
        let introduction = program.introduce()?;
        Ok(Self {
            options: program.options.clone(),
            kind: Kind::Program(Arc::new(program), introduction),
            format,
        })
    }

    /// The format.
    pub const fn format(&self) -> TeacherFormat {
        self.format
    }

    /// The name of the evaluation; of a program its own name, and the evaluation that it says it plays with.
    pub fn evaluation(&mut self) -> String {
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.session().evaluation_name(),
            Kind::Program(_, introduction) => introduction.text.clone(),
        }
    }

    /// All that scores depend on beside the positions and the limit.
    pub(crate) fn description(&mut self) -> String {
        let session = match &mut self.kind {
            Kind::Embedded(embedded) => embedded.session(),
            Kind::Program(_, introduction) => return introduction.description.clone(),
        };
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
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.take_notices(),
            Kind::Program(..) => Vec::new(),
        }
    }

    /// Refuses what the engine cannot do.
    pub(crate) fn check(&self, options: &RescoreOptions) -> Result<(), RescoreError> {
        match (&self.kind, options.depth) {
            (Kind::Program(..), RescoreDepth::Evaluation) => {
                let reason = "an engine as a program has no word for its evaluation alone: give it nodes or a depth";
                Err(TeacherError::Option(reason.to_owned()).into())
            }
            _ => Ok(()),
        }
    }

    /// An instance for a thread, which ends a search when `stop` is set.
    pub(crate) fn scorer(&mut self, options: &RescoreOptions, stop: &Arc<AtomicBool>) -> Scorer {
        let limits = ThinkLimits {
            stop: Some(Arc::clone(stop)),
            ..ThinkLimits::default()
        };
        let limits = match options.depth {
            RescoreDepth::Nodes(nodes) => Some(ThinkLimits {
                nodes: Some(nodes),
                ..limits
            }),
            RescoreDepth::Depth(plies) => Some(ThinkLimits {
                depth: Some(plies),
                ..limits
            }),
            RescoreDepth::Evaluation => None,
        };
        let way = match (&mut self.kind, limits) {
            (Kind::Embedded(embedded), Some(limits)) => Way::Search {
                thinker: embedded.thinker(),
                limits,
            },
            (Kind::Embedded(embedded), None) => {
                Way::Evaluation(Box::new(embedded.session().bare_evaluator()))
            }
            // Without limits it was refused before.
            (Kind::Program(program, _), limits) => Way::Program {
                program: Arc::clone(program),
                thinker: None,
                limits: limits.unwrap_or_default(),
            },
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
    Program {
        program: Arc<RescoreProgram>,
        /// The process; `None` before the first run, and after a failure.
        thinker: Option<Box<dyn Thinker>>,
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
            Way::Program {
                program, thinker, ..
            } => {
                if let Some(thinker) = thinker {
                    return Ok(thinker.new_game()?);
                }
                *thinker = Some(Box::new(program.start()?));
                Ok(())
            }
            Way::Evaluation(_) => Ok(()),
        }
    }

    /// Ends a process that failed, so that the next run begins with a new one. Returns whether that may help: an error that another
    /// process would make too is final.
    pub(crate) fn restarts_after(&mut self, error: &RescoreError) -> bool {
        let Way::Program {
            thinker, limits, ..
        } = &mut self.way
        else {
            return false;
        };
        *thinker = None;
        let is_engine = match error {
            RescoreError::Think(ThinkError::Engine(error)) => !matches!(
                error,
                EngineError::Reported { .. } | EngineError::Spawn { .. }
            ),
            RescoreError::Think(ThinkError::Broken(_) | ThinkError::IllegalAnswer { .. }) => true,
            _ => false,
        };
        is_engine && !is_stopped(limits)
    }

    /// The new score of the last position of `game`.
    pub(crate) fn score(&mut self, game: &Game) -> Result<NewScore, RescoreError> {
        let (thinker, limits) = match &mut self.way {
            Way::Search { thinker, limits }
            | Way::Program {
                thinker: Some(thinker),
                limits,
                ..
            } => (&mut **thinker, limits),
            Way::Program { program, .. } => {
                let error = ThinkError::Broken(program.command.clone());
                return Err(error.into());
            }
            Way::Evaluation(evaluator) => {
                let score = teacher_score(evaluator.score(game)?);
                return Ok(NewScore::new(self.format, score, None));
            }
        };
        let thought = thinker.think(game, limits)?;
        if is_stopped(limits) {
            return Err(yane_io::Error::Cancelled.into());
        }
        let score = score_of(&thought);
        let score = score.ok_or_else(|| RescoreError::NoScore(game.position().to_sfen()))?;
        let line = thought.lines.first();
        let best = line.and_then(|line| line.pv.first().copied());
        let best = best.filter(|_| self.best_move);
        Ok(NewScore::new(self.format, teacher_score(score), best))
    }
}

/// The score of the best line. Without a line an engine that resigns is mated, and one that declares has won.
fn score_of(thought: &Thought) -> Option<Score> {
    match (thought.lines.first(), &thought.decision) {
        (Some(line), _) => Some(line.score),
        (None, Decision::Resign) => Some(Score::MatedUnknown),
        (None, Decision::DeclareWin) => Some(Score::MateUnknown),
        (None, Decision::Play { .. }) => None,
    }
}

/// Returns whether the work is to end.
fn is_stopped(limits: &ThinkLimits) -> bool {
    let stop = limits.stop.as_ref();
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}
