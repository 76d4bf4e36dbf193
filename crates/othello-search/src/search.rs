//! The root of a search: threads, lines, and what stays from one search to the next.

mod wld;

use std::sync::Arc;

use othello_core::{Board, Move, Square, State};
use othello_eval::{UNITS_PER_DISC, Weights};
use yane_clock::Instant;
use yane_clock::thread::{Builder, scope};

use crate::api::{Control, Limits, Observer, SearchLine, SearchResult, Selectivity};
use crate::cpu::Cpu;
use crate::midgame::{ProbCut, ProbCutSample};
use crate::ordering::{Child, Children};
use crate::threads::Pool;
use crate::tt::TranspositionTable;
use crate::worker::{Shared, Worker};

/// Bytes of the stack of a thread: a search is at most 120 plies deep, each of about 3 KiB.
const STACK: usize = 4 << 20;

/// The settings of a [`Searcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSettings {
    /// Bytes of the transposition table.
    pub hash_bytes: usize,
    /// Threads, at least 1. With one thread a search is the same each time.
    pub threads: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            hash_bytes: 64 << 20,
            threads: 1,
        }
    }
}

/// The end of a search: how deep and how sure it is to be, and how many moves it is to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Depth in plies, at least 1; from the number of empty squares on it is to the end of the game.
    pub depth: u32,
    /// Selectivity.
    pub selectivity: Selectivity,
    /// Number of best moves, at least 1. A forced pass is one move.
    pub lines: usize,
    /// The selectivity of a search to the end for win, loss or draw (WLD), which follows a search that is not to the end, of one line.
    /// It decides the move; the score is that of the other search as far as the outcome allows.
    pub wld: Option<Selectivity>,
}

impl Goal {
    /// A search of a depth and selectivity for the scores of the best moves.
    pub const fn new(depth: u32, selectivity: Selectivity, lines: usize) -> Self {
        Self {
            depth,
            selectivity,
            lines,
            wld: None,
        }
    }

    /// The exact scores of the best moves.
    pub const fn exact(lines: usize) -> Self {
        Self::new(60, Selectivity::Exact, lines)
    }
}

/// Searches boards one after the other, and keeps its transposition table between them.
///
/// ```
/// use std::sync::Arc;
///
/// use othello_core::Position;
/// use othello_eval::Weights;
/// use othello_search::{Control, Goal, Limits, Searcher, SearchSettings};
///
/// let text = "X-OOOOO-XXOOOOOOXOOOOOOOXOXOOXOXXXOXOOXXXXX-XXXXX-OXXXXX--XXXO-- X";
/// let position: Position = text.parse().unwrap();
/// let mut searcher = Searcher::new(SearchSettings::default(), Arc::new(Weights::built_in()));
/// let (goal, limits) = (Goal::exact(1), Limits::default());
/// let result = searcher.search(position.board(), goal, limits, &Control::default(), &mut ());
/// assert_eq!(result.score, 8);
/// assert_eq!(result.lines[0].best.to_string(), "d6");
/// ```
#[derive(Debug)]
pub struct Searcher {
    settings: SearchSettings,
    table: TranspositionTable,
    cpu: Cpu,
    weights: Arc<Weights>,
    /// How sure shallow searches are with these weights.
    pub prob_cut: ProbCut,
}

impl Searcher {
    /// A searcher with an empty table.
    pub fn new(settings: SearchSettings, weights: Arc<Weights>) -> Self {
        Self {
            settings,
            table: TranspositionTable::new(settings.hash_bytes),
            cpu: Cpu::best(),
            weights,
            prob_cut: ProbCut::default(),
        }
    }

    /// The settings.
    pub const fn settings(&self) -> SearchSettings {
        self.settings
    }

    /// The weights.
    pub const fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// Takes other weights, and forgets everything.
    pub fn set_weights(&mut self, weights: Arc<Weights>) {
        self.weights = weights;
        self.clear();
    }

    /// Changes the settings. Another size of the table forgets everything.
    pub fn set(&mut self, settings: SearchSettings) {
        if settings.hash_bytes != self.settings.hash_bytes {
            // The old one goes first: there may not be room for both.
            self.table = TranspositionTable::new(1);
            self.table = TranspositionTable::new(settings.hash_bytes);
        }
        self.settings = settings;
    }

