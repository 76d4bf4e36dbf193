//! An evaluator of any kind.

use shogi_core::{Delta, Position};

use crate::kppt::{FileTables, KpptEvaluator};
use crate::nnue::NnueEvaluator;
use crate::{Evaluator, LevelEvaluator, MaterialEvaluator, PositionalEvaluator};

/// One of the evaluators. Made by [`super::Evaluation::evaluator`].
///
/// An enum and not a trait object, so that a search compiled for it has the small evaluations in line.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each thread, and it stays where it is"
)]
pub enum AnyEvaluator {
    /// Material.
    Material(MaterialEvaluator),
    /// Material with attacks: the levels 2 to 9.
    Level(LevelEvaluator),
    /// The positional evaluation.
    Positional(PositionalEvaluator),
    /// Three-piece tables.
    Tables(KpptEvaluator<FileTables>),
    /// A neural network.
    Network(NnueEvaluator),
}

/// Calls the same method of whatever evaluator it is.
macro_rules! each {
    ($any:expr, $evaluator:ident => $call:expr) => {
        match $any {
            AnyEvaluator::Material($evaluator) => $call,
            AnyEvaluator::Level($evaluator) => $call,
            AnyEvaluator::Positional($evaluator) => $call,
            AnyEvaluator::Tables($evaluator) => $call,
            AnyEvaluator::Network($evaluator) => $call,
        }
    };
}

impl Evaluator for AnyEvaluator {
    fn reset(&mut self, position: &Position) {
        each!(self, evaluator => evaluator.reset(position));
    }

    #[inline]
    fn push(&mut self, delta: Option<&Delta>) {
        each!(self, evaluator => evaluator.push(delta));
    }

    #[inline]
    fn pop(&mut self) {
        each!(self, evaluator => evaluator.pop());
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        each!(self, evaluator => evaluator.evaluate(position))
    }
}
