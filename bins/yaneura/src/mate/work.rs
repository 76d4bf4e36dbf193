//! Problems on all cores, results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use shogi_core::Diagram;
use shogi_mate::help_mate::{HelpMateOptions, HelpMateSolver};
use shogi_mate::{
    Exactness, MateLimits, Role, SilentMateObserver, Solution, Solver, SolverOptions,
};

use super::cli::Settings;

/// Either solver, with its settings.
pub(super) enum AnySolver {
    Tsume(Box<Solver>),
    Help(HelpMateSolver),
}

impl AnySolver {
    pub(super) fn new(settings: &Settings, exact: Exactness, multi_pv: usize) -> Self {
        let bytes = (settings.hash as usize).saturating_mul(1 << 20);
        let threads = settings.threads as usize;
        if settings.help_mate {
            return Self::Help(HelpMateSolver::new(HelpMateOptions {
                memory_bytes: bytes,
                threads,
                root_is_and_node_if_checked: settings.defends_if_checked,
                report_interval: None,
            }));
        }
        Self::Tsume(Box::new(Solver::new(SolverOptions {
            hash_bytes: bytes,
            threads,
            exact,
            multi_pv,
            root_is_and_node_if_checked: settings.defends_if_checked,
            report_interval: None,
        })))
    }

    /// The answer.
    pub(super) fn solve(
        &mut self,
        start: &Diagram,
        limits: &MateLimits,
        stop: &AtomicBool,
    ) -> Solution {
        match self {
            Self::Tsume(solver) => {
                solver.solve_diagram(start, limits, stop, &mut SilentMateObserver)
            }
            Self::Help(solver) => {
                solver.solve_diagram(start, limits, stop, &mut SilentMateObserver)
            }
        }
    }
}

/// Limits of the search for a length without futile interpositions when none are given.
const COMPOSER_NODES: u64 = 20_000_000;
const COMPOSER_TIME: Duration = Duration::from_secs(30);

impl Settings {
    /// Limits of the search for a length without futile interpositions.
    pub(super) fn composer_limits(&self) -> MateLimits {
        MateLimits {
            time: Some(self.time.unwrap_or(COMPOSER_TIME)),
            nodes: Some(self.nodes.unwrap_or(COMPOSER_NODES)),
        }
    }

    pub(super) const fn limits(&self) -> MateLimits {
        MateLimits {
            time: self.time,
            nodes: self.nodes,
        }
    }

    /// The part of the side to move.
    pub(super) fn role(&self, start: &Diagram) -> Role {
        Role::of_diagram(start, self.defends_if_checked)
    }
}

/// Hears results on the thread that asked for them.
pub(super) trait Results<R, E> {
    /// A result is there.
    fn arrived(&mut self, _: &R) -> Result<(), E> {
        Ok(())
    }

    /// The next result in order.
    fn take(&mut self, result: R) -> Result<(), E>;
}

impl<R, E, F: FnMut(R) -> Result<(), E>> Results<R, E> for F {
    fn take(&mut self, result: R) -> Result<(), E> {
        self(result)
    }
}

/// Works on `items` with `jobs` threads, each with a state of its own, and hands the results to `take` in the
/// order of the items, having shown each to `arrived` as soon as it was there. Ends early when `cancelled` is
/// raised, which it is when one of them fails; whether all were done.
pub(super) fn in_order<T: Sync, S, R: Send, E>(
    items: &[T],
    jobs: usize,
    cancelled: &AtomicBool,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
    mut results: impl Results<R, E>,
) -> Result<bool, E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let worker = |sender: mpsc::Sender<(usize, R)>| {
        let mut state = state();
        while !cancelled.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            let result = work(&mut state, item);
            // What was cut short by the user is no result.
            if cancelled.load(Ordering::Relaxed) || sender.send((number, result)).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        let mut taken = || {
            for (number, result) in &receiver {
                results.arrived(&result)?;
                early.insert(number, result);
                while let Some(result) = early.remove(&wanted) {
                    wanted += 1;
                    results.take(result)?;
                }
            }
            Ok(wanted == items.len())
        };
        let done = taken();
        if done.is_err() {
            cancelled.store(true, Ordering::Relaxed);
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_errors_end_the_work() {
        let items: Vec<u32> = (0..500).collect();
        let run = |limit: u32| {
            let mut seen = Vec::new();
            let cancelled = AtomicBool::new(false);
            let done = in_order(
                &items,
                4,
                &cancelled,
                || (),
                |(), &item| item * 2,
                |result: u32| {
                    seen.push(result);
                    if result < limit { Ok(()) } else { Err(result) }
                },
            );
            (done, seen)
        };
        let (done, seen) = run(u32::MAX);
        assert_eq!(done, Ok(true));
        assert!(seen.iter().copied().eq((0..500).map(|item| item * 2)));
        let (done, seen) = run(100);
        assert_eq!((done, seen.len()), (Err(100), 51));
        let cancelled = AtomicBool::new(true);
        let none = in_order(
            &items,
            2,
            &cancelled,
            || (),
            |(), _| (),
            |()| Ok::<(), ()>(()),
        );
        assert_eq!(none, Ok(false));
    }
}