    /// Forgets what earlier searches found out.
    pub fn clear(&mut self) {
        self.table.clear(self.settings.threads);
    }

    /// Bytes of the table: those that were asked for, or less where the system has no more.
    pub fn hash_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Used entries of the table, per mille.
    pub fn hash_full(&self) -> u32 {
        self.table.full_per_mille()
    }

    /// Searches a board: all moves, deeper and deeper until the goal is reached or a limit.
    pub fn search(
        &mut self,
        board: Board,
        goal: Goal,
        limits: Limits,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        self.search_moves(board, None, goal, limits, control, observer)
    }

    /// The differences between searches of a board of all depths up to `depth` without pruning, those of equal parity; none
    /// if the search was stopped, or is to the end of the game.
    pub fn prob_cut_samples(
        &mut self,
        board: Board,
        depth: u32,
        control: &Control,
    ) -> Vec<ProbCutSample> {
        let evaluator = self.weights.main();
        let mut scores = vec![evaluator.discs(evaluator.evaluate(board))];
        let empties = board.empty().len();
        if depth >= empties {
            return Vec::new();
        }
        for depth in 1..=depth {
            let goal = Goal::new(depth, Selectivity::Exact, 1);
            let result = self.search(board, goal, Limits::default(), control, &mut ());
            if result.is_interrupted {
                return Vec::new();
            }
            scores.push(result.score);
        }
        let depths = 2..scores.len();
        let pairs = depths.flat_map(|deep| {
            (0..deep)
                .rev()
                .skip(1)
                .step_by(2)
                .map(move |shallow| (deep, shallow))
        });
        let samples = pairs.map(|(deep, shallow)| ProbCutSample {
            empties,
            depth: deep as u32,
            probe: shallow as u32,
            difference: f64::from(scores[deep] - scores[shallow]),
        });
        samples.collect()
    }

    /// As [`search`](Self::search), of these moves only (after a pass if that is forced). A forced pass is one line, however
    /// many were asked for.
    pub fn search_moves(
        &mut self,
        board: Board,
        moves: Option<&[Square]>,
        goal: Goal,
        limits: Limits,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        self.table.new_search();
        let shared = Shared {
            table: &self.table,
            control,
            limits,
            pool: Pool::default(),
            cpu: self.cpu,
            weights: &self.weights,
            prob_cut: self.prob_cut,
        };
        on_threads(&shared, self.settings.threads, |worker| {
            Root::new(board, worker, observer).search(goal, moves)
        })
    }
}

/// Runs a search on this thread while the others help.
fn on_threads<R>(
    shared: &Shared<'_>,
    threads: usize,
    search: impl FnOnce(&mut Worker<'_>) -> R,
) -> R {
    /// Sends the helpers home, also when the search panics.
    struct Finish<'a>(&'a Pool);
    impl Drop for Finish<'_> {
        fn drop(&mut self) {
            self.0.finish();
        }
    }
    scope(|scope| {
        let _finish = Finish(&shared.pool);
        for n in 1..threads {
            let builder = Builder::new().name(format!("search {n}")).stack_size(STACK);
            // Without this thread the search goes on with fewer.
            let started = builder.spawn_scoped(scope, || Worker::new(shared).help());
            if started.is_err() {
                break;
            }
        }
        search(&mut Worker::new(shared))
    })
}

/// The root of a search on the thread that the others follow.
struct Root<'r, 'a> {
    /// The board, after a pass if that is forced.
    board: Board,
    is_passed: bool,
    worker: &'r mut Worker<'a>,
    observer: &'r mut dyn Observer,
    start: Instant,
}

impl<'r, 'a> Root<'r, 'a> {
    fn new(board: Board, worker: &'r mut Worker<'a>, observer: &'r mut dyn Observer) -> Self {
        let is_passed = board.state() == State::Pass;
        Self {
            board: if is_passed { board.passed() } else { board },
            is_passed,
            worker,
            observer,
            start: Instant::now(),
        }
    }

