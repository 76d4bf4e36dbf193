//! Iterative deepening at the root: windows, several lines, when to stop, what to report.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::history::HistoryIndex;
use crate::long_mate::LongMate;
use crate::move_loop::MoveSearch;
use crate::node::SearchedMoves;
use crate::node::{Node, StaticEval, TtProbe};
use crate::score::{INFINITE, MATE_IN_MAX_PLY, Score};
use crate::time_manager::Iteration;
use crate::worker::Worker;
use crate::{Bound, Limits, MAX_PLY, Observer, SearchInfo, SearchResult, Value};

/// A move at the root with what is known about it.
#[derive(Clone, Debug)]
struct RootMove {
    m: Move,
    score: Score,
    bound: Bound,
    /// Score of the iteration before.
    previous: Score,
    /// Mean of the scores and of their squares (with their sign), the newest counting half; `None`
    /// without a score.
    mean: Option<(i32, i32)>,
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
            mean: None,
            depth: 0,
            sel_depth: 0,
            nodes: 0,
            pv: vec![m],
        }
    }

    /// The score and its kind. A line that an interrupted iteration did not reach keeps its last score.
    fn known_score(&self) -> (Score, Bound) {
        if self.score == -INFINITE {
            (self.previous, Bound::Exact)
        } else {
            (self.score, self.bound)
        }
    }
}

/// The result of one thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadResult {
    pub(crate) best: Move,
    /// Less than any score when nothing is known.
    pub(crate) score: Score,
    pub(crate) bound: Bound,
    /// Depth of the last finished iteration.
    pub(crate) depth: u32,
    pub(crate) sel_depth: usize,
    pub(crate) pv: Vec<Move>,
}

/// The root node.
pub(crate) struct Root<'a, 'w, E: Evaluator + ?Sized> {
    pub(crate) worker: Worker<'w, E>,
    /// Best first.
    moves: Vec<RootMove>,
    observer: &'a mut dyn Observer,
    multi_pv: usize,
    finished_depth: u32,
    /// Changes of the best move in this iteration.
    changes: u32,
    /// Number of positions at the last report.
    reported: Option<u64>,
    /// The best line as it was reported last.
    reported_best: Vec<Move>,
    long_mate: LongMate,
}

impl<'a, 'w, E: Evaluator + ?Sized> Root<'a, 'w, E> {
    /// For searching `moves`, of which there is at least one.
    pub(crate) fn new(
        mut worker: Worker<'w, E>,
        moves: &[Move],
        multi_pv: usize,
        observer: &'a mut dyn Observer,
    ) -> Self {
        worker.set_root_static_eval();
        let mut moves: Vec<_> = moves.iter().copied().map(RootMove::new).collect();
        let share = worker.stopper.nodes_to_spare().min(1 << 30) as i32;
        let nodes = worker.params.mate_root_nodes.min(share);
        // That one thread asks is enough.
        if worker.stopper.thread() == 0
            && !worker.game.position().in_check()
            && let Some((mating, _)) = worker.probe_mate(0, nodes)
        {
            // The search has to prove it, but knows where to begin.
            moves.sort_by_key(|root_move| root_move.m != mating);
        }
        Self {
            worker,
            observer,
            multi_pv: multi_pv.clamp(1, moves.len()),
            moves,
            finished_depth: 0,
            changes: 0,
            reported: None,
            reported_best: Vec::new(),
            long_mate: LongMate::default(),
        }
    }

    /// Deepens until a limit is reached.
    pub(crate) fn iterate(&mut self, limits: &Limits) {
        let deepest = limits.depth.unwrap_or(MAX_PLY).clamp(1, MAX_PLY);
        let mut settled = None;
        for depth in 1..=deepest {
            let last_best = self.moves[0].m;
            self.changes = 0;
            for root_move in &mut self.moves {
                root_move.previous = root_move.score;
            }
            self.worker.root_depth = depth as i32;
            for line in 0..self.multi_pv {
                self.search_line(depth as i32, line);
                self.moves[..=line].sort_by_key(|rm| std::cmp::Reverse(rm.score));
                if self.worker.stopper.is_stopped() {
                    if line == 0 {
                        self.withdraw_unproved_loss(settled.take());
                    }
                    break;
                }
            }
            if self.worker.stopper.is_stopped() {
                break;
            }
            self.finished_depth = depth;
            self.look_for_long_mate();
            self.prefer_long_mate();
            settled = Some(self.moves[0].clone());
            self.report();

            let best = &self.moves[0];
            let iteration = Iteration {
                depth,
                score: best.score.get(),
                new_best: best.m != last_best,
                changes: self.changes.into(),
                effort: best.nodes as f64 / self.worker.nodes.max(1) as f64,
                only_move: self.moves.len() == 1,
            };
            self.worker.stopper.iteration_done(&iteration);
            if self.worker.stopper.is_stopped() || self.is_decided(depth) {
                break;
            }
        }
        self.prefer_long_mate();
        if self.reported != Some(self.worker.nodes) {
            self.report();
        }
    }

