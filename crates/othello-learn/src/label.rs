//! The search that labels positions: a few plies with the evaluation, or perfect play to the end.
//!
//! Few plies without pruning are searched without a table: that is faster, and the values have parts of a disc. All else is
//! the engine's search.

use std::sync::Arc;

use othello_core::{Board, Move, Square, Squares};
use othello_eval::{Evaluator, Features, UNITS_PER_DISC, Weights};
use othello_search::{Control, Goal, Limits, SearchSettings, Searcher, Selectivity};

use crate::samples::MOST;

/// Bytes of the transposition table: searches are short, and it is cleared for every game.
const TABLE: usize = 256 << 10;

/// The greatest depth of searches without a table.
const FEW: u32 = 4;

/// A bound beyond every value.
const INFINITE: i32 = MOST + 1;

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
        if self.solves(board) {
            return self.search(board, Goal::exact(1));
        }
        let (depth, selectivity) = (self.goal.depth.max(1), self.goal.selectivity);
        if depth <= FEW && selectivity == Selectivity::Exact {
            return self.few_plies(board, depth);
        }
        let goal = Goal::new(depth, selectivity, 1);
        self.search(board, goal)
    }

    /// The best move of a look one ply ahead.
    pub fn look_ahead(&self, board: Board) -> Option<Square> {
        self.few_plies(board, 1).1
    }

    fn few_plies(&self, board: Board, depth: u32) -> (i32, Option<Square>) {
        let evaluator = self.searcher.weights().main();
        let features = evaluator.features(board);
        let (value, best) = alpha_beta(evaluator, board, &features, depth, -INFINITE, INFINITE);
        (value.clamp(-MOST, MOST), best)
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
        (result.tenths() * UNITS_PER_DISC / 10, best)
    }
}

/// Fail-soft alpha-beta with moves in the order of their evaluations.
fn alpha_beta(
    evaluator: &Evaluator,
    board: Board,
    features: &Features<4>,
    depth: u32,
    mut alpha: i32,
    beta: i32,
) -> (i32, Option<Square>) {
    let moves = board.legal_moves();
    if moves.is_empty() {
        let passed = board.passed();
        if passed.legal_moves().is_empty() {
            return (board.score() * UNITS_PER_DISC, None);
        }
        let (value, _) = alpha_beta(evaluator, passed, &features.passed(), depth, -beta, -alpha);
        return (-value, None);
    }
    let mut children = [(0i32, Square::ALL[0]); 64];
    let mut len = 0;
    for square in moves {
        let child = board.play_unchecked(square);
        let flips = Squares(child.opponent() & board.opponent());
        let value = -evaluator.value_after(features, square, flips, child);
        children[len] = (value.clamp(-MOST, MOST), square);
        len += 1;
    }
    let children = &mut children[..len];
    // Equal values stay in the order of squares, so that a search can be repeated.
    children.sort_by_key(|&(value, _)| -value);
    if depth <= 1 {
        return (children[0].0, Some(children[0].1));
    }
    let mut best = (-INFINITE, None);
    for (n, &mut (_, square)) in children.iter_mut().enumerate() {
        let child = board.play_unchecked(square);
        let flips = Squares(child.opponent() & board.opponent());
        let after = evaluator.after(features, square, flips);
        let deeper = |alpha: i32, beta: i32| {
            -alpha_beta(evaluator, child, &after, depth - 1, -beta, -alpha).0
        };
        let mut value = if n == 0 {
            deeper(alpha, beta)
        } else {
            deeper(alpha, alpha + 1)
        };
        if n > 0 && value > alpha && value < beta {
            value = deeper(value, beta);
        }
        if value > best.0 {
            best = (value, Some(square));
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use othello_core::State;
    use othello_search::negamax;

    use super::*;

    fn labeller(exact: u32) -> Labeller {
        let goal = LabelGoal {
            depth: 3,
            selectivity: Selectivity::Exact,
            exact,
        };
        Labeller::new(&Arc::new(Weights::untrained()), goal)
    }

    /// Boards of random games with this many empty squares.
    fn boards(empty: u32, count: u64) -> impl Iterator<Item = Board> {
        (0..count).filter_map(move |seed| {
            let mut random = yane_base::random::SplitMix64::new(seed);
            let mut board = Board::START;
            while board.empty().len() > empty {
                match board.state() {
                    State::Over => return None,
                    State::Pass => board = board.passed(),
                    State::Moves => {
                        let moves: Vec<_> = board.legal_moves().iter().collect();
                        board = board.play_unchecked(*random.choose(&moves));
                    }
                }
            }
            Some(board)
        })
    }

    #[test]
    fn the_search_finds_what_trying_everything_finds() {
        let weights = Arc::new(Weights::untrained());
        for depth in 2..=3 {
            let goal = LabelGoal {
                depth,
                selectivity: Selectivity::Exact,
                exact: 0,
            };
            let mut labeller = Labeller::new(&weights, goal);
            for board in boards(30, 6).chain(boards(12, 6)) {
                let (value, mv) = labeller.label(board);
                assert_eq!(value, deep(&weights, board, depth));
                if let Some(square) = mv {
                    let child = board.play_unchecked(square);
                    assert_eq!(-deep(&weights, child, depth - 1), value);
                }
            }
        }
    }

    /// The value by trying everything; leaves without a move are evaluated like others, as their evaluation came with the
    /// move.
    fn deep(weights: &Weights, board: Board, depth: u32) -> i32 {
        if depth == 0 {
            return weights.main().evaluate(board).clamp(-MOST, MOST);
        }
        match board.state() {
            State::Over => board.score() * UNITS_PER_DISC,
            State::Pass => -deep(weights, board.passed(), depth),
            State::Moves => {
                let values = board
                    .legal_moves()
                    .iter()
                    .map(|square| -deep(weights, board.play_unchecked(square), depth - 1));
                values.max().unwrap()
            }
        }
    }

    #[test]
    fn ends_are_solved() {
        let mut labeller = labeller(8);
        for board in boards(7, 20) {
            let (value, mv) = labeller.label(board);
            assert_eq!(value, negamax(board) * UNITS_PER_DISC);
            if let Some(square) = mv {
                assert_eq!(
                    -negamax(board.play_unchecked(square)) * UNITS_PER_DISC,
                    value
                );
            }
        }
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
        let next = Board::START.play_unchecked(start.1.unwrap());
        let fresh = {
            labeller.clear();
            labeller.label(next)
        };
        labeller.label(next.play_unchecked(fresh.1.unwrap()));
        labeller.clear();
        assert_eq!(labeller.label(next), fresh);
        assert!(!labeller.solves(next));
    }
}
