//! Mate searches of a session, on a thread of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_core::Diagram;
use shogi_mate::help_mate::{HelpMateOptions, HelpMateSolver};
use shogi_mate::{
    Answer, MateLimits, MateObserver, MateProgress, Reason, Role, Solution, Solver, SolverOptions,
};
use shogi_usi::{GoCommand, MateLimit};

use crate::options::settings::{EngineSettings, MateChoice};

/// Receives the results of a mate search, on a thread of the search. Calls for one search come in order, the last
/// is [`MateListener::finished`], exactly once.
pub trait MateListener: Send + Sync {
    /// A progress report, or a result. `role` is the part of the side to move.
    fn progress(&self, role: Role, progress: &MateProgress<'_>);

    /// The answer.
    fn finished(&self, solution: &Solution);
}

/// Least interval of reports, whatever `PvInterval` is: GUIs redraw no faster.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// The kind of mate to search for, with the settings of its solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MateKind {
    /// Against the best defence (詰将棋).
    Tsume(SolverOptions),
    /// With the defender's help (協力詰め).
    Help(HelpMateOptions),
}

/// The request of a mate search: `go mate` combined with the options.
pub(crate) struct MateRequest {
    start: Diagram,
    kind: MateKind,
    limits: MateLimits,
}

impl MateRequest {
    /// The request for `start` after `go`.
    pub(crate) fn new(start: Diagram, go: &GoCommand, settings: &EngineSettings) -> Self {
        Self {
            start,
            kind: kind(settings),
            limits: limits(go, settings),
        }
    }

    /// The part of the side to move.
    fn role(&self) -> Role {
        let checked = match &self.kind {
            MateKind::Tsume(options) => options.checked_root,
            MateKind::Help(options) => options.checked_root,
        };
        Role::of_diagram(&self.start, checked)
    }
}

/// The solver that the options ask for, with its settings.
fn kind(settings: &EngineSettings) -> MateKind {
    let mate = &settings.mate;
    let memory = settings.hash_mib.saturating_mul(1 << 20);
    let threads = settings.threads;
    let checked_root = mate.checked_root;
    let report_interval = Some(settings.interval.max(SHORTEST_INTERVAL));
    match mate.kind {
        MateChoice::Help => MateKind::Help(HelpMateOptions {
            memory_bytes: memory,
            threads,
            checked_root,
            report_interval,
        }),
        MateChoice::Tsume => MateKind::Tsume(SolverOptions {
            hash_bytes: memory,
            threads,
            exact: mate.exact,
            multi_pv: settings.lines(),
            checked_root,
            report_interval,
        }),
    }
}

/// The limits of the search: the command counts before the options.
fn limits(go: &GoCommand, settings: &EngineSettings) -> MateLimits {
    MateLimits {
        time: match go.mate {
            Some(MateLimit::Time(time)) => Some(time),
            Some(MateLimit::Infinite) | None => go.movetime,
        },
        nodes: go.nodes.or(settings.mate.nodes_limit),
    }
}

/// Mate searches of a session: at most one at a time.
#[derive(Default)]
pub(crate) struct MateSearches {
    running: Option<RunningMate>,
    /// Kept from one search to the next; `None` before the first and while a search has it.
    solver: Option<Solver>,
}

/// State shared by the session and the thread of the search.
#[derive(Default)]
struct MateFlags {
    stop: AtomicBool,
    /// The answer has been given.
    done: AtomicBool,
    /// True if nothing more is reported.
    silent: AtomicBool,
}

struct RunningMate {
    flags: Arc<MateFlags>,
    thread: JoinHandle<Option<Solver>>,
}

/// The listener behind a gate that closes when the search is to be silent.
struct GatedMateListener {
    listener: Arc<dyn MateListener>,
    flags: Arc<MateFlags>,
    role: Role,
}

impl GatedMateListener {
    fn is_silent(&self) -> bool {
        self.flags.silent.load(Ordering::Acquire)
    }

    fn finished(&self, solution: &Solution) {
        if !self.is_silent() {
            self.flags.done.store(true, Ordering::Release);
            self.listener.finished(solution);
        }
    }
}

impl MateObserver for GatedMateListener {
    fn progress(&mut self, progress: &MateProgress<'_>) {
        if !self.is_silent() {
            self.listener.progress(self.role, progress);
        }
    }
}

