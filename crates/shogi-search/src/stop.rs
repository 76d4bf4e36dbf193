//! The limits of a running search, watched.

use std::time::Duration;

use crate::shared_threads::SharedThreads;
use crate::time_manager::{Iteration, TimeManager, TimeMemory};
use crate::{Control, Limits, Params, TimeBudget, TimeLimit};

/// Positions between two checks of the clock and of the stop flag: well under a millisecond.
const POLL_INTERVAL: u64 = 256;

/// Watches the limits of one search for one of its threads.
#[derive(Debug)]
pub(crate) struct Stopper<'a> {
    control: &'a Control,
    params: &'a Params,
    shared_threads: &'a SharedThreads,
    /// Number of the thread; 0 for the one that the others follow.
    thread: usize,
    time: TimeLimit,
    node_limit: u64,
    next_poll: u64,
    /// The end of the search, in milliseconds after the start, once that is known.
    search_end: Option<i64>,
    /// True if the search has used enough time while pondering.
    stop_on_ponder_hit: bool,
    time_manager: TimeManager,
    /// True if there is a move worth playing: time ends the search only then.
    has_result: bool,
    stopped: bool,
}

impl<'a> Stopper<'a> {
    pub(crate) fn new(
        control: &'a Control,
        limits: &Limits,
        params: &'a Params,
        shared_threads: &'a SharedThreads,
        thread: usize,
    ) -> Self {
        let node_limit = limits.nodes.unwrap_or(u64::MAX);
        Self {
            control,
            params,
            shared_threads,
            thread,
            time: limits.time,
            node_limit,
            next_poll: node_limit.min(POLL_INTERVAL),
            search_end: None,
            stop_on_ponder_hit: false,
            time_manager: TimeManager::new(&TimeMemory::default(), 1, params),
            has_result: false,
            stopped: control.is_stopped(),
        }
    }

    /// The same for a search at game ply `ply`, after one of the same game that left `memory`.
    pub(crate) fn after(mut self, memory: &TimeMemory, ply: u32) -> Self {
        self.time_manager = TimeManager::new(memory, ply, self.params);
        self
    }

    /// Returns what the next search of the game has to know.
    pub(crate) fn memory(&self) -> TimeMemory {
        self.time_manager.memory()
    }

    /// Returns whether the search has to end.
    #[inline(always)]
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Positions that something beside the search may visit, so that no more than a fixed part of it is lost.
    pub(crate) fn nodes_to_spare(&self) -> u64 {
        let milliseconds = match self.time {
            TimeLimit::None => u64::MAX,
            TimeLimit::MoveTime(time) => time.as_millis() as u64,
            TimeLimit::Budget(budget) => budget.optimum.max(1) as u64,
        };
        let p = self.params;
        let in_time = milliseconds.saturating_mul(p.mate_root_nodes_per_ms as u64);
        (self.node_limit / p.mate_root_share as u64).min(in_time)
    }

    /// Time until the search has to end, at most; `None` where nothing is known to end it.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        if self.control.is_pondering() {
            return None;
        }
        let since_hit = self.elapsed().saturating_sub(self.control.pondered());
        let end = match self.time {
            TimeLimit::None => return None,
            TimeLimit::MoveTime(time) => time.saturating_sub(answer_margin(time, self.params)),
            TimeLimit::Budget(budget) => Duration::from_millis(budget.maximum.max(0) as u64),
        };
        Some(end.saturating_sub(since_hit))
    }

    /// The control of the search.
    pub(crate) const fn control(&self) -> &'a Control {
        self.control
    }

    /// Number of this thread, 0 for the first.
    pub(crate) const fn thread(&self) -> usize {
        self.thread
    }

    /// Positions visited by all threads, of which this one has visited `nodes`.
    pub(crate) fn total(&self, nodes: u64) -> u64 {
        nodes + self.shared_threads.nodes_of_others(self.thread)
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.control.elapsed()
    }

    /// Returns whether time limits apply to this search at all.
    pub(crate) const fn is_timed(&self) -> bool {
        !matches!(self.time, TimeLimit::None)
    }

    /// `nodes` positions have been visited.
    #[inline(always)]
    pub(crate) fn count(&mut self, nodes: u64) {
        if nodes >= self.next_poll {
            self.poll(nodes);
        }
    }

    #[cold]
    fn poll(&mut self, nodes: u64) {
        yane_clock::pause_point();
        self.next_poll = self.node_limit.min(nodes + POLL_INTERVAL);
        self.shared_threads.publish(self.thread, nodes);
        if self.control.is_stopped()
            || self.shared_threads.is_done()
            || self.total(nodes) >= self.node_limit
            || self.is_out_of_time()
        {
            self.stopped = true;
        }
    }

    fn is_out_of_time(&mut self) -> bool {
        if !self.has_result || self.control.is_pondering() {
            return false;
        }
        match self.time {
            TimeLimit::None => false,
            TimeLimit::MoveTime(time) => {
                let since_hit = self.elapsed().saturating_sub(self.control.pondered());
                since_hit + answer_margin(time, self.params) >= time
            }
            TimeLimit::Budget(budget) => {
                let elapsed = self.elapsed().as_millis() as u64;
                if self.stop_on_ponder_hit || elapsed as i64 > budget.maximum {
                    self.plan_end(&budget, elapsed);
                }
                self.search_end.is_some_and(|end| elapsed as i64 >= end)
            }
        }
    }

    fn plan_end(&mut self, budget: &TimeBudget, elapsed: u64) {
        if self.search_end.is_none() {
            let pondered = self.control.pondered().as_millis() as u64;
            self.search_end = Some(budget.search_end(elapsed, pondered));
        }
    }

    /// An iteration is complete; decides whether that was enough.
    pub(crate) fn iteration_done(&mut self, iteration: &Iteration) {
        self.has_result = true;
        let optimum = match self.time {
            TimeLimit::Budget(budget) => budget.optimum as f64,
            TimeLimit::None | TimeLimit::MoveTime(_) => 0.0,
        };
        let wanted = self.time_manager.iteration(iteration, optimum, self.params);
        if let TimeLimit::Budget(budget) = self.time {
            let elapsed = self.elapsed().as_millis() as u64;
            if elapsed as f64 > wanted.min(budget.maximum as f64) {
                if self.control.is_pondering() {
                    self.stop_on_ponder_hit = true;
                } else {
                    self.plan_end(&budget, elapsed);
                }
            }
        }
        if self.control.is_stopped() || self.is_out_of_time() {
            self.stopped = true;
        }
    }

    /// Waits until the search may answer: after an `infinite` search or while pondering only a stop
    /// or ponderhit allows that.
    pub(crate) fn wait_for_permission(&self, infinite: bool) {
        while !self.control.is_stopped() && (infinite || self.control.is_pondering()) {
            if !yane_clock::thread::sleep(Duration::from_millis(1)) {
                break;
            }
        }
    }
}