    fn search(mut self, goal: Goal, moves: Option<&[Square]>) -> SearchResult {
        let mut lines: Vec<SearchLine> = Vec::new();
        let mut is_interrupted = false;
        // A forced pass is the only move, whatever answers it.
        let count = if self.is_passed { 1 } else { goal.lines };
        for (depth, selectivity) in iterations(self.board.empty().len(), goal) {
            let limits = self.worker.shared.limits;
            let is_enough = limits.enough.is_some_and(|enough| Instant::now() >= enough);
            if !lines.is_empty() && is_enough {
                is_interrupted = true;
                break;
            }
            self.worker.selectivity = selectivity;
            match self.iteration(depth, selectivity, count, moves, &lines) {
                Ok(found) => lines = found,
                Err(found) => {
                    is_interrupted = true;
                    lines = found;
                    break;
                }
            }
        }
        let is_to_end = goal.depth >= self.board.empty().len();
        if let (Some(wanted), [line]) = (goal.wld, lines.as_mut_slice())
            && !(is_interrupted || is_to_end || self.is_passed)
        {
            is_interrupted = self.decide(line, wanted, moves).is_break();
        }
        let over = if self.is_passed {
            self.board.passed().score()
        } else {
            self.board.score()
        };
        SearchResult {
            score: lines.first().map_or(over, |line: &SearchLine| line.score),
            nodes: self.worker.tell_nodes(),
            elapsed: self.start.elapsed(),
            lines,
            is_interrupted,
        }
    }

    /// The best lines of one depth and selectivity, with the lines of the iteration before. `Err` if the search was stopped:
    /// what was found by then, and the lines before.
    fn iteration(
        &mut self,
        depth: u32,
        selectivity: Selectivity,
        count: usize,
        moves: Option<&[Square]>,
        before: &[SearchLine],
    ) -> Result<Vec<SearchLine>, Vec<SearchLine>> {
        let mut children = self.worker.variation_moves(self.board, depth, 0);
        if let Some(moves) = moves {
            children.retain(|child| moves.contains(&child.square));
        }
        let mut lines: Vec<SearchLine> = Vec::new();
        while lines.len() < count && !children.is_empty() {
            let known = before.get(lines.len());
            if let Some(first) = known.and_then(|line| line.squares().next()) {
                // The move that was here before comes first.
                if let Some(at) = children.iter().position(|child| child.square == first) {
                    children[..=at].rotate_right(1);
                }
            }
            let guess = known.map(|line| {
                if self.is_passed {
                    -line.score
                } else {
                    line.score
                }
            });
            let line = match self.line(&children, guess, depth, selectivity) {
                Ok(line) => line,
                Err(better) => {
                    lines.extend(better.map(|line| self.seen_from_root(line)));
                    let is_new = |old: &&SearchLine| {
                        let best = old.squares().next();
                        !lines.iter().any(|line| line.squares().next() == best)
                    };
                    let old: Vec<_> = before.iter().filter(is_new).cloned().collect();
                    lines.extend(old);
                    lines.truncate(count);
                    return Err(lines);
                }
            };
            let best = line.best;
            children.retain(|child| Move::Place(child.square) != best);
            let line = self.seen_from_root(line);
            let nodes = self.worker.tell_nodes();
            let elapsed = self.start.elapsed();
            self.observer.line(lines.len(), &line, nodes, elapsed);
            lines.push(line);
        }
        // Of lines that are searched one after the other a later one may turn out better, if selective.
        lines.sort_by_key(|line| (-line.score, -line.tenths));
        Ok(lines)
    }