impl MateSearches {
    /// Starts a search. None is running.
    pub(crate) fn start(
        &mut self,
        request: MateRequest,
        listener: Arc<dyn MateListener>,
    ) -> std::io::Result<()> {
        let solver = self.solver.take();
        let flags = Arc::new(MateFlags::default());
        let mut gate = GatedMateListener {
            listener,
            flags: flags.clone(),
            role: request.role(),
        };
        let thread = thread::Builder::new()
            .name("mate".to_owned())
            .spawn(move || {
                let job = || solve(request, solver, &mut gate);
                let (solution, solver) = catch_unwind(AssertUnwindSafe(job))
                    .unwrap_or_else(|_| (failed(gate.role), None));
                gate.finished(&solution);
                solver
            })?;
        self.running = Some(RunningMate { flags, thread });
        Ok(())
    }

    /// Stops the running search; it answers now.
    pub(crate) fn stop(&self) {
        if let Some(search) = &self.running {
            search.flags.stop.store(true, Ordering::Release);
        }
    }

    /// Stops it without any further report.
    pub(crate) fn silence(&self) {
        if let Some(search) = &self.running {
            search.flags.silent.store(true, Ordering::Release);
        }
        self.stop();
    }

    /// Returns whether a search has not answered yet.
    pub(crate) fn is_running(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|search| !search.flags.done.load(Ordering::Acquire))
    }

    /// Returns whether a search has not answered yet and has not been stopped.
    pub(crate) fn is_busy(&self) -> bool {
        let is_stopped = |search: &RunningMate| search.flags.stop.load(Ordering::Acquire);
        self.is_running() && !self.running.as_ref().is_some_and(is_stopped)
    }

    /// Waits for the answer.
    pub(crate) fn join(&mut self) {
        if let Some(search) = self.running.take() {
            self.solver = search.thread.join().ok().flatten();
        }
    }

    /// Frees the memory of the solver.
    pub(crate) fn free(&mut self) {
        self.solver = None;
    }
}

fn solve(
    request: MateRequest,
    solver: Option<Solver>,
    listener: &mut GatedMateListener,
) -> (Solution, Option<Solver>) {
    let flags = listener.flags.clone();
    let MateRequest {
        start,
        kind,
        limits,
    } = request;
    match kind {
        MateKind::Help(options) => {
            // Frees its memory: the other solver allocates as it needs.
            drop(solver);
            let solver = HelpMateSolver::new(options);
            let solution = solver.solve_diagram(&start, &limits, &flags.stop, listener);
            (solution, None)
        }
        MateKind::Tsume(options) => {
            let mut solver = match solver {
                None => Solver::new(options),
                Some(mut solver) => {
                    solver.set_options(options);
                    solver
                }
            };
            let solution = solver.solve_diagram(&start, &limits, &flags.stop, listener);
            (solution, Some(solver))
        }
    }
}

/// The answer when the search fails by an error of the program.
fn failed(role: Role) -> Solution {
    Solution {
        role,
        answer: Answer::Unknown(Reason::Stopped),
        others: Vec::new(),
        nodes: 0,
        elapsed: Duration::ZERO,
        hashfull: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::EngineOptions;
    use crate::options::settings::Edition;
    use shogi_mate::{CheckedRoot, Exactness};
    use yane_book::probe::Profile;

    #[test]
    fn options_reach_the_solvers() {
        let mut options = EngineOptions::new(Profile::Classic, Edition::AlphaBeta);
        for (name, value) in [
            ("USI_Hash", "3"),
            ("Threads", "2"),
            ("MultiPV", "4"),
            ("MateExact", "shortest"),
            ("MateNodesLimit", "99"),
            ("RootIsAndNodeIfChecked", "true"),
        ] {
            options.set(name, Some(value)).unwrap();
        }
        let MateKind::Tsume(solver) = kind(options.settings()) else {
            panic!("a tsume solver by default")
        };
        assert_eq!((solver.hash_bytes, solver.threads), (3 << 20, 2));
        assert_eq!((solver.exact, solver.multi_pv), (Exactness::Shortest, 4));
        assert_eq!(solver.checked_root, CheckedRoot::Defends);
        let limits = |go: &str| {
            let limits = limits(&go.parse().unwrap(), options.settings());
            (limits.time.map(|time| time.as_millis()), limits.nodes)
        };
        assert_eq!(limits("mate 1000"), (Some(1000), Some(99)));
        assert_eq!(limits("mate infinite"), (None, Some(99)));
        assert_eq!(limits("mate nodes 7"), (None, Some(7)));
        assert_eq!(limits("mate movetime 5"), (Some(5), Some(99)));

        options.set("MateKind", Some("help")).unwrap();
        let MateKind::Help(solver) = kind(options.settings()) else {
            panic!("a help mate solver")
        };
        assert_eq!((solver.memory_bytes, solver.threads), (3 << 20, 2));
    }
}
