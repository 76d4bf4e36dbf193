//! Values of positions, as far as they are known.

use shogi_core::{Color, Move16};

use super::graph_moves::{Facts, GraphMoves, MoveKind};

/// Values of special results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Value of a draw by repetition, for black.
    pub(crate) draw: i32,
    /// Change of the value of a mate at each move before it.
    pub(crate) mate: MateStep,
    /// Depth of a position that is won at once.
    pub(crate) win_depth: u32,
}

/// Change of ±32000, the value of a position that is mated, at the move before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MateStep {
    /// The value becomes ±31999.
    Shorten,
    /// The value stays.
    Keep,
}

/// Value of a mated position.
const MATED: i32 = -32000;
/// Value of a position in which the side to move wins at once.
const WINS: i32 = 31999;
/// Value of a win by the opponent's perpetual check.
pub(crate) const PERPETUAL: i32 = 32000 - 246;
/// Value of a node that is not solved.
const NO_VALUE: i32 = i32::MIN;
/// Index that means no move.
pub(super) const NO_MOVE: u16 = u16::MAX;

/// Values of all positions under some rules.
#[derive(Debug)]
pub(crate) struct Solution {
    rules: Rules,
    /// Value for the side to move; [`NO_VALUE`] if it is not known.
    value: Vec<i32>,
    /// Plies to where the value comes from.
    depth: Vec<u32>,
    /// Index of the best move of each node.
    best: Vec<u16>,
}

/// Value of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Value for the mover.
    pub(crate) value: i32,
    /// Plies after the move to where the value comes from.
    pub(crate) depth: u32,
    /// The expected reply.
    pub(crate) ponder: Option<Move16>,
}

impl Solution {
    /// Creates the solution in which no node of `moves` has a value yet.
    pub(super) fn unknown(moves: &GraphMoves, rules: Rules) -> Self {
        Self {
            rules,
            value: vec![NO_VALUE; moves.len()],
            depth: vec![0; moves.len()],
            best: vec![NO_MOVE; moves.len()],
        }
    }

    /// A node whose moves' worths are all known.
    pub(super) fn solve_alone(&mut self, moves: &GraphMoves, node: u32) {
        let facts = moves.facts[node as usize];
        if facts.has(Facts::MATED) {
            self.value[node as usize] = MATED;
        } else if facts.has(Facts::WINS) {
            self.value[node as usize] = WINS;
            self.depth[node as usize] = self.rules.win_depth;
        } else {
            let mut best: Option<(u16, Worth)> = None;
            for (number, at) in moves.range(node).enumerate() {
                if let Some(worth) = self.worth(moves, node, at)
                    && best.is_none_or(|(_, best)| best.value < worth.value)
                {
                    best = Some((number as u16, worth));
                }
            }
            if let Some((number, worth)) = best {
                self.set(node, number, worth.value, worth.depth);
            }
        }
    }

    /// Sets best move, value and depth of a node.
    pub(super) fn set(&mut self, node: u32, best: u16, value: i32, depth: u32) {
        self.value[node as usize] = value;
        self.depth[node as usize] = depth;
        self.best[node as usize] = best;
    }

    pub(super) const fn draw(&self) -> i32 {
        self.rules.draw
    }

    /// The value of a move that leads to a position with this value.
    pub(super) fn before(&self, value: i32) -> i32 {
        match (self.rules.mate, value.abs()) {
            (MateStep::Shorten, 32000) => -value.signum() * 31999,
            _ => value.saturating_neg(),
        }
    }

    /// Plies from a node to where its value comes from.
    #[cfg(test)]
    pub(super) fn depth(&self, node: u32) -> u32 {
        self.depth[node as usize]
    }

    /// Number of the best move of a node.
    pub(super) fn best_row(&self, moves: &GraphMoves, node: u32) -> Option<usize> {
        match self.best[node as usize] {
            NO_MOVE => None,
            number => Some(moves.range(node).start + usize::from(number)),
        }
    }

    /// The best move of a node.
    pub(crate) fn best_move(&self, moves: &GraphMoves, node: u32) -> Option<Move16> {
        self.best_row(moves, node).map(|at| moves.mv[at])
    }

    /// Returns what the move number `at`, one of `node`'s, is worth; `None` when nothing is known of it.
    pub(crate) fn worth(&self, moves: &GraphMoves, node: u32, at: usize) -> Option<Worth> {
        let end = |value, depth, ponder| {
            Some(Worth {
                value,
                depth,
                ponder,
            })
        };
        let (eval, ponder) = (moves.eval[at], moves.ponder[at]);
        match moves.kind[at] {
            MoveKind::Leaf => end(eval, 0, ponder),
            MoveKind::Terminal => end(eval, 1, None),
            MoveKind::Draw => {
                let draw = match moves.facts[node as usize].color() {
                    Color::Black => self.rules.draw,
                    Color::White => -self.rules.draw,
                };
                end(draw, 1, ponder)
            }
            MoveKind::Win => end(PERPETUAL, 1, ponder),
            MoveKind::Lose => end(-PERPETUAL, 1, ponder),
            MoveKind::Joined | MoveKind::Linked => {
                let target = moves.target[at];
                match self.value[target as usize] {
                    NO_VALUE if moves.kind[at] == MoveKind::Linked => end(eval, 0, ponder),
                    NO_VALUE => None,
                    value => end(
                        self.before(value),
                        self.depth[target as usize].saturating_add(1),
                        self.best_move(moves, target),
                    ),
                }
            }
        }
    }
}