    /// The best of these moves, from a window around a guess that becomes wider. `Err` if the search was stopped: with a
    /// move that is better than the first, if one was found by then, whose score is a lower bound.
    fn line(
        &mut self,
        children: &[Child],
        guess: Option<i32>,
        depth: u32,
        selectivity: Selectivity,
    ) -> Result<SearchLine, Option<SearchLine>> {
        let empties = self.board.empty().len();
        let is_end = depth >= empties;
        let mut width = 2 + 2 * i32::from(depth < 10) + i32::from(is_end);
        // Beyond the possible scores, so that a score of 64 has its whole line.
        let [mut alpha, mut beta] = guess.map_or([-65, 65], |guess| {
            [(guess - width).max(-65), (guess + width).min(65)]
        });
        let mut children: Children = children.iter().copied().collect();
        let mut pv = Vec::new();
        // The score was beyond a window: above it, below it.
        let mut failures = [false; 2];
        loop {
            let window = [alpha, beta];
            let (best, score) = self
                .worker
                .best_of(self.board, &children, window, depth, &mut pv);
            let line = best.map(|best| SearchLine {
                best: Move::Place(best),
                score,
                tenths: self.tenths(score, &pv, depth),
                depth: depth.min(empties),
                selectivity,
                is_exact: is_end && selectivity == Selectivity::Exact,
                pv: pv.clone(),
            });
            if self.worker.is_stopped() {
                let is_better = score > alpha && best != children.first().map(|it| it.square);
                return Err(line.filter(|_| is_better).map(|line| SearchLine {
                    is_exact: false,
                    ..line
                }));
            }
            width *= 2;
            let is_low = score <= alpha;
            if is_low || score >= beta {
                failures[usize::from(is_low)] = true;
                [alpha, beta] = match failures {
                    // Results of deeper searches in the table contradict this one: no window settles that.
                    [true, true] => [-65, 65],
                    _ if is_low => [(score - width).max(-65), score + 1],
                    _ => [score - 1, (score + width).min(65)],
                };
            } else {
                return line.ok_or(None);
            }
            if let Some(at) = children.iter().position(|child| Some(child.square) == best) {
                children[..=at].rotate_right(1);
            }
        }
    }

    /// A score in tenths of a disc: the value of the board at the end of the line, from which the score was rounded; ten times the
    /// score where the line ends before its depth, or does not have its score.
    fn tenths(&self, score: i32, pv: &[Move], depth: u32) -> i32 {
        let places = pv.iter().filter(|&&mv| mv != Move::Pass).count();
        let end = pv
            .iter()
            .try_fold(self.board, |board, &mv| board.after(mv))
            .filter(|board| places == depth as usize && !board.is_over());
        let evaluator = self.worker.evaluator();
        let value = end.map(|board| {
            let value = evaluator.evaluate(board);
            if pv.len().is_multiple_of(2) {
                value
            } else {
                -value
            }
        });
        match value {
            Some(value) if evaluator.discs(value) == score => {
                // Rounded, half away from zero.
                (10 * value + value.signum() * UNITS_PER_DISC / 2) / UNITS_PER_DISC
            }
            _ => 10 * score,
        }
    }

    /// A line of the board that is searched, as one of the board that was asked about.
    fn seen_from_root(&self, mut line: SearchLine) -> SearchLine {
        if self.is_passed {
            (line.score, line.tenths) = (-line.score, -line.tenths);
            line.pv.insert(0, Move::Pass);
            line.best = Move::Pass;
        }
        line
    }
}

/// The depths and selectivities of a search, one after the other. Depths go by two, so that odd ones, which favour the
/// player to move, are not compared with even ones.
fn iterations(empties: u32, goal: Goal) -> Vec<(u32, Selectivity)> {
    let depth = goal.depth.max(1);
    if depth < empties {
        let first = if depth.is_multiple_of(2) { 2 } else { 1 };
        let depths = (first..=depth).step_by(2);
        return depths.map(|depth| (depth, goal.selectivity)).collect();
    }
    // To the end: an idea of the score first, then surer and surer.
    let quick = goal.selectivity.min(Selectivity::P74);
    let shallow = empties.saturating_sub(if empties > 24 { 10 } else { 12 });
    let first = if shallow.is_multiple_of(2) { 2 } else { 1 };
    let mut all: Vec<_> = (first..=shallow)
        .step_by(2)
        .map(|depth| (depth, quick))
        .collect();
    let steps: &[Selectivity] = match empties {
        0..16 => &[],
        16..22 => &[Selectivity::P74],
        22..25 => &[Selectivity::P74, Selectivity::P95],
        _ => &[
            Selectivity::P74,
            Selectivity::P88,
            Selectivity::P95,
            Selectivity::P99,
        ],
    };
    let steps = steps.iter().filter(|&&step| step < goal.selectivity);
    all.extend(steps.map(|&step| (empties, step)));
    all.push((empties, goal.selectivity));
    all
}

/// The score of a board by trying everything: an oracle for tests.
#[doc(hidden)]
pub fn negamax(board: Board) -> i32 {
    match board.state() {
        State::Over => board.score(),
        State::Pass => -negamax(board.passed()),
        State::Moves => {
            let moves = board.legal_moves().iter();
            let scores = moves.map(|square: Square| -negamax(board.play_unchecked(square)));
            scores.max().unwrap_or_default()
        }
    }
}
