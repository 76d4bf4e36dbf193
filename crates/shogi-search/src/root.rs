//! Iterative deepening at the root: windows, several lines, when to stop, what to report.

use shogi_core::{Game, Move};
use shogi_eval::Evaluator;

use crate::history::Histories;
use crate::params::Params;
use crate::stop::{Settledness, Stopper};
use crate::tt::TranspositionTable;
use crate::worker::{INFINITE, MATE_IN_MAX_PLY, Worker};
use crate::{
    Bound, Control, Limits, MAX_PLY, Observer, SearchInfo, SearchOptions, SearchResult, Value,
};

/// What a search leaves for the next one: the transposition table and the histories. Also holds the
/// search parameters.
#[derive(Debug)]
pub struct SharedState {
    tt: TranspositionTable,
    histories: Histories,
    /// The numbers that shape the search; the defaults unless a tuner changes them.
    pub params: Params,
}

impl SharedState {
    /// An empty state whose transposition table takes `hash_mib` mebibytes (at least 1). The
    /// histories take about 13 more.
    pub fn new(hash_mib: usize) -> Self {
        Self {
            tt: TranspositionTable::new(hash_mib),
            histories: Histories::new(),
            params: Params::default(),
        }
    }

    /// Forgets everything but the parameters.
    pub fn clear(&mut self) {
        self.tt.clear();
        self.histories.clear();
    }

    /// Changes the size of the transposition table, which forgets everything. Nothing happens when
    /// the size is the same.
    pub fn resize(&mut self, hash_mib: usize) {
        if self.tt.mib() != hash_mib.max(1) {
            self.tt = TranspositionTable::new(hash_mib);
        }
    }

    /// A new game begins: what the last one taught is forgotten, so that games can be repeated.
    pub fn new_game(&mut self) {
        self.clear();
    }

    /// Size of the transposition table in mebibytes.
    pub fn hash_mib(&self) -> usize {
        self.tt.mib()
    }
}

/// A move at the root with what is known about it.
#[derive(Clone, Debug)]
struct RootMove {
    m: Move,
    score: i32,
    bound: Bound,
    /// Score of the iteration before.
    previous: i32,
    /// Depth of the iteration that gave `score` and `pv`.
    depth: u32,
    sel_depth: usize,
    /// Positions visited below the move.
    nodes: u64,
    pv: Vec<Move>,
}

impl RootMove {
    fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            bound: Bound::Exact,
            previous: -INFINITE,
            depth: 0,
            sel_depth: 0,
            nodes: 0,
            pv: vec![m],
        }
    }
}

/// Searches the current position of `game` until a limit is reached or `control` says stop, and
/// reports every finished iteration to `observer` (on this thread). `None` when the position has no
/// legal move, or none of those asked for.
///
/// The same position, limits without time, options and state give the same result.
pub fn search<E: Evaluator + ?Sized>(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    evaluator: &mut E,
    shared: &mut SharedState,
    control: &Control,
    observer: &mut dyn Observer,
) -> Option<SearchResult> {
    let SharedState {
        tt,
        histories,
        params,
    } = shared;
    tt.new_search();
    let stopper = Stopper::new(control, limits);
    let worker = Worker::new(game, evaluator, tt, histories, params, options, stopper);
    let mut moves = worker.root_moves();
    if !limits.search_moves.is_empty() {
        // Any legal move may be asked for, pointless or not.
        let position = game.position();
        moves = limits
            .search_moves
            .iter()
            .copied()
            .filter(|&m| position.is_legal(m))
            .collect();
        moves.sort_unstable();
        moves.dedup();
    }
    if moves.is_empty() {
        return None;
    }
    let mut root = Root {
        worker,
        moves: moves.into_iter().map(RootMove::new).collect(),
        observer,
        multi_pv: 1,
        finished_depth: 0,
        reported: None,
    };
    root.multi_pv = options.multi_pv.clamp(1, root.moves.len());
    root.iterate(limits);
    root.worker.stopper.wait_for_permission(limits.infinite);
    Some(root.result())
}

/// The root node.
struct Root<'a, 'w, E: Evaluator + ?Sized> {
    worker: Worker<'w, E>,
    /// Best first.
    moves: Vec<RootMove>,
    observer: &'a mut dyn Observer,
    multi_pv: usize,
    finished_depth: u32,
    /// Number of positions at the last report.
    reported: Option<u64>,
}

impl<E: Evaluator + ?Sized> Root<'_, '_, E> {
    fn iterate(&mut self, limits: &Limits) {
        let deepest = limits.depth.unwrap_or(MAX_PLY).clamp(1, MAX_PLY);
        let mut stable_iterations = 0;
        for depth in 1..=deepest {
            let (last_best, last_score) = (self.moves[0].m, self.moves[0].score);
            let nodes_before = self.worker.nodes;
            for root_move in &mut self.moves {
                root_move.previous = root_move.score;
                root_move.nodes = 0;
            }
            self.worker.root_depth = depth as i32;
            for line in 0..self.multi_pv {
                self.search_line(depth as i32, line);
                self.moves[..=line].sort_by_key(|rm| std::cmp::Reverse(rm.score));
                if self.worker.stopper.is_stopped() {
                    break;
                }
            }
            if self.worker.stopper.is_stopped() {
                break;
            }
            self.finished_depth = depth;
            self.report();

            let best = &self.moves[0];
            stable_iterations = if best.m == last_best {
                stable_iterations + 1
            } else {
                0
            };
            let spent = (self.worker.nodes - nodes_before).max(1);
            self.worker.stopper.iteration_done(Settledness {
                stable_iterations,
                fall: if depth > 1 {
                    last_score - best.score
                } else {
                    0
                },
                effort: best.nodes * 100 / spent,
                only_move: self.moves.len() == 1,
            });
            if self.worker.stopper.is_stopped() || self.is_decided(depth) {
                break;
            }
        }
        if self.reported != Some(self.worker.nodes) {
            self.report();
        }
    }

