//! PUCT: a tree search led by a policy and a value.
//!
//! The search is that of dlshogi and of YaneuraOu's deep edition, to the order of additions: with the same network it visits every move of the root as often.
//! What they do: `C_init` and `C_base` as in `AlphaZero`, a reduction for moves without a visit, virtual loss by counting a visit before its
//! result is there, and flags on moves that are known to win, lose or draw.

mod mates;
mod params;
mod playout;
mod pool;
mod select;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use shogi_core::{Game, Move, Move16};
use shogi_mate::LeafSolver;

use crate::PolicyValueEvaluator;
use playout::Playouts;
use tree::{Child, Edge, Flags, NodeId, Tree};

pub use mates::PvMateSolver;
pub use params::PuctParams;
pub use playout::PuctRun;
pub use tree::RootProof;

/// What is known about a move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Probability that the policy gives it.
    pub prior: f32,
    /// Playouts that went through it.
    pub visits: u32,
    /// Sum of their results for the side to move at the root, each 0 to 1.
    pub wins: f32,
    /// What is proved about it.
    pub proof: RootProof,
}

impl RootMove {
    /// The probability that it wins; half without a visit.
    pub fn win_rate(&self) -> f32 {
        if self.visits == 0 {
            0.5
        } else {
            self.wins / self.visits as f32
        }
    }
}

/// The internal units, 90 to a pawn, that stand for a probability of winning: the logistic function turned round, times `Eval_Coef`; ±30,000 for
/// certainty.
pub fn units_of_win_rate(win_rate: f32, eval_coef: f32) -> i32 {
    if win_rate >= 1.0 {
        30_000
    } else if win_rate <= 0.0 {
        -30_000
    } else {
        let units = -(1.0 / win_rate - 1.0).ln() * eval_coef;
        units.clamp(-29_900.0, 29_900.0) as i32
    }
}

/// [`units_of_win_rate`] in centipawns, as the field's engines print them.
pub fn centipawns_of_win_rate(win_rate: f32, eval_coef: f32) -> i32 {
    units_of_win_rate(win_rate, eval_coef) * 100 / 90
}

/// A tree search of one position after the other. What is known of a position stays when the game goes on.
pub struct PuctSearch {
    game: Game,
    params: PuctParams,
    tree: Arc<Tree>,
    root: NodeId,
    /// Moves of the root to be looked at; all of them when empty.
    search_moves: Vec<Move16>,
    /// Gives back the memory of what is no longer needed.
    releasing: Option<JoinHandle<()>>,
}

/// Bytes of the table of a thread's mate solver: more than its few moves fill.
const MATE_TABLE: usize = 1 << 14;
/// Time between two looks at a run.
const WATCH_INTERVAL: Duration = Duration::from_millis(2);

impl PuctSearch {
    /// Begins a search of the last position of `game`: its moves get their policy from `evaluator`.
    ///
    /// A position without a legal move has no moves to report, and no playouts.
    pub fn new(game: Game, params: PuctParams, evaluator: &mut impl PolicyValueEvaluator) -> Self {
        let mut search = Self {
            game,
            params,
            tree: Arc::new(Tree::new()),
            root: 0,
            search_moves: Vec::new(),
            releasing: None,
        };
        search.begin(evaluator);
        search
    }

    /// Goes on to the last position of `game`, with what is known about it if the last search was of an earlier position of the same game. Only
    /// `search_moves` are looked at, which are legal, if there are any.
    pub fn set_game(
        &mut self,
        game: Game,
        search_moves: &[Move],
        evaluator: &mut impl PolicyValueEvaluator,
    ) {
        let known = self.known_node(&game);
        self.game = game;
        self.search_moves = search_moves.iter().copied().map(Move16::from).collect();
        let has = |code: &Move16| {
            let mut edges = known.iter().flat_map(|&node| self.tree.edges(node));
            edges.any(|edge| edge.code == *code)
        };
        if let Some(node) = known.filter(|_| self.search_moves.iter().all(has)) {
            self.keep(node);
        } else {
            self.clear();
            self.begin(evaluator);
        }
    }

    /// Sets the numbers that shape the search. When they differ, nothing that is known stays.
    pub fn set_params(&mut self, params: PuctParams, evaluator: &mut impl PolicyValueEvaluator) {
        if params != self.params {
            self.params = params;
            self.clear();
            self.begin(evaluator);
        }
    }

    /// Forgets what is known.
    pub fn forget(&mut self, evaluator: &mut impl PolicyValueEvaluator) {
        self.clear();
        self.begin(evaluator);
    }

    /// The node of the last position of `game`, below the root.
    fn known_node(&self, game: &Game) -> Option<NodeId> {
        let (old, new) = (self.game.len(), game.len());
        if old > new || game.line_key(old) != self.game.line_key(old) {
            return None;
        }
        let mut node = self.root;
        for m in game.moves_from(old) {
            let code = Move16::from(m?);
            let edge = self.tree.edges(node).find(|edge| edge.code == code)?;
            // A position behind a proved move need not have been evaluated.
            let Child::Node(child) = edge.child else {
                return None;
            };
            if edge.flags.has(Flags::ALL) || !self.tree.is_evaluated(child) {
                return None;
            }
            node = child;
        }
        Some(node)
    }

    /// Makes `node` the root, and gives back all that is not below it.
    fn keep(&mut self, node: NodeId) {
        if node == self.root {
            return;
        }
        let old = std::mem::replace(&mut self.root, node);
        self.finish_releasing();
        let tree = Arc::clone(&self.tree);
        let release = move || tree.release(vec![old], Some(node));
        let builder = thread::Builder::new().name("release".to_owned());
        match builder.spawn(release) {
            Ok(thread) => self.releasing = Some(thread),
            // Without a thread it is done now.
            Err(_) => self.tree.release(vec![old], Some(node)),
        }
    }

