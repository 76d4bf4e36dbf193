//! One thread of a search: what exact end games and the midgame have in common, which is principal variation search.
//!
//! The recursion is as deep as the game is long: at most 60 moves and the passes between them.

use std::cmp::Reverse;
use std::sync::Arc;

use arrayvec::ArrayVec;
use othello_core::Square;
use othello_eval::{Evaluator, Weights};
use yane_clock::Instant;

use crate::api::{Control, Limits, Selectivity};
use crate::cpu::Cpu;
use crate::midgame::ProbCut;
use crate::ordering::{Child, Children, MAX_MOVES};

use crate::threads::{Pool, SplitPoint};
use crate::tt::{Entry, Found, Key, TranspositionTable};

/// The indices of the patterns of a board.
pub(crate) type Features = othello_eval::Features<4>;

/// So many empty squares are left to the search without table.
pub(crate) const FEW: u32 = 7;
/// So many empty squares are searched exactly, with moves ordered without evaluation.
pub(crate) const EXACT: u32 = 13;
/// From so many plies on the moves of a node may be shared by threads, in the endgame and in the midgame.
const SPLIT: [u32; 2] = [10, 6];
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
    pub(crate) weights: &'a Weights,
    pub(crate) prob_cut: ProbCut,
}

/// A thread of a search.
#[derive(Debug)]
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) selectivity: Selectivity,
    /// The number of probes (Multi-ProbCut) that this search is part of.
    pub(crate) probes: u32,
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
            probes: 0,
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
        yane_clock::pause_point();
        let total = self.tell_nodes();
        let Limits { nodes, until, .. } = self.shared.limits;
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
        let (own, selectivity, probes) = (self.split.take(), self.selectivity, self.probes);
        self.probes = 0;
        self.work_on(split);
        split.leave();
        (self.split, self.selectivity, self.probes) = (own, selectivity, probes);
    }

    /// Takes moves of a split point until none is left.
    fn work_on(&mut self, split: &Arc<SplitPoint>) {
        self.split = Some(Arc::clone(split));
        self.selectivity = split.selectivity;
        while let Some(n) = split.take() {
            let child = &split.children[n];
            let score = if split.is_evaluated {
                let features = self.evaluator().features(child.board);
                -self.mid_null_window(child.board, &features, -split.alpha - 1, split.depth)
            } else {
                -self.null_window(child.board, -split.alpha - 1, split.depth)
            };
            if self.is_stopped() {
                break;
            }
            split.report(n, score);
        }
    }

    /// The main evaluation.
    #[inline(always)]
    pub(crate) fn evaluator(&self) -> &'a Evaluator {
        self.shared.weights.main()
    }

    /// The score of a move in the window from `alpha` to `alpha + 1`; `before` are the features before it if it is searched
    /// with an evaluation.
    #[inline(always)]
    fn score_of(
        &mut self,
        child: &Child,
        before: Option<&Features>,
        alpha: i32,
        depth: u32,
    ) -> i32 {
        match before {
            Some(before) => {
                let after = self.evaluator().after(before, child.square, child.flips);
                -self.mid_null_window(child.board, &after, -alpha - 1, depth)
            }
            None => -self.null_window(child.board, -alpha - 1, depth),
        }
    }

    /// Searches moves in the window from `alpha` to `alpha + 1`, with idle threads where there are any, until one exceeds
    /// alpha. `done` are those that need no search, and those that were searched.
    ///
    /// Returns the best score with the place of its move.
    pub(crate) fn scout(
        &mut self,
        children: &[Child],
        before: Option<&Features>,
        done: &mut [bool; MAX_MOVES],
        alpha: i32,
        depth: u32,
    ) -> Option<(i32, usize)> {
        let mut best: Option<(i32, usize)> = None;
        for n in 0..children.len() {
            if done[n] {
                continue;
            }
            let is_deep = depth >= SPLIT[usize::from(before.is_some())];
            if is_deep
                && self.shared.pool.has_idle()
                && done[n + 1..children.len()].contains(&false)
            {
                let is_evaluated = before.is_some();
                let of_others = self.share(children, is_evaluated, done, alpha, depth);
                return match (best, of_others) {
                    (Some(own), Some(other)) => Some(if other.0 > own.0 { other } else { own }),
                    (own, other) => own.or(other),
                };
            }
            let score = self.score_of(&children[n], before, alpha, depth);
            // Few squares are never left half searched.
            if (before.is_some() || depth > FEW) && self.is_stopped() {
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

    /// [`scout`](Self::scout) of moves that are not sorted, and not shared: mostly the first one ends it, so that the best of
    /// those that are left is looked for each time.
    pub(crate) fn try_in_order(
        &mut self,
        children: &mut Children,
        alpha: i32,
        depth: u32,
    ) -> Option<(i32, usize)> {
        let mut best: Option<(i32, usize)> = None;
        for n in 0..children.len() {
            let left = children[n..].iter().enumerate();
            let first = left.max_by_key(|(_, child)| (child.order, Reverse(child.square)));
            let first = n + first.map_or(0, |(k, _)| k);
            children.swap(n, first);
            let score = -self.null_window(children[n].board, -alpha - 1, depth);
            if depth > FEW && self.is_stopped() {
                return best;
            }
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
        is_evaluated: bool,
        done: &mut [bool; MAX_MOVES],
        alpha: i32,
        depth: u32,
    ) -> Option<(i32, usize)> {
        let places: Vec<_> = (0..children.len()).filter(|&n| !done[n]).collect();
        let left = places.iter().map(|&n| children[n]).collect();
        let parent = self.split.clone();
        let (above, selectivity) = (parent.clone(), self.selectivity);
        let split = SplitPoint::new(above, left, alpha, depth, selectivity, is_evaluated);
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

    /// A score above `alpha` of a move that the table knows (enhanced transposition cutoff).
    pub(crate) fn cut_by_table(
        &self,
        children: &[Child],
        alpha: i32,
        depth: u32,
        selectivity: Selectivity,
    ) -> Option<i32> {
        let keys: ArrayVec<Key, MAX_MOVES> =
            children.iter().map(|child| Key::of(child.board)).collect();
        // All at once: the memory answers while the first are looked at.
        keys.iter().for_each(|&key| self.shared.table.prefetch(key));
        keys.into_iter().find_map(|key| {
            let entry = self.shared.table.probe(key)?;
            let is_cut = entry.is_enough(depth - 1, selectivity) && -entry.upper > alpha;
            is_cut.then_some(-entry.upper)
        })
    }

    /// Keeps the result of a search of a depth and selectivity in the table.
    pub(crate) fn store(
        &self,
        key: Key,
        (depth, selectivity): (u32, Selectivity),
        [alpha, beta]: [i32; 2],
        score: i32,
        best: Square,
    ) {
        let found = Found {
            depth,
            selectivity,
            alpha,
            beta,
            score,
            best: Some(best),
        };
        self.shared.table.store(key, found);
    }
}

/// The bound of an entry that ends a search in the window from `alpha` to `alpha + 1`.
#[inline(always)]
pub(crate) fn cut_by(entry: &Entry, alpha: i32) -> Option<i32> {
    if entry.lower > alpha {
        Some(entry.lower)
    } else {
        (entry.upper <= alpha).then_some(entry.upper)
    }
}

/// Puts the moves that the table knows as best before others.
pub(crate) fn prefer(children: &mut Children, known: Option<&Entry>) {
    let moves = known.map_or([None; 2], |entry| entry.moves);
    for child in children.iter_mut() {
        for (mv, order) in moves.into_iter().zip(TABLE_MOVES) {
            if mv == Some(child.square) {
                child.order = child.order.max(order);
            }
        }
    }
}

/// Sorts moves by their order.
pub(crate) fn sort(children: &mut Children) {
    children.sort_unstable_by_key(|child| (-child.order, child.square));
}