    /// Whether a mate is found and proved so far beyond its length that nothing shorter is left to
    /// find. Only searches on the clock end early.
    fn is_decided(&self, depth: u32) -> bool {
        let plies = Value(self.moves[0].score)
            .mate_plies()
            .map_or(u32::MAX, i32::unsigned_abs);
        self.worker.stopper.is_timed()
            && self.multi_pv == 1
            && plies.saturating_mul(2).saturating_add(2) < depth
    }

    /// Finds the best of the moves that the lines before `line` did not take.
    fn search_line(&mut self, depth: i32, line: usize) {
        self.worker.sel_depth = 0;
        let guess = self.moves[line].previous;
        let mut window = self.worker.params.aspiration_window;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && guess.abs() < MATE_IN_MAX_PLY {
            (alpha, beta) = (
                (guess - window).max(-INFINITE),
                (guess + window).min(INFINITE),
            );
        }
        let mut failed_high = 0;
        loop {
            let searched = (depth - failed_high).max(1);
            let score = self.search_root(alpha, beta, searched, line);
            self.moves[line..].sort_by_key(|rm| std::cmp::Reverse((rm.score, rm.previous)));
            if self.worker.stopper.is_stopped() {
                return;
            }
            if score <= alpha && alpha > -INFINITE {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - window).max(-INFINITE);
                failed_high = 0;
            } else if score >= beta && beta < INFINITE {
                beta = (score + window).min(INFINITE);
                failed_high = (failed_high + 1).min(3);
            } else {
                return;
            }
            window += window * self.worker.params.aspiration_growth / 100;
            if window > 1500 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Searches the root moves from `line` on within `alpha..beta`.
    fn search_root(&mut self, mut alpha: i32, beta: i32, depth: i32, line: usize) -> i32 {
        let mut best = -INFINITE;
        for index in line..self.moves.len() {
            let number = index - line + 1;
            let m = self.moves[index].m;
            let nodes_before = self.worker.nodes;
            let score = self.search_root_move(m, alpha, beta, depth, number);
            if self.worker.stopper.is_stopped() {
                return best;
            }
            let worker = &mut self.worker;
            let root_move = &mut self.moves[index];
            root_move.nodes += worker.nodes - nodes_before;
            if number == 1 || score > alpha {
                root_move.score = score;
                root_move.depth = worker.root_depth as u32;
                root_move.sel_depth = worker.sel_depth;
                root_move.bound = if score >= beta {
                    Bound::Lower
                } else if score <= alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                root_move.pv.truncate(1);
                if root_move.bound != Bound::Upper {
                    root_move.pv.extend(worker.pv.line(1));
                }
            } else {
                root_move.score = -INFINITE;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                if score >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The score of root move `m`, the `number`th to be searched.
    fn search_root_move(
        &mut self,
        m: Move,
        alpha: i32,
        beta: i32,
        depth: i32,
        number: usize,
    ) -> i32 {
        let worker = &mut self.worker;
        let quiet = !crate::movepicker::is_noisy(worker.game.position(), m);
        worker.frame(1).killers = [None; 2];
        worker.play(m, 0);
        let full = depth - 1;
        let mut score = 0;
        let mut open = number == 1;
        if !open {
            let mut reduced = full;
            if depth >= 3 && number > 3 && quiet && !worker.game.position().in_check() {
                let reduction = (worker.reduction(depth, number) - worker.params.lmr_pv) / 1024;
                reduced = (full - reduction.max(0)).max(1);
            }
            score = -worker.search::<false>(-alpha - 1, -alpha, reduced, 1, true);
            if score > alpha && reduced < full {
                score = -worker.search::<false>(-alpha - 1, -alpha, full, 1, false);
            }
            open = score > alpha;
        }
        if open {
            score = -worker.search::<true>(-beta, -alpha, full, 1, false);
        }
        worker.undo();
        score
    }

    /// Reports all lines as they stand.
    fn report(&mut self) {
        self.reported = Some(self.worker.nodes);
        let elapsed = self.worker.stopper.elapsed();
        let hash_full = self.worker.tt.full_per_mille();
        for (index, root_move) in self.moves[..self.multi_pv].iter().enumerate() {
            // A line that the interrupted iteration did not reach keeps its last score.
            let (score, bound) = if root_move.score == -INFINITE {
                (root_move.previous, Bound::Exact)
            } else {
                (root_move.score, root_move.bound)
            };
            if score == -INFINITE {
                continue;
            }
            self.observer.info(&SearchInfo {
                depth: root_move.depth,
                sel_depth: root_move.sel_depth as u32,
                multi_pv: index + 1,
                score: Value(score),
                bound,
                nodes: self.worker.nodes,
                hash_full,
                elapsed,
                pv: root_move.pv.clone(),
            });
        }
    }

    fn result(&mut self) -> SearchResult {
        let best = &self.moves[0];
        let score = if best.score == -INFINITE {
            best.previous
        } else {
            best.score
        };
        let ponder = best.pv.get(1).copied().or_else(|| {
            self.worker.game.play(best.m);
            let entry = self.worker.tt.probe(self.worker.game.position().key());
            let reply = self.worker.tt_move(entry.as_ref());
            self.worker.game.undo();
            reply
        });
        SearchResult {
            best: best.m,
            ponder,
            // Stopped before anything was known: the static score would be as good a guess as any.
            score: Value(if score == -INFINITE { 0 } else { score }),
            depth: self.finished_depth,
            nodes: self.worker.nodes,
        }
    }
}
