//! When a solve has to end, and its reports.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shogi_core::Move;

use crate::api::{Limits, Observer, Progress, Reason, Score, SolverOptions};
use crate::search::{Poll, View};
use crate::table::Table;
use crate::threads::Signals;

/// Moves made between two looks at the clock: well under a millisecond.
const INTERVAL: u64 = 512;

/// How long a line may still be completed after the end.
const GRACE: Duration = Duration::from_millis(25);

/// Watches the limits of one solve.
pub(crate) struct Control<'a> {
    start: Instant,
    limits: Limits,
    stop: &'a AtomicBool,
    /// What other threads have to say.
    signals: &'a Signals,
    table: &'a Table,
    observer: RefCell<&'a mut dyn Observer>,
    report_interval: Option<Duration>,
    next_report: Cell<Duration>,
    /// Which first move is searched.
    multipv: Cell<usize>,
    /// Whether a mate is known already: then numbers of the root say nothing new.
    shortening: Cell<bool>,
    /// The end of the time for completing a line.
    grace: Cell<Option<Instant>>,
    reason: Cell<Reason>,
}

impl<'a> Control<'a> {
    pub(crate) fn new(
        limits: &Limits,
        options: &SolverOptions,
        stop: &'a AtomicBool,
        signals: &'a Signals,
        table: &'a Table,
        observer: &'a mut dyn Observer,
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

    /// Why the search was stopped.
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

    /// Why to end, if so.
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
    pub(crate) fn report(&self, nodes: u64, seldepth: u32, score: Score, pv: &[Move]) {
        self.observer.borrow_mut().progress(&Progress {
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
        let score = Score::Unproven {
            pn: view.pn,
            dn: view.dn,
        };
        self.report(view.nodes, view.seldepth, score, &view.line());
    }
}

impl Poll for Control<'_> {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
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
