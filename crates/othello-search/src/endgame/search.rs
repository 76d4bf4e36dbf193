//! Exact end games: null windows down to the last squares, which are solved without a table.

use othello_core::{Board, State};

use crate::api::Selectivity;

use crate::ordering::{Children, Effort, MAX_MOVES, WIPE_OUT};

use crate::endgame::stability_cut;

use crate::tt::{Entry, Key};
use crate::worker::{FEW, Worker, cut_by, prefer, sort};

impl Worker<'_> {
    /// The exact score in the window from `alpha` to `alpha + 1`: above `alpha` a lower bound, else an upper bound.
    pub(crate) fn null_window(&mut self, board: Board, alpha: i32, depth: u32) -> i32 {
        if depth <= FEW {
            return self.last(board, alpha, depth);
        }
        self.nodes += 1;
        if self.is_stopped() {
            return alpha;
        }
        let key = Key::of(board);
        self.shared.table.prefetch(key);
        if let Some(score) = stability_cut([board.mover(), board.opponent()], alpha, depth) {
            return score;
        }
        let known = self.shared.table.probe(key);
        let exact = known.filter(|entry| entry.is_enough(depth, Selectivity::Exact));
        if let Some(score) = exact.and_then(|entry| cut_by(&entry, alpha)) {
            return score;
        }
        let mut children = self.ordered(board, known.as_ref(), depth);
        if children.is_empty() {
            return match board.state() {
                State::Over => board.score(),
                _ => -self.null_window(board.passed(), -alpha - 1, depth),
            };
        }
        if children.iter().any(|child| child.order >= WIPE_OUT) {
            return 64;
        }
        let best = if depth < ETC {
            self.try_in_order(&mut children, alpha, depth - 1)
        } else {
            if let Some(score) = self.cut_by_table(&children, alpha, depth, Selectivity::Exact) {
                return score;
            }
            sort(&mut children);
            let mut done = [false; MAX_MOVES];
            self.scout(&children, None, &mut done, alpha, depth - 1)
        };
        let Some((score, n)) = best else {
            return alpha;
        };
        if score <= alpha && self.is_stopped() {
            return alpha;
        }
        let best = children[n].square;
        self.store(
            key,
            (depth, Selectivity::Exact),
            [alpha, alpha + 1],
            score,
            best,
        );
        score
    }

    /// The legal moves with the order in which to search them.
    fn ordered(&self, board: Board, known: Option<&Entry>, depth: u32) -> Children {
        let mut children = Children::new();
        let effort = if depth >= FULL_ORDER {
            Effort::Full
        } else {
            Effort::Simple
        };
        self.shared.cpu.children(board, effort, &mut children);
        prefer(&mut children, known);
        children
    }

    /// The score of a board with few empty squares in the window from `alpha` to `alpha + 1`.
    fn last(&mut self, board: Board, alpha: i32, empties: u32) -> i32 {
        if empties >= 4 {
            return self.shared.cpu.few(&mut self.nodes, board, alpha, empties);
        }
        self.nodes += 1;
        match board.state() {
            State::Over => board.score(),
            State::Pass => -self.last(board.passed(), -alpha - 1, empties),
            State::Moves => {
                let mut best = -64;
                for square in board.legal_moves() {
                    let score = -self.last(board.play_unchecked(square), -alpha - 1, empties - 1);
                    best = best.max(score);
                    if best > alpha {
                        break;
                    }
                }
                best
            }
        }
    }
}

/// From so many empty squares on the table is asked about all moves (enhanced transposition cutoff).
const ETC: u32 = 9;

/// From so many empty squares on moves are ordered with full effort.
const FULL_ORDER: u32 = 10;
