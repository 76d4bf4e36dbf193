//! One thread of a search: exact end games by principal variation search.
//!
//! The recursion is as deep as the game is long: at most 60 moves and the passes between them.

use std::sync::Arc;
use std::time::Instant;

use othello_core::{Board, Move, Square, State};

use crate::api::{Control, Limits, Selectivity};
use crate::cpu::Cpu;
use crate::last::{Child, Children, Effort, MAX_MOVES};
use crate::stability::stability_cut;
use crate::threads::{Pool, SplitPoint};
use crate::tt::{Entry, Found, Key, TranspositionTable};

/// So many empty squares are left to the search without table.
const FEW: u32 = 7;
/// From so many empty squares on the table is asked about all moves (enhanced transposition cutoff).
const ETC: u32 = 11;
/// From so many empty squares on moves are ordered with full effort.
const FULL_ORDER: u32 = 11;
/// From so many empty squares on a node may be shared by threads.
const SPLIT: u32 = 14;
/// Nodes with a table between two looks at the clock.
const POLL: u32 = 32;

/// The order of the moves that the table knows as best.
const TABLE_MOVES: [i32; 2] = [1 << 29, 1 << 28];

/// What the threads of a search share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a TranspositionTable,
    pub(crate) control: &'a Control,
    pub(crate) limits: Limits,
    pub(crate) pool: Pool,
    pub(crate) cpu: Cpu,
}