    /// Looks for a long mate beside the search. One thread does.
    fn look_for_long_mate(&mut self) {
        let worker = &mut self.worker;
        let position = worker.game.position();
        if worker.mate_probe.is_none() || worker.stopper.thread() > 0 || position.in_check() {
            return;
        }
        self.long_mate.attempt(
            worker.long_mates,
            position,
            worker.stopper.total(worker.nodes),
            worker.stopper.time_left(),
            worker.stopper.control(),
            worker.params,
        );
    }

    /// Puts a long mate that was found beside the search first, unless the search knows a shorter one.
    fn prefer_long_mate(&mut self) {
        let Some((line, score)) = self.long_mate.found() else {
            return;
        };
        let limit = self.worker.options.max_moves_to_draw;
        let last = self.worker.game.position().ply() + line.len() as u32 - 1;
        let is_late = limit > 0 && last > limit;
        if is_late || self.moves[0].score >= score {
            return;
        }
        if let Some(index) = self.moves.iter().position(|rm| rm.m == line[0]) {
            let root_move = &mut self.moves[index];
            (root_move.score, root_move.bound) = (score, Bound::Exact);
            root_move.depth = self.finished_depth;
            root_move.sel_depth = line.len();
            root_move.pv.clear();
            root_move.pv.extend_from_slice(line);
            self.moves[..=index].rotate_right(1);
        }
    }

    /// Takes back what an interrupted iteration says when that is a mate suffered: it only knows that
    /// the moves it came to lose. The best move of the last finished iteration, `settled`, counts then;
    /// without one, a move that has not been looked at.
    fn withdraw_unproved_loss(&mut self, settled: Option<RootMove>) {
        let score = self.moves[0].score;
        if score == -INFINITE || score > -MATE_IN_MAX_PLY {
            return;
        }
        let better = match &settled {
            Some(settled) => self.moves.iter().position(|rm| rm.m == settled.m),
            None => self.moves.iter().position(|rm| rm.nodes == 0),
        };
        if let Some(index) = better {
            self.moves[..=index].rotate_right(1);
            if let Some(settled) = settled {
                self.moves[0] = settled;
            }
        }
    }

    /// Returns whether a mate is found and proved so far beyond its length that nothing shorter is left to
    /// find. Only searches on the clock end early.
    fn is_decided(&self, depth: u32) -> bool {
        let p = self.worker.params;
        let is_proved = |plies: i32| {
            plies.abs() * p.time_mate_depth_factor + p.time_mate_depth_offset < depth as i32
        };
        let score = self.moves[0].score;
        let is_proof = self
            .long_mate
            .found()
            .is_some_and(|(_, mate)| mate == score);
        self.worker.stopper.is_timed()
            && self.multi_pv == 1
            && (is_proof || Value(score.get()).mate_plies().is_some_and(is_proved))
    }

