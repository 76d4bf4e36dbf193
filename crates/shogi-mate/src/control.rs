//! Limits and reports of one solve, and the helper threads that take part in it.
//!
//! All threads search the same root and share the tables, so that each uses the results of the others. A virtual
//! loss of positions that another thread is searching spreads them over the tree.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use shogi_core::Move;
use yane_clock::Instant;

use crate::api::{MateLimits, MateObserver, MateProgress, MateScore, Reason, SolverOptions};
use crate::dfpn::{NO_REPETITION, Outcome, Poll, Searcher, View};
use crate::table::Table;

/// Moves made between two checks of the clock: well under a millisecond.
const INTERVAL: u64 = 512;

/// Time after the end in which a line may still be completed.
const GRACE: Duration = Duration::from_millis(25);

/// Watches the limits of one solve, and reports.
pub(crate) struct Control<'a> {
    start: Instant,
    limits: MateLimits,
    stop: &'a AtomicBool,
    /// Signals of the other threads.
    signals: &'a Signals,
    table: &'a Table,
    observer: RefCell<&'a mut dyn MateObserver>,
    report_interval: Option<Duration>,
    next_report: Cell<Duration>,
    /// The number of the first move that is searched, from 1.
    multipv: Cell<usize>,
    /// True if a mate is known and a shorter one is searched: the numbers of the root are not reported then.
    shortening: Cell<bool>,
    /// The end of the time for completing a line.
    grace: Cell<Option<Instant>>,
    reason: Cell<Reason>,
}

impl<'a> Control<'a> {
    pub(crate) fn new(
        limits: &MateLimits,
        options: &SolverOptions,
        stop: &'a AtomicBool,
        signals: &'a Signals,
        table: &'a Table,
        observer: &'a mut dyn MateObserver,
    ) -> Self {
        Self {
            start: Instant::now(),
            limits: *limits,
            stop,
            signals,
            table,
            observer: RefCell::new(observer),
            report_interval: options.report_interval,
            next_report: Cell::new(options.report_interval.unwrap_or_default()),
            multipv: Cell::new(1),
            shortening: Cell::new(false),
            grace: Cell::new(None),
            reason: Cell::new(Reason::Stopped),
        }
    }

    /// Moves made by all threads, when the main one made `nodes`.
    pub(crate) fn all_nodes(&self, nodes: u64) -> u64 {
        nodes + self.signals.nodes.load(Ordering::Relaxed)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns why the search was stopped.
    pub(crate) const fn reason(&self) -> Reason {
        self.reason.get()
    }

    pub(crate) fn set_multipv(&self, multipv: usize) {
        self.multipv.set(multipv);
    }

    /// From now on a known mate is made shorter.
    pub(crate) fn set_shortening(&self, shortening: bool) {
        self.shortening.set(shortening);
    }

    /// Lets searches that complete a line go on for a short while when the end has come.
    pub(crate) fn begin_grace(&self) {
        self.grace.set(Some(Instant::now() + GRACE));
    }

    pub(crate) fn end_grace(&self) {
        self.grace.set(None);
    }

    /// Returns the limit that was reached, if any.
    fn end(&self, nodes: u64) -> Option<Reason> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Reason::Stopped);
        }
        let nodes = self.all_nodes(nodes);
        if self.limits.nodes.is_some_and(|limit| nodes >= limit) {
            return Some(Reason::Nodes);
        }
        let time = self.limits.time?;
        (self.elapsed() >= time).then_some(Reason::Time)
    }

    fn is_in_grace(&self) -> bool {
        self.grace.get().is_some_and(|end| Instant::now() < end)
    }

    /// Reports a result.
    pub(crate) fn report(&self, nodes: u64, seldepth: u32, score: MateScore, pv: &[Move]) {
        self.observer.borrow_mut().progress(&MateProgress {
            elapsed: self.elapsed(),
            nodes: self.all_nodes(nodes),
            hashfull: self.table.hashfull(),
            depth: pv.len() as u32,
            seldepth: seldepth.max(pv.len() as u32),
            score,
            multipv: self.multipv.get(),
            pv,
        });
    }

    fn report_view(&self, view: &View<'_>) {
        let Some(interval) = self.report_interval else {
            return;
        };
        let elapsed = self.elapsed();
        if elapsed < self.next_report.get() || self.shortening.get() {
            return;
        }
        self.next_report.set(elapsed + interval);
        let score = MateScore::Unproven {
            pn: view.pn,
            dn: view.dn,
        };
        self.report(view.nodes, view.seldepth, score, &view.line());
    }
}

impl Poll for Control<'_> {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
        yane_clock::pause_point();
        if self.signals.decided.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(reason) = self.end(view.nodes)
            && !self.is_in_grace()
        {
            self.reason.set(reason);
            return None;
        }
        self.report_view(view);
        let limit = self.limits.nodes.unwrap_or(u64::MAX).max(view.nodes + 1);
        Some((view.nodes + INTERVAL).min(limit))
    }
}

/// Signals between the threads of a solve.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// A helper has decided the root.
    pub(crate) decided: AtomicBool,
    /// The helpers have to end.
    done: AtomicBool,
    /// Moves made by helpers.
    pub(crate) nodes: AtomicU64,
}

/// The poll of a helper thread: ends with the main thread.
struct HelperPoll<'a> {
    signals: &'a Signals,
    counted: Cell<u64>,
}

impl HelperPoll<'_> {
    fn count(&self, nodes: u64) {
        let new = nodes - self.counted.replace(nodes);
        self.signals.nodes.fetch_add(new, Ordering::Relaxed);
    }
}

impl Poll for HelperPoll<'_> {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
        self.count(view.nodes);
        let done = self.signals.done.load(Ordering::Relaxed);
        (!done).then_some(view.nodes + INTERVAL)
    }
}

/// [`Searcher::search`] by several threads.
pub(crate) fn parallel_search(
    main: &mut Searcher,
    helpers: &mut [Searcher],
    budget: u16,
    control: &impl Poll,
    signals: &Signals,
) -> Outcome {
    if helpers.is_empty() {
        return main.search(budget, control);
    }
    signals.done.store(false, Ordering::Relaxed);
    let outcome = thread::scope(|scope| {
        for helper in helpers {
            helper.follow(main);
            scope.spawn(|| help(helper, budget, signals));
        }
        let outcome = main.search(budget, control);
        signals.done.store(true, Ordering::Relaxed);
        outcome
    });
    if signals.decided.swap(false, Ordering::Relaxed) && !outcome.is_final() {
        // The result of the helper is in the table.
        main.resume();
        return main.search(budget, control);
    }
    outcome
}

fn help(helper: &mut Searcher, budget: u16, signals: &Signals) {
    let poll = HelperPoll {
        signals,
        counted: Cell::new(0),
    };
    let outcome = helper.search(budget, &poll);
    poll.count(helper.nodes());
    if outcome.is_final() && outcome.repetition == NO_REPETITION {
        signals.decided.store(true, Ordering::Relaxed);
    }
}
