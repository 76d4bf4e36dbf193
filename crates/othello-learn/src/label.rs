//! The search that labels positions: a few plies with the evaluation, or perfect play to the end.
//!
//! It has no table and no selectivity: for so few plies it is faster than a search that has. The end is solved with moves
//! ordered by the opponent's replies.

use othello_core::{Board, Square, Squares, State};
use othello_eval::{Features, UNITS_PER_DISC, Weights};

use crate::samples::MOST;

/// Empty squares from which on moves are not ordered by replies: that costs more than it saves.
const FEW: u32 = 6;

/// A bound beyond every value.
const INFINITE: i32 = MOST + 1;

const CORNERS: u64 = 0x8100_0000_0000_0081;

/// A quarter of the board each: squares whose number of empty squares has a parity of its own.
const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// A search that labels positions.
#[derive(Clone, Debug)]
pub struct Labeller<'w> {
    weights: &'w Weights,
    depth: u32,
    exact: u32,
}

impl<'w> Labeller<'w> {
    /// A search of `depth` plies, at least 1, which solves positions of at most `exact` empty squares.
    pub fn new(weights: &'w Weights, depth: u32, exact: u32) -> Self {
        Self {
            weights,
            depth: depth.max(1),
            exact,
        }
    }

    /// Returns whether a board is solved.
    pub fn solves(&self, board: Board) -> bool {
        board.empty().len() <= self.exact
    }

    /// The value of a board, in [`UNITS_PER_DISC`]ths of a disc, and a best move; no move where there is none to make.
    pub fn label(&self, board: Board) -> (i32, Option<Square>) {
        if self.solves(board) {
            let (score, mv) = solve(board, -64, 64);
            return (score * UNITS_PER_DISC, mv);
        }
        let features = self.weights.main().features(board);
        let (value, mv) = self.search(board, &features, self.depth, -INFINITE, INFINITE);
        (value.clamp(-MOST, MOST), mv)
    }

    /// The best move of a look one ply ahead.
    pub fn look_ahead(&self, board: Board) -> Option<Square> {
        let features = self.weights.main().features(board);
        self.search(board, &features, 1, -INFINITE, INFINITE).1
    }

