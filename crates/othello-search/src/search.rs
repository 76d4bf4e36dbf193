//! The root of a search: threads, lines, and what stays from one search to the next.

use std::time::Instant;

use othello_core::{Board, Move, Square, State};

use crate::api::{Control, Limits, Line, Observer, SearchResult, Selectivity};
use crate::cpu::Cpu;
use crate::last::{Child, Children, Effort};
use crate::threads::Pool;
use crate::tt::TranspositionTable;
use crate::worker::{Shared, Worker};

/// Bytes of the stack of a thread: a search is at most 120 plies deep, each of about 3 KiB.
const STACK: usize = 4 << 20;

/// The settings of a [`Searcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of the transposition table.
    pub hash_bytes: usize,
    /// Threads, at least 1. With one thread a search is the same each time.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash_bytes: 64 << 20,
            threads: 1,
        }
    }
}

/// Searches boards one after the other, and keeps its transposition table between them.
///
/// ```
/// use othello_core::Position;
/// use othello_search::{Control, Limits, Searcher, Settings};
///
/// let text = "X-OOOOO-XXOOOOOOXOOOOOOOXOXOOXOXXXOXOOXXXXX-XXXXX-OXXXXX--XXXO-- X";
/// let position: Position = text.parse().unwrap();
/// let mut searcher = Searcher::new(Settings::default());
/// let result = searcher.solve(position.board(), 1, Limits::default(), &Control::default(), &mut ());
/// assert_eq!(result.score, 8);
/// assert_eq!(result.lines[0].best.to_string(), "d6");
/// ```
#[derive(Debug)]
pub struct Searcher {
    settings: Settings,
    table: TranspositionTable,
    cpu: Cpu,
}

impl Searcher {
    /// A searcher with an empty table.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            table: TranspositionTable::new(settings.hash_bytes),
            cpu: Cpu::best(),
        }
    }

    /// The settings.
    pub const fn settings(&self) -> Settings {
        self.settings
    }

    /// Changes the settings. Another size of the table forgets everything.
    pub fn set(&mut self, settings: Settings) {
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

    /// Solves a board exactly: the best `lines` moves with their scores and their play to the end of the game.
    pub fn solve(
        &mut self,
        board: Board,
        lines: usize,
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
        };
        on_threads(&shared, self.settings.threads, |worker| {
            Root::new(board, worker, observer).solve(lines)
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
    std::thread::scope(|scope| {
        let _finish = Finish(&shared.pool);
        for n in 1..threads {
            let builder = std::thread::Builder::new()
                .name(format!("search {n}"))
                .stack_size(STACK);
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

    fn solve(mut self, count: usize) -> SearchResult {
        let depth = self.board.empty().len();
        let mut children = Children::new();
        let cpu = self.worker.shared.cpu;
        cpu.children(self.board, Effort::Full, &mut children);
        children.sort_unstable_by_key(|child| (-child.order, child.square));
        let mut lines = Vec::new();
        let mut is_interrupted = false;
        while lines.len() < count && !children.is_empty() {
            let Some(line) = self.exact_line(&children, depth) else {
                is_interrupted = true;
                break;
            };
            let best = *line.pv.first().unwrap_or(&Move::Pass);
            children.retain(|child| Move::Place(child.square) != best);
            let line = self.seen_from_root(line);
            let nodes = self.worker.tell_nodes();
            let elapsed = self.start.elapsed();
            self.observer.line(lines.len(), &line, nodes, elapsed);
            lines.push(line);
        }
        let over = if self.is_passed {
            self.board.passed().score()
        } else {
            self.board.score()
        };
        SearchResult {
            score: lines.first().map_or(over, |line: &Line| line.score),
            nodes: self.worker.tell_nodes(),
            elapsed: self.start.elapsed(),
            lines,
            is_interrupted,
        }
    }

    /// The best of these moves with its exact score; `None` if the search was stopped.
    fn exact_line(&mut self, children: &[Child], depth: u32) -> Option<Line> {
        let mut pv = Vec::new();
        let children: Children = children.iter().copied().collect();
        let (best, score) = self.worker.best_of(&children, [-64, 64], depth, &mut pv);
        if self.worker.is_stopped() {
            return None;
        }
        Some(Line {
            best: Move::Place(best?),
            score,
            depth,
            selectivity: Selectivity::Exact,
            is_exact: true,
            pv,
        })
    }

    /// A line of the board that is searched, as one of the board that was asked about.
    fn seen_from_root(&self, mut line: Line) -> Line {
        if self.is_passed {
            line.score = -line.score;
            line.pv.insert(0, Move::Pass);
            line.best = Move::Pass;
        }
        line
    }
}

/// The score of a board by trying everything: an oracle for tests.
#[doc(hidden)]
pub fn negamax(board: Board) -> i32 {
    match board.state() {
        State::Over => board.score(),
        State::Pass => -negamax(board.passed()),
        State::Moves => {
            let moves = board.legal_moves().iter();
            let scores = moves.map(|square: Square| -negamax(board.play_legal(square)));
            scores.max().unwrap_or_default()
        }
    }
}