/// Returns how much earlier than a fixed time limit to stop, so that the answer is out in time.
fn answer_margin(time: Duration, p: &Params) -> Duration {
    let [least, most] = [p.time_answer_min, p.time_answer_max]
        .map(|time| Duration::from_millis(u64::from(time.unsigned_abs())));
    (time / p.time_answer_divisor.unsigned_abs())
        .min(most)
        .max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finished iteration in a search that nothing makes waver.
    fn calm(depth: u32) -> Iteration {
        Iteration {
            depth,
            score: 0,
            new_best: false,
            changes: 0.0,
            effort: 1.0,
            only_move: false,
        }
    }

    fn on_budget(budget: TimeBudget) -> Limits {
        Limits {
            time: TimeLimit::Budget(budget),
            ..Limits::default()
        }
    }

    #[test]
    fn time_ends_no_search_before_its_first_iteration() {
        let params = Params::default();
        let control = Control::new();
        let limits = on_budget(TimeBudget::exactly(0));
        let shared_threads = SharedThreads::new(1);
        let mut stopper = Stopper::new(&control, &limits, &params, &shared_threads, 0);
        std::thread::sleep(Duration::from_millis(2));
        stopper.count(10 * POLL_INTERVAL);
        assert!(!stopper.is_stopped());
        stopper.iteration_done(&calm(1));
        assert!(stopper.is_stopped());
    }

    #[test]
    fn time_counts_only_after_ponderhit() {
        let params = Params::default();
        let control = Control::pondering();
        let limits = on_budget(TimeBudget::exactly(0));
        let shared_threads = SharedThreads::new(1);
        let mut stopper = Stopper::new(&control, &limits, &params, &shared_threads, 0);
        std::thread::sleep(Duration::from_millis(2));
        stopper.iteration_done(&calm(1));
        stopper.count(10 * POLL_INTERVAL);
        assert!(!stopper.is_stopped());
        control.ponder_hit();
        stopper.count(20 * POLL_INTERVAL);
        assert!(stopper.is_stopped());
    }

    #[test]
    fn node_limits_are_exact() {
        let params = Params::default();
        let control = Control::new();
        let limits = Limits {
            nodes: Some(700),
            ..Limits::default()
        };
        let shared_threads = SharedThreads::new(1);
        let mut stopper = Stopper::new(&control, &limits, &params, &shared_threads, 0);
        let stopped_at = (1..=10_000).find(|&nodes| {
            stopper.count(nodes);
            stopper.is_stopped()
        });
        assert_eq!(stopped_at, Some(700));
    }

    #[test]
    fn little_is_to_spare_where_there_is_little() {
        let params = Params::default();
        let control = Control::new();
        let shared_threads = SharedThreads::new(1);
        let spare = |limits: &Limits| {
            Stopper::new(&control, limits, &params, &shared_threads, 0).nodes_to_spare()
        };
        assert!(spare(&Limits::default()) > 1 << 60);
        let mut limits = Limits {
            nodes: Some(800),
            ..Limits::default()
        };
        assert_eq!(spare(&limits), 100);
        limits.time = TimeLimit::MoveTime(Duration::from_millis(7));
        assert_eq!(spare(&limits), 100);
        limits.nodes = None;
        assert_eq!(spare(&limits), 700);
    }

    #[test]
    fn a_stop_is_seen_within_one_interval() {
        let params = Params::default();
        let control = Control::new();
        let shared_threads = SharedThreads::new(1);
        let mut stopper = Stopper::new(&control, &Limits::default(), &params, &shared_threads, 0);
        control.stop();
        stopper.count(POLL_INTERVAL);
        assert!(stopper.is_stopped());
    }
}
