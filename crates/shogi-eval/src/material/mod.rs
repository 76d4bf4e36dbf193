//! Material alone: what the pieces are worth.

mod attacks;
mod levels;

use shogi_core::{Color, Delta, Position};

pub use levels::{LevelEvaluator, MaterialLevel};

use crate::Evaluator;

/// The sum of the pieces' exchange values, on the board and in hand alike (YaneuraOu: material
/// level 1). Kept up to date move by move.
#[derive(Clone, Debug)]
pub struct MaterialEvaluator {
    /// Black's material minus white's after each pushed move; never empty.
    stack: Vec<i32>,
}

impl Default for MaterialEvaluator {
    fn default() -> Self {
        Self { stack: vec![0] }
    }
}

impl MaterialEvaluator {
    /// An evaluator that waits for [`Evaluator::reset`].
    pub fn new() -> Self {
        Self::default()
    }
}

/// The change of black's material minus white's by a move.
pub(crate) fn material_change(delta: &Delta) -> i32 {
    let mut mover_gain = 0;
    let mut mover = Color::Black;
    if let Some((after, _)) = delta.moved.after {
        mover = after.color();
        if let Some((before, _)) = delta.moved.before {
            mover_gain += after.kind().exchange_value() - before.kind().exchange_value();
        }
    }
    if let Some((piece, _)) = delta.captured.and_then(|change| change.before) {
        // It leaves one side and goes to the other's hand, unpromoted.
        mover_gain += piece.kind().exchange_value() + piece.kind().unpromote().exchange_value();
    }
    if mover == Color::Black {
        mover_gain
    } else {
        -mover_gain
    }
}

impl Evaluator for MaterialEvaluator {
    fn reset(&mut self, position: &Position) {
        self.stack.clear();
        self.stack.push(position.material());
    }

    fn push(&mut self, delta: Option<&Delta>) {
        let last = self.stack.last().copied().unwrap_or(0);
        self.stack.push(last + delta.map_or(0, material_change));
    }

    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        let material = self.stack.last().copied().unwrap_or(0);
        debug_assert_eq!(material, position.material());
        if position.side_to_move() == Color::Black {
            material
        } else {
            -material
        }
    }
}
