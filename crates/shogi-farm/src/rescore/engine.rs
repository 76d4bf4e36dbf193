//! The engine that gives scores: the one in this process, or any program.

use std::path::PathBuf;
use std::sync::Arc;

use pack_format::{TeacherError, TeacherFormat};
use shogi_core::{Game, Position};
use shogi_engine::{BareEvaluator, Thinker, teacher_eval_coef};

use super::program::{Introduction, RescoreProgram};
use super::{RescoreDepth, RescoreError, RescoreOptions};
use crate::pool::{EmbeddedEngine, EnginePresets};
use crate::settings::Engine;

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
    pub(super) fn description(&mut self) -> String {
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
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        match &mut self.kind {
            Kind::Embedded(embedded) => embedded.take_notices(),
            Kind::Program(..) => Vec::new(),
        }
    }

    /// Refuses what the engine cannot do.
    pub(super) fn check(&self, options: &RescoreOptions) -> Result<(), RescoreError> {
        match (&self.kind, options.depth) {
            (Kind::Program(..), RescoreDepth::Evaluation) => {
                let reason = "an engine as a program has no word for its evaluation alone: give it nodes or a depth";
                Err(TeacherError::Option(reason.to_owned()).into())
            }
            _ => Ok(()),
        }
    }

    /// Makes what gives scores on a thread: an instance of the engine in this process, or the maker of one that is a process.
    pub(super) fn instance(&mut self, depth: RescoreDepth) -> NewInstance {
        match (&mut self.kind, depth) {
            (Kind::Program(program, _), _) => NewInstance::Program(Arc::clone(program)),
            (Kind::Embedded(embedded), RescoreDepth::Evaluation) => {
                NewInstance::Evaluator(Box::new(embedded.session().bare_evaluator()))
            }
            (Kind::Embedded(embedded), RescoreDepth::Nodes(_) | RescoreDepth::Depth(_)) => {
                NewInstance::Thinker(embedded.thinker())
            }
        }
    }

    /// The name of the engine, for people.
    pub(super) fn name(&self) -> &str {
        match &self.kind {
            Kind::Embedded(_) => Engine::EMBEDDED,
            Kind::Program(program, _) => &program.command,
        }
    }
}

/// What gives scores on one thread.
pub(super) enum NewInstance {
    /// A search in this process.
    Thinker(Box<dyn Thinker>),
    /// An evaluation without a search.
    Evaluator(Box<BareEvaluator>),
    /// A program, of which a process has to be started: that takes its time.
    Program(Arc<RescoreProgram>),
}