/// A thread of a search.
#[derive(Debug)]
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) selectivity: Selectivity,
    /// Boards visited.
    pub(crate) nodes: u64,
    /// Boards of `nodes` that the pool knows of.
    told: u64,
    /// Nodes until the next look at the clock.
    until_poll: u32,
    /// True once the search is to end.
    is_over: bool,
    /// The split point whose moves this thread searches.
    split: Option<Arc<SplitPoint>>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            selectivity: Selectivity::Exact,
            nodes: 0,
            told: 0,
            until_poll: POLL,
            is_over: false,
            split: None,
        }
    }

    /// Returns whether what this thread searches is no longer wanted; then scores mean nothing.
    #[inline]
    pub(crate) fn is_stopped(&mut self) -> bool {
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.poll();
        }
        self.is_over
            || self.shared.control.is_stopped()
            || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    #[cold]
    fn poll(&mut self) {
        self.until_poll = POLL;
        let total = self.tell_nodes();
        let Limits { nodes, until } = self.shared.limits;
        self.is_over = self.is_over
            || nodes.is_some_and(|most| total >= most)
            || until.is_some_and(|until| Instant::now() >= until);
    }

    /// Tells how many boards this thread has visited; returns those of all threads.
    pub(crate) fn tell_nodes(&mut self) -> u64 {
        let new = self.nodes - self.told;
        self.told = self.nodes;
        self.shared.pool.count(new)
    }

    /// Helps other threads until the search is over.
    pub(crate) fn help(&mut self) {
        let pool = &self.shared.pool;
        while let Some(split) = pool.wait(None, || pool.is_done()) {
            self.help_with(&split);
        }
        self.tell_nodes();
    }

    fn help_with(&mut self, split: &Arc<SplitPoint>) {
        let (own, selectivity) = (self.split.take(), self.selectivity);
        self.work_on(split);
        split.leave();
        (self.split, self.selectivity) = (own, selectivity);
    }

    /// Takes moves of a split point until none is left.
    fn work_on(&mut self, split: &Arc<SplitPoint>) {
        self.split = Some(Arc::clone(split));
        self.selectivity = split.selectivity;
        while let Some(n) = split.take() {
            let score = -self.null_window(split.children[n].board, -split.alpha - 1, split.depth);
            if self.is_stopped() {
                break;
            }
            split.report(n, score);
        }
    }

    /// Searches moves in the window from `alpha` to `alpha + 1`, with idle threads where there are any, until one exceeds
    /// alpha. `done` are those that need no search, and those that were searched.
    ///
    /// Returns the best score with the place of its move.
    fn scout(
        &mut self,
        children: &[Child],
        done: &mut [bool; MAX_MOVES],
        alpha: i32,
        depth: u32,
    ) -> Option<(i32, usize)> {
        let mut best: Option<(i32, usize)> = None;
        for n in 0..children.len() {
            if done[n] {
                continue;
            }
            let left = done[n..children.len()]
                .iter()
                .filter(|&&done| !done)
                .count();
            if depth >= SPLIT && left > 1 && self.shared.pool.has_idle() {
                let of_others = self.share(children, done, alpha, depth);
                return match (best, of_others) {
                    (Some(own), Some(other)) => Some(if other.0 > own.0 { other } else { own }),
                    (own, other) => own.or(other),
                };
            }
            let score = -self.null_window(children[n].board, -alpha - 1, depth);
            if self.is_stopped() {
                return best;
            }
            done[n] = true;
            if best.is_none_or(|(best, _)| score > best) {
                best = Some((score, n));
            }
            if score > alpha {
                break;
            }
        }
        best
    }

    /// [`scout`](Self::scout) of the moves that are left, with other threads.
    fn share(
        &mut self,
        children: &[Child],
        done: &mut [bool; MAX_MOVES],
        alpha: i32,
        depth: u32,
    ) -> Option<(i32, usize)> {
        let places: Vec<_> = (0..children.len()).filter(|&n| !done[n]).collect();
        let left = places.iter().map(|&n| children[n]).collect();
        let parent = self.split.clone();
        let split = SplitPoint::new(parent.clone(), left, alpha, depth, self.selectivity);
        let split = Arc::new(split);
        let pool = &self.shared.pool;
        pool.open(&split);
        self.work_on(&split);
        pool.close(&split);
        while Pool::is_helped(&split) {
            let is_over = || !Pool::is_helped(&split);
            if let Some(below) = pool.wait(Some(&split), is_over) {
                self.help_with(&below);
            }
        }
        self.split = parent;
        let outcome = split.outcome();
        for (n, place) in places.iter().enumerate() {
            done[*place] |= outcome.done[n];
        }
        outcome.best.map(|(score, n)| (score, places[n]))
    }

    /// The score in the window from `alpha` to `alpha + 1`: above `alpha` a lower bound, else an upper bound.
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
        if let Some(entry) = known.filter(|entry| entry.is_enough(depth, self.selectivity)) {
            if entry.lower > alpha {
                return entry.lower;
            }
            if entry.upper <= alpha {
                return entry.upper;
            }
        }
        let children = self.ordered(board, known.as_ref(), depth);
        if children.is_empty() {
            return match board.state() {
                State::Over => board.score(),
                _ => -self.null_window(board.passed(), -alpha - 1, depth),
            };
        }
        if children[0].board.mover() == 0 {
            return 64;
        }
        if depth >= ETC
            && let Some(score) = self.cut_by_table(&children, alpha, depth)
        {
            return score;
        }
        let mut done = [false; MAX_MOVES];
        let best = self.scout(&children, &mut done, alpha, depth - 1);
        let Some((score, n)) = best else {
            return alpha;
        };
        if score <= alpha && self.is_stopped() {
            return alpha;
        }
        self.store(key, depth, [alpha, alpha + 1], score, children[n].square);
        score
    }

    /// A score above `alpha` of a move that the table knows (enhanced transposition cutoff).
    fn cut_by_table(&self, children: &Children, alpha: i32, depth: u32) -> Option<i32> {
        children.iter().find_map(|child| {
            let entry = self.shared.table.probe(Key::of(child.board))?;
            let is_cut = entry.is_enough(depth - 1, self.selectivity) && -entry.upper > alpha;
            is_cut.then_some(-entry.upper)
        })
    }

    /// The legal moves in the order in which to search them.
    fn ordered(&self, board: Board, known: Option<&Entry>, depth: u32) -> Children {
        let mut children = Children::new();
        let effort = if depth >= FULL_ORDER {
            Effort::Full
        } else {
            Effort::Simple
        };
        self.shared.cpu.children(board, effort, &mut children);
        let moves = known.map_or([None; 2], |entry| entry.moves);
        for child in &mut children {
            for (mv, order) in moves.into_iter().zip(TABLE_MOVES) {
                if mv == Some(child.square) {
                    child.order = child.order.max(order);
                }
            }
        }
        children.sort_unstable_by_key(|child| (-child.order, child.square));
        children
    }

    fn store(&self, key: Key, depth: u32, [alpha, beta]: [i32; 2], score: i32, best: Square) {
        let found = Found {
            depth,
            selectivity: self.selectivity,
            alpha,
            beta,
            score,
            best: Some(best),
        };
        self.shared.table.store(key, found);
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
                    let score = -self.last(board.play_legal(square), -alpha - 1, empties - 1);
                    best = best.max(score);
                    if best > alpha {
                        break;
                    }
                }
                best
            }
        }
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
        // Scores of the table end no principal variation, so that it is whole.
        let key = Key::of(board);
        let known = self.shared.table.probe(key);
        let children = self.ordered(board, known.as_ref(), depth);
        let (best, score) = self.best_of(&children, [alpha, beta], depth, pv);
        if let Some(best) = best.filter(|_| !self.is_stopped()) {
            self.store(key, depth, [alpha, beta], score, best);
        }
        score
    }

    /// The best of a node's moves, its score and the play from the node.
    pub(crate) fn best_of(
        &mut self,
        children: &Children,
        [mut alpha, beta]: [i32; 2],
        depth: u32,
        pv: &mut Vec<Move>,
    ) -> (Option<Square>, i32) {
        let Some(first) = children.first() else {
            return (None, alpha);
        };
        let mut line = Vec::new();
        let mut best = first.square;
        let mut score = -self.variation(first.board, [-beta, -alpha], depth - 1, &mut line);
        put_line(pv, best, &line);
        let mut done = [false; MAX_MOVES];
        done[0] = true;
        loop {
            alpha = alpha.max(score);
            if alpha >= beta || self.is_stopped() {
                break;
            }
            let Some((found, n)) = self.scout(children, &mut done, alpha, depth - 1) else {
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
            let mut found = found;
            if found < beta {
                let window = [-beta, -alpha];
                found = -self.variation(child.board, window, depth - 1, &mut line);
            } else {
                line.clear();
            }
            if self.is_stopped() {
                break;
            }
            (score, best) = (found, child.square);
            put_line(pv, best, &line);
        }
        (Some(best), score)
    }
}

fn put_line(pv: &mut Vec<Move>, first: Square, rest: &[Move]) {
    pv.clear();
    pv.push(Move::Place(first));
    pv.extend_from_slice(rest);
}
