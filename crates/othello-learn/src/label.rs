//! The search that labels positions: a few plies with the evaluation, or perfect play to the end.

use std::sync::Arc;

use othello_core::{Board, Move, Square, State};
use othello_eval::{UNITS_PER_DISC, Weights};
use othello_search::{Control, Goal, Limits, SearchSettings, Searcher, Selectivity};

use crate::samples::MOST;

/// Bytes of the transposition table: searches are short, and it is cleared for every game.
const TABLE: usize = 256 << 10;

/// The depth and selectivity of labels, and how much of the end is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelGoal {
    /// Depth of the search in plies; 0 is 1.
    pub depth: u32,
    /// Selectivity of the search.
    pub selectivity: Selectivity,
    /// Positions of at most this many empty squares are solved.
    pub exact: u32,
}

/// A search that labels positions. It keeps what it found until it is told to forget.
#[derive(Debug)]
pub struct Labeller {
    searcher: Searcher,
    goal: LabelGoal,
}

impl Labeller {
    /// A search with these weights.
    pub fn new(weights: &Arc<Weights>, goal: LabelGoal) -> Self {
        let settings = SearchSettings {
            hash_bytes: TABLE,
            threads: 1,
        };
        Self {
            searcher: Searcher::new(settings, Arc::clone(weights)),
            goal,
        }
    }

    /// Forgets earlier searches: what follows does not depend on them.
    pub fn clear(&mut self) {
        self.searcher.clear();
    }

    /// Returns whether a board is solved.
    pub fn solves(&self, board: Board) -> bool {
        board.empty().len() <= self.goal.exact
    }

    /// The value of a board, in [`UNITS_PER_DISC`]ths of a disc, and a best move; no move where there is none to make.
    pub fn label(&mut self, board: Board) -> (i32, Option<Square>) {
        let goal = if self.solves(board) {
            Goal::exact(1)
        } else {
            Goal {
                depth: self.goal.depth.max(1),
                selectivity: self.goal.selectivity,
                lines: 1,
            }
        };
        self.search(board, goal)
    }

    /// The best move of a look one ply ahead.
    pub fn look_ahead(&mut self, board: Board) -> Option<Square> {
        let goal = Goal {
            depth: 1,
            selectivity: Selectivity::Exact,
            lines: 1,
        };
        self.search(board, goal).1
    }

    fn search(&mut self, board: Board, goal: Goal) -> (i32, Option<Square>) {
        let control = Control::default();
        let result = self
            .searcher
            .search(board, goal, Limits::default(), &control, &mut ());
        let best = result.lines.first().and_then(|line| match line.best {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        });
        (
            (result.score * UNITS_PER_DISC).clamp(-MOST, MOST),
            best.filter(|_| board.state() == State::Moves),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labeller(exact: u32) -> Labeller {
        let goal = LabelGoal {
            depth: 3,
            selectivity: Selectivity::Exact,
            exact,
        };
        Labeller::new(&Arc::new(Weights::untrained()), goal)
    }

    #[test]
    fn golden_ends_are_solved() {
        let path = test_support::fixture("othello/endgame/random.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let mut labeller = labeller(60);
        let mut solved = 0;
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            if row["empties"].as_u64().unwrap() > 9 {
                continue;
            }
            let position: othello_core::Position = row["board"].as_str().unwrap().parse().unwrap();
            let (value, mv) = labeller.label(position.board());
            let score = i64::from(value / UNITS_PER_DISC);
            assert_eq!(score, row["score"].as_i64().unwrap(), "{line}");
            if let Some(square) = mv {
                assert_eq!(row["moves"][square.to_string()], score, "{line}");
            }
            solved += 1;
        }
        assert!(solved > 20, "{solved}");
    }

    #[test]
    fn a_label_does_not_depend_on_others_after_clearing() {
        let mut labeller = labeller(8);
        let start = labeller.label(Board::START);
        let next = Board::START.play_legal(start.1.unwrap());
        let fresh = {
            labeller.clear();
            labeller.label(next)
        };
        labeller.label(next.play_legal(fresh.1.unwrap()));
        labeller.clear();
        assert_eq!(labeller.label(next), fresh);
        assert!(!labeller.solves(next));
    }
}
