//! When a running search has to end.

use std::time::Duration;

use crate::team::Team;
use crate::{Control, Limits, TimeBudget, TimeLimit};

/// Positions between two looks at the clock and at the stop flag: well under a millisecond.
const POLL_INTERVAL: u64 = 256;

/// Watches the limits of one search for one of its threads.
#[derive(Debug)]
pub(crate) struct Stopper<'a> {
    control: &'a Control,
    team: &'a Team,
    /// Number of the thread; 0 for the one that the others follow.
    member: usize,
    time: TimeLimit,
    node_limit: u64,
    next_poll: u64,
    /// When to stop, in milliseconds after the start, once that is known.
    search_end: Option<i64>,
    /// Enough was thought already while pondering.
    stop_on_ponder_hit: bool,
    /// Whether there is a move worth playing: time ends the search only then.
    has_result: bool,
    stopped: bool,
}

/// How settled the choice of the best move is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settledness {
    /// Iterations since the best move changed last.
    pub(crate) stable_iterations: u32,
    /// Fall of the score since the last iteration, in the internal unit; negative when it rose.
    pub(crate) fall: i32,
    /// Share of the positions that were spent on the best move, per cent.
    pub(crate) effort: u64,
    /// There is nothing to choose from.
    pub(crate) only_move: bool,
}

impl<'a> Stopper<'a> {
    pub(crate) fn new(
        control: &'a Control,
        limits: &Limits,
        team: &'a Team,
        member: usize,
    ) -> Self {
        let node_limit = limits.nodes.unwrap_or(u64::MAX);
        Self {
            control,
            team,
            member,
            time: limits.time,
            node_limit,
            next_poll: node_limit.min(POLL_INTERVAL),
            search_end: None,
            stop_on_ponder_hit: false,
            has_result: false,
            stopped: control.is_stopped(),
        }
    }

    /// Whether the search has to end.
    #[inline(always)]
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Positions that all threads may visit.
    pub(crate) const fn node_limit(&self) -> u64 {
        self.node_limit
    }

    /// Number of this thread, 0 for the first.
    pub(crate) const fn member(&self) -> usize {
        self.member
    }

    /// Positions visited by all threads, of which this one has visited `nodes`.
    pub(crate) fn total(&self, nodes: u64) -> u64 {
        nodes + self.team.nodes_of_others(self.member)
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.control.elapsed()
    }

    /// Whether time limits apply to this search at all.
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
        self.next_poll = self.node_limit.min(nodes + POLL_INTERVAL);
        self.team.publish(self.member, nodes);
        if self.control.is_stopped()
            || self.team.is_done()
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
                since_hit + answer_margin(time) >= time
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
    pub(crate) fn iteration_done(&mut self, settled: Settledness) {
        self.has_result = true;
        if let TimeLimit::Budget(budget) = self.time {
            let elapsed = self.elapsed().as_millis() as u64;
            if elapsed as i64 > wanted_time(&budget, settled) {
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
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// How much earlier than a fixed time limit to stop, so that the answer is out in time.
fn answer_margin(time: Duration) -> Duration {
    (time / 50).clamp(Duration::from_millis(2), Duration::from_millis(20))
}

/// A single legal move needs no thought, but a score to report.
const ONLY_MOVE_MS: i64 = 500;

/// The time to think: the usual one scaled by how settled the choice is. A best move that has stood
/// for many iterations or took nearly all the effort gets down to about half, one that just changed
/// or a falling score up to about double.
fn wanted_time(budget: &TimeBudget, settled: Settledness) -> i64 {
    let stability = 145 - 10 * i64::from(settled.stable_iterations.min(8));
    let falling = 100 + i64::from(settled.fall.clamp(-60, 180)) / 3;
    let effort = if settled.effort >= 92 { 75 } else { 100 };
    let wanted = budget.optimum * stability * falling * effort / 1_000_000;
    let wanted = wanted.min(budget.maximum);
    if settled.only_move {
        wanted.min(ONLY_MOVE_MS)
    } else {
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Settledness = Settledness {
        stable_iterations: 9,
        fall: 0,
        effort: 95,
        only_move: false,
    };

    #[test]
    fn unsettled_positions_get_more_time_within_the_maximum() {
        let mut budget = TimeBudget::exactly(10_000);
        budget.maximum = 15_000;
        let calm = wanted_time(&budget, CALM);
        assert!((3_000..6_000).contains(&calm), "{calm}");
        let shaky = Settledness {
            stable_iterations: 0,
            fall: 300,
            effort: 40,
            ..CALM
        };
        assert_eq!(wanted_time(&budget, shaky), 15_000);
        assert_eq!(
            wanted_time(
                &budget,
                Settledness {
                    only_move: true,
                    ..CALM
                }
            ),
            500
        );
    }

    #[test]
    fn node_limits_are_exact() {
        let control = Control::new(false);
        let limits = Limits {
            nodes: Some(700),
            ..Limits::default()
        };
        let team = Team::new(1);
        let mut stopper = Stopper::new(&control, &limits, &team, 0);
        let stopped_at = (1..=10_000).find(|&nodes| {
            stopper.count(nodes);
            stopper.is_stopped()
        });
        assert_eq!(stopped_at, Some(700));
    }

    #[test]
    fn a_stop_is_seen_within_one_interval() {
        let control = Control::new(false);
        let team = Team::new(1);
        let mut stopper = Stopper::new(&control, &Limits::default(), &team, 0);
        control.stop();
        stopper.count(POLL_INTERVAL);
        assert!(stopper.is_stopped());
    }
}
