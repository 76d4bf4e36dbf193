//! The midgame: null windows and principal variations with an evaluation at the leaves, Multi-ProbCut, and moves ordered
//! by the evaluation. To the end of the game it is the same search, down to the last squares that need no evaluation.

use othello_core::{Board, Move, Square, State};

use crate::api::Selectivity;
use crate::endgame::stability_cut;
use crate::midgame::probcut;
use crate::ordering::{Child, Children, Effort, MAX_MOVES, WIPE_OUT};
use crate::tt::{Entry, Key};
use crate::worker::{EXACT, Features, Worker, cut_by, prefer, sort};

/// From this depth on nodes are in the table.
const TABLE: u32 = 3;
/// From this depth on moves are ordered by the evaluation.
const ORDERED: u32 = 4;
/// From this depth on the table is asked about all moves.
const ETC: u32 = 5;
/// Probes within probes go no deeper than this.
const MOST_PROBES: u32 = 2;
/// The weight of a disc of the evaluation in the order of moves, as a power of 2: a reply has 15.
const DISC: u32 = 15;

impl Worker<'_> {
    /// The value of a board in discs.
    #[inline(always)]
    fn value(&self, board: Board, features: &Features) -> i32 {
        let evaluator = self.evaluator();
        evaluator.discs(evaluator.value(features, board))
    }

    /// The score in the window from `alpha` to `alpha + 1`: above `alpha` a lower bound, else an upper bound. `features` are
    /// those of the board; the depth is at most the number of empty squares, which is to the end of the game.
    pub(crate) fn mid_null_window(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
    ) -> i32 {
        let empties = board.empty().len();
        if depth == empties && empties <= EXACT {
            return self.null_window(board, alpha, empties);
        }
        match depth {
            0 => {
                self.nodes += 1;
                return self.value(board, features);
            }
            1 => return self.one_ply(board, features, alpha),
            _ => {}
        }
        self.nodes += 1;
        if depth >= TABLE && self.is_stopped() {
            return alpha;
        }
        let key = Key::of(board);
        self.shared.table.prefetch(key);
        if let Some(score) = stability_cut([board.mover(), board.opponent()], alpha, empties) {
            return score;
        }
        let wanted = (depth, self.selectivity);
        let known = (depth >= TABLE)
            .then(|| self.shared.table.probe(key))
            .flatten();
        let enough = known.filter(|entry| entry.is_enough(depth, self.selectivity));
        if let Some(score) = enough.and_then(|entry| cut_by(&entry, alpha)) {
            return score;
        }
        let mut children = Children::new();
        let effort = if depth >= TABLE {
            Effort::Full
        } else {
            Effort::Simple
        };
        self.shared.cpu.children(board, effort, &mut children);
        if children.is_empty() {
            return match board.state() {
                State::Over => board.score(),
                _ => -self.mid_null_window(board.passed(), &features.passed(), -alpha - 1, depth),
            };
        }
        if children.iter().any(|child| child.order >= WIPE_OUT) {
            return 64;
        }
        if let Some(score) = self.probe_cut(board, features, alpha, depth) {
            return score;
        }
        if depth >= ETC
            && let Some(score) = self.cut_by_table(&children, alpha, depth, self.selectivity)
        {
            return score;
        }
        self.order(&mut children, features, known.as_ref(), alpha, depth);
        let mut done = [false; MAX_MOVES];
        let best = self.scout(&children, Some(features), &mut done, alpha, depth - 1);
        let Some((score, n)) = best else {
            return alpha;
        };
        if depth < TABLE {
            return score;
        }
        if score <= alpha && self.is_stopped() {
            return alpha;
        }
        self.store(key, wanted, [alpha, alpha + 1], score, children[n].square);
        score
    }

    /// The score of the best move by the evaluation behind it.
    fn one_ply(&mut self, board: Board, features: &Features, alpha: i32) -> i32 {
        let evaluator = self.evaluator();
        self.nodes += 1;
        let mut best = -65;
        for square in board.legal_moves() {
            let flips = board.flips(square);
            let after = board.play_unchecked(square);
            self.nodes += 1;
            if after.mover() == 0 {
                return 64;
            }
            let value = evaluator.value_after(features, square, flips, after);
            best = best.max(-evaluator.discs(value));
            if best > alpha {
                break;
            }
        }
        if best > -65 {
            return best;
        }
        match board.state() {
            State::Over => board.score(),
            _ => -self.one_ply(board.passed(), &features.passed(), -alpha - 1),
        }
    }

    /// Multi-ProbCut: a bound by a shallow search whose result is so far beyond the window that a deep one will most
    /// likely be too.
    fn probe_cut(
        &mut self,
        board: Board,
        features: &Features,
        alpha: i32,
        depth: u32,
    ) -> Option<i32> {
        if self.selectivity == Selectivity::Exact || self.probes >= MOST_PROBES {
            return None;
        }
        let probe = probcut::probe_depth(depth)?;
        let empties = board.empty().len();
        let confidence = self.selectivity.deviations();
        let error = |probe| confidence * self.shared.prob_cut.deviation(empties, depth, probe);
        let value = self.value(board, features);
        let margin = f64::midpoint(error(probe), error(0));
        let reach = error(probe).round() as i32;
        let (high, low) = (alpha + 1 + reach, alpha - reach);
        let probed = self.selectivity;
        self.probes += 1;
        let mut found = None;
        if high <= 64 && f64::from(value - alpha) > margin {
            let score = self.mid_null_window(board, features, high - 1, probe);
            if score >= high {
                found = Some(alpha + 1);
            }
        } else if low >= -64 && f64::from(alpha + 1 - value) > margin {
            let score = self.mid_null_window(board, features, low, probe);
            if score <= low {
                found = Some(alpha);
            }
        }
        self.probes -= 1;
        self.selectivity = probed;
        found.filter(|_| !self.is_stopped())
    }

    /// Adds the evaluation to the order of moves, and sorts them.
    fn order(
        &mut self,
        children: &mut Children,
        before: &Features,
        known: Option<&Entry>,
        alpha: i32,
        depth: u32,
    ) {
        if depth >= ORDERED && children.len() > 1 {
            let sort_depth = sort_depth(depth, children[0].board.empty().len() + 1);
            let evaluator = self.evaluator();
            for child in children.iter_mut() {
                self.nodes += 1;
                let value = if sort_depth == 0 {
                    evaluator.value_after(before, child.square, child.flips, child.board)
                } else {
                    let after = evaluator.after(before, child.square, child.flips);
                    let window = [-64, (-alpha + 8).clamp(-63, 64)];
                    self.shallow(child.board, &after, window, sort_depth) * 128
                };
                // 128ths of a disc.
                child.order = child.order.saturating_sub(value << (DISC - 7));
            }
        }
        prefer(children, known);
        sort(children);
    }

    /// The score of a shallow search in a window by alpha-beta, without table and pruning.
    fn shallow(
        &mut self,
        board: Board,
        features: &Features,
        [mut alpha, beta]: [i32; 2],
        depth: u32,
    ) -> i32 {
        self.nodes += 1;
        if depth == 0 {
            return self.value(board, features);
        }
        let evaluator = self.evaluator();
        let mut best = -65;
        let mut children = Children::new();
        self.shared
            .cpu
            .children(board, Effort::Simple, &mut children);
        children.sort_unstable_by_key(|child| (-child.order, child.square));
        for child in &children {
            let score = if depth == 1 {
                self.nodes += 1;
                let (square, flips) = (child.square, child.flips);
                -evaluator.discs(evaluator.value_after(features, square, flips, child.board))
            } else {
                let after = evaluator.after(features, child.square, child.flips);
                -self.shallow(child.board, &after, [-beta, -alpha], depth - 1)
            };
            best = best.max(score);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        if best > -65 {
            return best;
        }
        match board.state() {
            State::Over => board.score(),
            _ => -self.shallow(board.passed(), &features.passed(), [-beta, -alpha], depth),
        }
    }

    /// The legal moves of a node of the principal variation, best first.
    pub(crate) fn variation_moves(&mut self, board: Board, depth: u32, alpha: i32) -> Children {
        let mut children = Children::new();
        self.shared.cpu.children(board, Effort::Full, &mut children);
        let known = self.shared.table.probe(Key::of(board));
        let features = self.evaluator().features(board);
        self.order(&mut children, &features, known.as_ref(), alpha, depth);
        children
    }

    /// The score in a window, with the best play from the board in `pv`. A score not above `alpha` is an upper bound, one
    /// not below `beta` a lower bound.
    pub(crate) fn variation(
        &mut self,
        board: Board,
        [alpha, beta]: [i32; 2],
        depth: u32,
        pv: &mut Vec<Move>,
    ) -> i32 {
        pv.clear();
        self.nodes += 1;
        if self.is_stopped() {
            return alpha;
        }
        match board.state() {
            State::Over => return board.score(),
            State::Pass => {
                let score = -self.variation(board.passed(), [-beta, -alpha], depth, pv);
                pv.insert(0, Move::Pass);
                return score;
            }
            State::Moves => {}
        }
        if depth == 0 {
            return self.value(board, &self.evaluator().features(board));
        }
        // Scores of the table end no principal variation, so that it is whole.
        let children = self.variation_moves(board, depth, alpha);
        let (best, score) = self.best_of(board, &children, [alpha, beta], depth, pv);
        if let Some(best) = best.filter(|_| !self.is_stopped()) {
            let wanted = (depth, self.selectivity);
            self.store(Key::of(board), wanted, [alpha, beta], score, best);
        }
        score
    }

    /// The best of a node's moves, its score and the play from the node. Of a search that was stopped: if the score is above
    /// `alpha` and the move not the first, a move that is better than the first.
    pub(crate) fn best_of(
        &mut self,
        board: Board,
        children: &[Child],
        [mut alpha, beta]: [i32; 2],
        depth: u32,
        pv: &mut Vec<Move>,
    ) -> (Option<Square>, i32) {
        let Some(first) = children.first() else {
            return (None, alpha);
        };
        let features = self.evaluator().features(board);
        let mut line = Vec::new();
        let mut best = first.square;
        let mut score = -self.variation(first.board, [-beta, -alpha], depth - 1, &mut line);
        put_line(pv, best, &line);
        let mut done = [false; MAX_MOVES];
        done[0] = true;
        loop {
            alpha = alpha.max(score);
            if alpha >= beta.min(64) || self.is_stopped() {
                break;
            }
            let Some((found, n)) =
                self.scout(children, Some(&features), &mut done, alpha, depth - 1)
            else {
                break;
            };
            if found <= alpha {
                if found > score {
                    (score, best) = (found, children[n].square);
                    put_line(pv, best, &[]);
                }
                break;
            }
            let child = &children[n];
            line.clear();
            let mut exact = found;
            if found < beta {
                let window = [-beta, -alpha];
                exact = -self.variation(child.board, window, depth - 1, &mut line);
            }
            if self.is_stopped() {
                // It is better, though not known by how much.
                (score, best) = (found, child.square);
                put_line(pv, best, &[]);
                break;
            }
            // Selective searches may contradict the null window.
            if exact > score {
                (score, best) = (exact, child.square);
                put_line(pv, best, &line);
            }
        }
        (Some(best), score)
    }
}

/// The depth of the searches that order moves; 0 is the evaluation alone. To the end of the game moves are also ordered by the
/// table, from the searches before it, and deeper searches cost more than they save.
const fn sort_depth(depth: u32, empties: u32) -> u32 {
    if depth == empties {
        return match depth {
            0..=15 => 0,
            16..=19 => 1,
            20..=27 => 2,
            _ => 3,
        };
    }
    match depth {
        0..=11 => 0,
        12..=20 => 1,
        _ => 2,
    }
}

fn put_line(pv: &mut Vec<Move>, first: Square, rest: &[Move]) {
    pv.clear();
    pv.push(Move::Place(first));
    pv.extend_from_slice(rest);
}
