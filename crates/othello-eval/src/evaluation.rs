//! The evaluation of an engine: a sum of pattern tables or a network.

use othello_core::{Board, Square, Squares};

use crate::evaluator::PatternEvaluator;
use crate::net::NetEvaluator;
use crate::simd::EvalMethod;
use crate::tables::Features;

/// The value of boards by either kind of weights.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for a whole program, and it is read for every value"
)]
pub enum Evaluator {
    /// A sum of pattern tables.
    Patterns(PatternEvaluator<4>),
    /// A network on patterns.
    Net(NetEvaluator),
}

/// Calls a method of the kind at hand.
macro_rules! of_kind {
    ($evaluator:expr, $inner:ident => $call:expr) => {
        match $evaluator {
            Evaluator::Patterns($inner) => $call,
            Evaluator::Net($inner) => $call,
        }
    };
}

impl Evaluator {
    /// The pattern tables, if it is a sum of them.
    pub const fn as_patterns(&self) -> Option<&PatternEvaluator<4>> {
        match self {
            Self::Patterns(patterns) => Some(patterns),
            Self::Net(_) => None,
        }
    }

    /// The network, if it is one.
    pub const fn as_net(&self) -> Option<&NetEvaluator> {
        match self {
            Self::Patterns(_) => None,
            Self::Net(net) => Some(net),
        }
    }

    /// The same evaluator by another method; by the portable one where the processor lacks it. Values are the same.
    pub fn with_method(self, method: EvalMethod) -> Self {
        match self {
            Self::Patterns(patterns) => Self::Patterns(patterns.with_method(method)),
            Self::Net(net) => Self::Net(net.with_method(method)),
        }
    }

    /// The indices of a board's patterns.
    pub fn features(&self, board: Board) -> Features<4> {
        of_kind!(self, inner => inner.features(board))
    }

    /// The indices after a disc of the mover on `square` that flips `flips`, from the view of the next player.
    #[inline]
    pub fn after(&self, features: &Features<4>, square: Square, flips: Squares) -> Features<4> {
        of_kind!(self, inner => inner.after(features, square, flips))
    }

    /// The value of `board`, whose indices are `features`, in [`UNITS_PER_DISC`](crate::UNITS_PER_DISC)ths of a disc.
    #[inline]
    pub fn value(&self, features: &Features<4>, board: Board) -> i32 {
        of_kind!(self, inner => inner.value(features, board))
    }

    /// [`value`](Self::value) of the board after a move, from the indices before it.
    #[inline]
    pub fn value_after(
        &self,
        features: &Features<4>,
        square: Square,
        flips: Squares,
        after: Board,
    ) -> i32 {
        of_kind!(self, inner => inner.value_after(features, square, flips, after))
    }

    /// The value of a board.
    pub fn evaluate(&self, board: Board) -> i32 {
        of_kind!(self, inner => inner.evaluate(board))
    }

    /// A value in whole discs, rounded, half away from zero, within the bounds of the file's program: 64, or 63 for Edax.
    #[inline]
    pub const fn discs(&self, value: i32) -> i32 {
        of_kind!(self, inner => inner.discs(value))
    }
}