    fn finish_releasing(&mut self) {
        if let Some(thread) = self.releasing.take() {
            thread.join().ok();
        }
    }

    /// Empties the tree.
    fn clear(&mut self) {
        self.finish_releasing();
        match Arc::get_mut(&mut self.tree) {
            Some(tree) => tree.clear(),
            None => self.tree = Arc::new(Tree::new()),
        }
    }

    /// Makes a root in an empty tree.
    fn begin(&mut self, evaluator: &mut impl PolicyValueEvaluator) {
        if let Some(root) = self.tree.add_node() {
            self.root = root;
            self.playouts(std::slice::from_mut(evaluator)).expand_root();
        }
    }

    /// Makes exactly `count` more playouts, as many at once as `evaluator` has places; fewer only when the tree is full.
    pub fn run(&mut self, evaluator: &mut impl PolicyValueEvaluator, count: u32) {
        let never = AtomicBool::new(false);
        self.run_threads(std::slice::from_mut(evaluator), count, &never);
    }

    /// Makes exactly `count` more playouts on a thread for each evaluator; fewer when `stop` becomes true or the tree is full.
    pub fn run_threads<E: PolicyValueEvaluator>(
        &mut self,
        evaluators: &mut [E],
        count: u32,
        stop: &AtomicBool,
    ) {
        let run = PuctRun::new(count.into(), stop);
        self.run_watched(evaluators, &mut [], &run, || {});
    }

    /// Makes the playouts of `run` on a thread for each evaluator (or for each group of [`PuctRun::with_lanes`]), and searches for mates along the best line on a thread for each solver. Calls
    /// `watch` on this thread every few milliseconds until there are no more playouts to be made.
    ///
    /// # Panics
    /// When a thread does, or the system gives none.
    pub fn run_watched<E: PolicyValueEvaluator>(
        &self,
        evaluators: &mut [E],
        mates: &mut [PvMateSolver],
        run: &PuctRun<'_>,
        mut watch: impl FnMut(),
    ) {
        let working = AtomicUsize::new(evaluators.len().div_ceil(run.lanes));
        let watcher = thread::current();
        self.tree.set_mate_searched(self.root, false);
        thread::scope(|scope| {
            for evaluators in evaluators.chunks_mut(run.lanes) {
                let at_end = AtEnd {
                    working: &working,
                    watcher: watcher.clone(),
                    run,
                };
                scope.spawn(move || {
                    let _at_end = at_end;
                    self.playouts(evaluators).make(run);
                });
            }
            for solver in mates {
                scope.spawn(move || self.search_mates(solver, run));
            }
            while working.load(Acquire) > 0 {
                thread::park_timeout(WATCH_INTERVAL);
                watch();
                if run.is_stopped() {
                    run.is_over.store(true, Relaxed);
                }
            }
            run.is_over.store(true, Relaxed);
        });
    }

    fn playouts<'a, E>(&'a self, evaluators: &'a mut [E]) -> Playouts<'a, E> {
        Playouts {
            root_side: self.game.position().side_to_move(),
            game: self.game.clone(),
            params: &self.params,
            tree: &self.tree,
            root: self.root,
            search_moves: &self.search_moves,
            mates: LeafSolver::new(MATE_TABLE),
            evaluators,
        }
    }

    /// The game whose last position is searched.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Bytes of the system that the tree has, used or not.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// Playouts that went through the root, in this search and in earlier ones.
    pub fn visits(&self) -> u32 {
        self.tree.counts(self.root).visits
    }

    /// Sum of their results for the side to move, each 0 to 1.
    pub fn root_wins(&self) -> f32 {
        self.tree.counts(self.root).wins
    }

    fn root_edges(&self) -> impl Iterator<Item = Edge> {
        let named =
            |edge: &Edge| self.search_moves.is_empty() || self.search_moves.contains(&edge.code);
        self.tree.edges(self.root).filter(named)
    }

    /// The moves of the root, the best first: those that are known to win, then by visits, then by policy; those that are known to lose come last.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let mut edges: Vec<Edge> = self.root_edges().collect();
        edges.sort_by(Edge::better_first);
        let root_move = |edge: &Edge| {
            Some(RootMove {
                m: self.game.position().move_from_16(edge.code)?,
                prior: edge.prior,
                visits: edge.visits,
                wins: edge.wins,
                proof: edge.flags.proof(),
            })
        };
        edges.iter().filter_map(root_move).collect()
    }

    /// The line of best moves from the root on that begins with `first`, as far as there were playouts.
    pub fn line(&self, first: Move) -> Vec<Move> {
        let mut position = self.game.position().clone();
        let code = Move16::from(first);
        let mut best = self.tree.edges(self.root).find(|edge| edge.code == code);
        let mut line = Vec::new();
        while let Some(edge) = best.filter(|edge| edge.visits > 0) {
            let Some(m) = position.move_from_16(edge.code) else {
                break;
            };
            line.push(m);
            let _ = position.do_move_unchecked(m);
            let Child::Node(child) = edge.child else {
                break;
            };
            best = self.tree.edges(child).min_by(Edge::better_first);
        }
        line
    }
}

impl Drop for PuctSearch {
    fn drop(&mut self) {
        self.finish_releasing();
    }
}

/// Tells the watcher when a thread ends, even by a panic.
struct AtEnd<'a> {
    working: &'a AtomicUsize,
    watcher: Thread,
    run: &'a PuctRun<'a>,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.run.give_up();
        }
        self.working.fetch_sub(1, Release);
        self.watcher.unpark();
    }
}