    /// Fail-soft alpha-beta with moves in the order of their evaluations.
    fn search(
        &self,
        board: Board,
        features: &Features<4>,
        depth: u32,
        mut alpha: i32,
        beta: i32,
    ) -> (i32, Option<Square>) {
        let evaluator = self.weights.main();
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.passed();
            if passed.legal_moves().is_empty() {
                return (board.score() * UNITS_PER_DISC, None);
            }
            let (value, _) = self.search(passed, &features.passed(), depth, -beta, -alpha);
            return (-value, None);
        }
        let mut children = [(0i32, Square::ALL[0]); 64];
        let mut len = 0;
        for square in moves {
            let child = board.play_legal(square);
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
            let child = board.play_legal(square);
            let flips = Squares(child.opponent() & board.opponent());
            let after = evaluator.after(features, square, flips);
            let deeper =
                |alpha: i32, beta: i32| -self.search(child, &after, depth - 1, -beta, -alpha).0;
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
}

/// The final score of perfect play in discs, fail-soft within `alpha` and `beta`, and a best move.
fn solve(board: Board, mut alpha: i32, beta: i32) -> (i32, Option<Square>) {
    let moves = board.legal_moves();
    if moves.is_empty() {
        let passed = board.passed();
        if passed.legal_moves().is_empty() {
            return (board.score(), None);
        }
        return (-solve(passed, -beta, -alpha).0, None);
    }
    let mut best = (-65, None);
    let mut order = [(0u32, Square::ALL[0]); 64];
    let len = ordered(board, moves, &mut order);
    for (n, &(_, square)) in order[..len].iter().enumerate() {
        let child = board.play_legal(square);
        let mut score = if n == 0 {
            -solve(child, -beta, -alpha).0
        } else {
            -solve(child, -alpha - 1, -alpha).0
        };
        if n > 0 && score > alpha && score < beta {
            score = -solve(child, -beta, -score).0;
        }
        if score > best.0 {
            best = (score, Some(square));
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
    }
    best
}

/// Writes the moves, those that leave the opponent few replies first; near the end those in quarters with an odd number of
/// empty squares.
fn ordered(board: Board, moves: Squares, order: &mut [(u32, Square); 64]) -> usize {
    let empty = board.empty();
    let mut len = 0;
    for square in moves {
        let quadrant = QUADRANTS.iter().find(|&&q| q & square.bit() != 0);
        let odd = quadrant.is_some_and(|q| (q & empty.0).count_ones() % 2 == 1);
        let mut cost = u32::from(!odd);
        if empty.len() > FEW {
            let replies = board.play_legal(square).legal_moves();
            let corners = (replies.0 & CORNERS).count_ones();
            cost += 4 * (replies.len() + corners) + 4;
            if square.bit() & CORNERS != 0 {
                cost = cost.saturating_sub(4);
            }
        }
        order[len] = (cost, square);
        len += 1;
    }
    order[..len].sort_by_key(|&(cost, _)| cost);
    len
}

/// The score at the end of a game in [`UNITS_PER_DISC`]ths of a disc, if it is over.
pub(crate) fn outcome(board: Board) -> Option<i32> {
    (board.state() == State::Over).then(|| board.score() * UNITS_PER_DISC)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by trying everything.
    fn minimax(weights: &Weights, board: Board, depth: u32) -> i32 {
        match board.state() {
            State::Over => board.score() * UNITS_PER_DISC,
            State::Pass => -minimax(weights, board.passed(), depth),
            State::Moves if depth == 0 => weights.main().evaluate(board).clamp(-MOST, MOST),
            State::Moves => {
                let values = board
                    .legal_moves()
                    .iter()
                    .map(|square| -minimax(weights, board.play_legal(square), depth - 1));
                values.max().unwrap()
            }
        }
    }

    /// Boards of random games with this many empty squares.
    fn boards(empty: u32, count: u64) -> impl Iterator<Item = Board> {
        (0..count).filter_map(move |seed| {
            let mut random = splitmix::SplitMix64::new(seed);
            let mut board = Board::START;
            while board.empty().len() > empty {
                match board.state() {
                    State::Over => return None,
                    State::Pass => board = board.passed(),
                    State::Moves => {
                        let moves: Vec<_> = board.legal_moves().iter().collect();
                        board = board.play_legal(*random.choose(&moves));
                    }
                }
            }
            Some(board)
        })
    }

    #[test]
    fn the_search_finds_what_trying_everything_finds() {
        let weights = Weights::untrained();
        for depth in 2..=3 {
            let labeller = Labeller::new(&weights, depth, 0);
            for board in boards(30, 6).chain(boards(12, 6)) {
                let (value, mv) = labeller.label(board);
                assert_eq!(value, deep(&weights, board, depth));
                if let Some(square) = mv {
                    let child = board.play_legal(square);
                    assert_eq!(-deep(&weights, child, depth - 1), value);
                }
            }
        }
    }

    /// As [`minimax`]; leaves without a move are evaluated like others, as their evaluation came with the move.
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
                    .map(|square| -deep(weights, board.play_legal(square), depth - 1));
                values.max().unwrap()
            }
        }
    }

    #[test]
    fn ends_are_solved() {
        let weights = Weights::untrained();
        let labeller = Labeller::new(&weights, 1, 8);
        for board in boards(7, 20) {
            let (value, mv) = labeller.label(board);
            assert_eq!(value, minimax(&weights, board, 60));
            if let Some(square) = mv {
                assert_eq!(-minimax(&weights, board.play_legal(square), 60), value);
            }
        }
    }

    #[test]
    fn golden_ends_are_solved() {
        let path = test_support::fixture("othello/endgame/random.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let weights = Weights::untrained();
        let labeller = Labeller::new(&weights, 1, 60);
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
}
