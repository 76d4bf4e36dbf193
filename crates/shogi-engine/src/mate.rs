//! Mate searches on a thread of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_core::Diagram;
use shogi_mate::help_mate::HelpMateSolver;
use shogi_mate::{Answer, MateLimits, MateObserver, MateProgress, Reason, Role, Solution, Solver};

use crate::mate_options::Kind;

/// Hears what a mate search finds, on a thread of the search. Calls for one search come in order, the last
/// is [`MateListener::finished`], exactly once.
pub trait MateListener: Send + Sync {
    /// How the search stands, or a result. `role` is the part of the side to move.
    fn progress(&self, role: Role, progress: &MateProgress<'_>);

    /// The answer.
    fn finished(&self, solution: &Solution);
}

/// Mate searches of a session: at most one at a time.
#[derive(Default)]
pub(crate) struct MateSearches {
    running: Option<Running>,
    /// Kept from one search to the next; `None` before the first and while a search has it.
    solver: Option<Solver>,
}

/// What the session and the search's thread both look at.
#[derive(Default)]
struct Flags {
    stop: AtomicBool,
    /// The answer has been given.
    done: AtomicBool,
    /// Nobody wants to hear the rest.
    silent: AtomicBool,
}

struct Running {
    flags: Arc<Flags>,
    thread: JoinHandle<Option<Solver>>,
}

/// Passes reports on until silence is asked for.
struct Muffled {
    listener: Arc<dyn MateListener>,
    flags: Arc<Flags>,
    role: Role,
}

impl Muffled {
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

impl MateObserver for Muffled {
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
        start: Diagram,
        kind: Kind,
        limits: MateLimits,
        listener: Arc<dyn MateListener>,
    ) -> std::io::Result<()> {
        let solver = self.solver.take();
        let flags = Arc::new(Flags::default());
        let checked = match &kind {
            Kind::Tsume(options) => options.root_is_and_node_if_checked,
            Kind::Help(options) => options.root_is_and_node_if_checked,
        };
        let mut muffled = Muffled {
            listener,
            flags: flags.clone(),
            role: Role::of_diagram(&start, checked),
        };
        let thread = thread::Builder::new()
            .name("mate".to_owned())
            .spawn(move || {
                let job = || solve(&start, kind, solver, &limits, &mut muffled);
                let (solution, solver) = catch_unwind(AssertUnwindSafe(job))
                    .unwrap_or_else(|_| (failed(muffled.role), None));
                muffled.finished(&solution);
                solver
            })?;
        self.running = Some(Running { flags, thread });
        Ok(())
    }

    /// Asks the running search for its answer now.
    pub(crate) fn stop(&self) {
        if let Some(search) = &self.running {
            search.flags.stop.store(true, Ordering::Release);
        }
    }

    /// Stops it so that it says nothing more.
    pub(crate) fn silence(&self) {
        if let Some(search) = &self.running {
            search.flags.silent.store(true, Ordering::Release);
        }
        self.stop();
    }

    /// Whether a search has not answered yet.
    pub(crate) fn is_running(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|search| !search.flags.done.load(Ordering::Acquire))
    }

    /// Whether a search has not answered yet and nobody has asked it to.
    pub(crate) fn is_busy(&self) -> bool {
        let asked = |search: &Running| search.flags.stop.load(Ordering::Acquire);
        self.is_running() && !self.running.as_ref().is_some_and(asked)
    }

    /// Waits for the answer.
    pub(crate) fn join(&mut self) {
        if let Some(search) = self.running.take() {
            self.solver = search.thread.join().ok().flatten();
        }
    }

    /// Gives back the memory that solvers keep.
    pub(crate) fn free(&mut self) {
        self.solver = None;
    }
}

fn solve(
    start: &Diagram,
    kind: Kind,
    solver: Option<Solver>,
    limits: &MateLimits,
    listener: &mut Muffled,
) -> (Solution, Option<Solver>) {
    let flags = listener.flags.clone();
    match kind {
        Kind::Help(options) => {
            // Room for it: it takes its memory as it needs it.
            drop(solver);
            let solver = HelpMateSolver::new(options);
            let solution = solver.solve_diagram(start, limits, &flags.stop, listener);
            (solution, None)
        }
        Kind::Tsume(options) => {
            let mut solver = match solver {
                None => Solver::new(options),
                Some(mut solver) => {
                    solver.set_options(options);
                    solver
                }
            };
            let solution = solver.solve_diagram(start, limits, &flags.stop, listener);
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