    /// Finds the best of the moves that the lines before `line` did not take.
    fn search_line(&mut self, depth: i32, line: usize) {
        self.worker.sel_depth = 0;
        let p = self.worker.params;
        let mut window =
            p.aspiration_window + self.worker.stopper.thread() as i32 % p.aspiration_spread;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= p.aspiration_depth
            && let Some((mean, squares)) = self.moves[line].mean
            && self.moves[line].previous.abs() < MATE_IN_MAX_PLY
        {
            window += squares.abs() / p.aspiration_divisor;
            alpha = Score::new(mean - window).max(-INFINITE);
            beta = Score::new(mean + window).min(INFINITE);
        }
        let mut failed_high = 0;
        loop {
            let searched = (depth - failed_high).max(1);
            self.worker.root_window = (beta - alpha).max(1);
            let score = self.search_root(alpha, beta, searched, line);
            self.moves[line..].sort_by_key(|rm| std::cmp::Reverse((rm.score, rm.previous)));
            if self.worker.stopper.is_stopped() {
                return;
            }
            if score <= alpha && alpha > -INFINITE {
                beta = alpha.midpoint(beta);
                alpha = (score - window).max(-INFINITE);
                failed_high = 0;
            } else if score >= beta && beta < INFINITE {
                alpha = alpha.max(beta - window);
                beta = (score + window).min(INFINITE);
                failed_high += 1;
            } else {
                return;
            }
            window += window * p.aspiration_growth / 100;
            if window > p.aspiration_max {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// The root as a node.
    fn node(&mut self, depth: i32, line: usize) -> Node {
        let worker = &mut self.worker;
        let position = worker.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let first = self.moves[line].m;
        let known = self.moves[line].previous > -INFINITE;
        Node {
            key,
            ply: 0,
            depth,
            in_check,
            cut_node: false,
            excluded: None,
            prior_reduction: 0,
            tt: TtProbe {
                entry: None,
                score: Score::ZERO,
                m: known.then_some(first),
                noisy: known && crate::movepicker::is_noisy(position, first),
                pv: true,
            },
        }
    }

    /// Searches the root moves from `line` on within `alpha..beta`.
    fn search_root(&mut self, mut alpha: Score, beta: Score, depth: i32, line: usize) -> Score {
        let mut node = self.node(depth, line);
        let eval = StaticEval::of_root(self.worker.ss_at(0).static_eval);
        let position = self.worker.game.position();
        let checks = position.check_squares();
        let history_index = HistoryIndex::new(position, self.worker.continuation_piece_tos(0), 0);
        self.worker.ss(2).cutoffs = 0;
        self.worker.ss(1).cutoffs = 0;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut searched_moves = SearchedMoves::default();
        for index in line..self.moves.len() {
            let worker = &mut self.worker;
            let number = (index - line + 1) as i32;
            let m = self.moves[index].m;
            worker.prefetch(m);
            let info = worker.move_info(m, number, &checks, &history_index);
            let nodes_before = worker.nodes;
            worker.ss(0).number = number;
            let window = beta - alpha;
            let plan = MoveSearch {
                reduction: worker.base_reduction(false, node.depth, number, window)
                    + worker.reduction_adjustment::<true>(&node, &eval, &info, alpha),
                depth: node.depth - 1,
                alpha,
                beta,
                best,
            };
            let score = worker.search_move::<true>(&node, &info, &history_index, &plan);
            if worker.stopper.is_stopped() {
                return best;
            }
            self.moves[index].nodes += worker.nodes - nodes_before;
            self.take_score(index, score, number == 1, alpha, beta);
            best = best.max(score);
            if score > alpha {
                self.changes += u32::from(number > 1 && line == 0);
                alpha = score;
                best_move = Some(info);
                if score >= beta {
                    break;
                }
                self.worker.reduce_after_alpha_raise(&mut node, score);
            }
            searched_moves.push(&info);
        }
        if let Some(info) = best_move {
            node.depth = depth;
            self.worker
                .update_histories(&node, &history_index, &info, &searched_moves);
        }
        best
    }

    /// Keeps what the search of a root move within `alpha..beta` came to.
    fn take_score(&mut self, index: usize, score: Score, first: bool, alpha: Score, beta: Score) {
        let worker = &self.worker;
        let root_move = &mut self.moves[index];
        if !first && score <= alpha {
            root_move.score = -INFINITE;
            return;
        }
        let number = score.get();
        let square = (number * number.abs()).clamp(-(1 << 30), 1 << 30);
        root_move.mean = Some(match root_move.mean {
            Some((mean, squares)) => (i32::midpoint(mean, number), i32::midpoint(squares, square)),
            None => (number, square),
        });
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
    }

    /// Reports all lines as they stand: the best one always, the others if something is known.
    fn report(&mut self) {
        self.reported = Some(self.worker.nodes);
        let elapsed = self.worker.stopper.elapsed();
        let hash_full = self.worker.tt.full_per_mille();
        let nodes = self.worker.stopper.total(self.worker.nodes);
        for (index, root_move) in self.moves[..self.multi_pv].iter().enumerate() {
            let (mut score, bound) = root_move.known_score();
            if score == -INFINITE {
                if index > 0 {
                    continue;
                }
                // Stopped before anything was known: the static evaluation is as good a guess as any.
                score = Score::of_eval(self.worker.evaluate());
            }
            let mut pv = self.worker.reported_line(&root_move.pv);
            if index == 0 {
                self.worker.add_reply(&mut pv);
                self.reported_best.clone_from(&pv);
            }
            self.observer.info(&SearchInfo {
                depth: root_move.depth,
                sel_depth: root_move.sel_depth as u32,
                multi_pv: index + 1,
                score: self.worker.shown(score),
                bound,
                nodes,
                hash_full,
                elapsed,
                pv,
            });
        }
    }

    /// The best line.
    pub(crate) fn found(&self) -> ThreadResult {
        let best = &self.moves[0];
        let (score, bound) = best.known_score();
        ThreadResult {
            best: best.m,
            score,
            bound,
            depth: self.finished_depth,
            sel_depth: best.sel_depth,
            pv: best.pv.clone(),
        }
    }

    /// The result of the search when `winner` is the best line of all threads. Its line is the one that was reported
    /// last, with the reply that is expected.
    pub(crate) fn result(&mut self, winner: &ThreadResult, is_own: bool) -> SearchResult {
        let nodes = self.worker.stopper.total(self.worker.nodes);
        if !is_own {
            let mut line = self.worker.reported_line(&winner.pv);
            self.worker.add_reply(&mut line);
            if line != self.reported_best {
                let hash_full = self.worker.tt.full_per_mille();
                let elapsed = self.worker.stopper.elapsed();
                let shown = self.worker.shown(winner.score);
                let mut info = winner.info(shown, nodes, hash_full, elapsed);
                info.pv.clone_from(&line);
                self.observer.info(&info);
                self.reported_best = line;
            }
        }
        let score = if winner.score == -INFINITE {
            // Stopped before anything was known: the static evaluation is as good a guess as any.
            Score::of_eval(self.worker.evaluate())
        } else {
            winner.score
        };
        SearchResult {
            best: winner.best,
            ponder: self.reported_best.get(1).copied(),
            score: self.worker.shown(score),
            depth: winner.depth,
            nodes,
        }
    }
}
