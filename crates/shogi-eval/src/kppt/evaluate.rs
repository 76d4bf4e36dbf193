//! The evaluator: sums of a line of moves, brought up to date when a value is asked for.

use std::sync::Arc;

use shogi_core::{Delta, Position};

use super::sums::Sums;
use super::tables::Tables;
use crate::{Evaluator, MAX_VALUE};

/// The value of `position` for the side to move, from scratch: in the internal unit, within ±31,753.
pub fn evaluate(tables: &impl Tables, position: &Position) -> i32 {
    value(&Sums::new(tables, position), position)
}

fn value(sums: &Sums, position: &Position) -> i32 {
    let value = sums.value(position.side_to_move());
    value.clamp(-MAX_VALUE, MAX_VALUE)
}

/// Evaluates with three-piece tables, KPPT or `KPP_KKPT`.
///
/// Moves are only remembered when they are made. A value asks for the sums, which are computed from
/// those of the last position of the line that has them: a move costs the table rows of the pieces it
/// changes, a king's move all rows of that king.
///
/// A king that is missing (tsume problems) is taken to stand where it starts the game.
#[derive(Debug)]
pub struct KpptEvaluator<T> {
    tables: Arc<T>,
    /// What the moves from the root on changed; `None` for a pass.
    moves: Vec<Option<Delta>>,
    /// The sums of the root and of the positions after the first of the moves: as far as they have
    /// been needed. Empty before the first position.
    sums: Vec<Sums>,
}

impl<T> Clone for KpptEvaluator<T> {
    fn clone(&self) -> Self {
        Self {
            tables: Arc::clone(&self.tables),
            moves: self.moves.clone(),
            sums: self.sums.clone(),
        }
    }
}

impl<T: Tables> KpptEvaluator<T> {
    /// An evaluator that waits for [`Evaluator::reset`].
    pub fn new(tables: Arc<T>) -> Self {
        Self {
            tables,
            moves: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// The tables.
    pub fn tables(&self) -> &Arc<T> {
        &self.tables
    }
}

impl<T: Tables> Evaluator for KpptEvaluator<T> {
    fn reset(&mut self, position: &Position) {
        self.moves.clear();
        self.sums.clear();
        self.sums.push(Sums::new(&*self.tables, position));
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.moves.push(delta.copied());
    }

    fn pop(&mut self) {
        self.moves.pop();
        self.sums.truncate(self.moves.len() + 1);
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        loop {
            let Some(last) = self.sums.last() else {
                self.reset(position);
                continue;
            };
            let next = match self.moves.get(self.sums.len() - 1) {
                Some(Some(delta)) => last.after(&*self.tables, delta),
                Some(None) => last.clone(),
                None => return value(last, position),
            };
            self.sums.push(next);
        }
    }
}
