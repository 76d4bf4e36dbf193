//! Items that came back without an output that can be used: when they are handed out again, and when they are given up.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// The tries of an item before it is given up, each by another worker where there are so many.
const TRIES: usize = 3;
/// The delay before an item is handed out again, doubled after each further failure.
const BACKOFF: Duration = Duration::from_millis(250);
/// The longest delay.
const LONGEST: Duration = Duration::from_secs(30);
/// The most workers that are told apart.
const MOST_WORKERS: usize = 4096;
/// The time between two messages about what was refused.
const QUIET: Duration = Duration::from_secs(10);

/// The failures of items, and the workers there are.
#[derive(Default)]
pub(super) struct Failures {
    failed: HashMap<u64, Failed>,
    /// All workers that ever sent anything of this run.
    workers: BTreeSet<u64>,
    /// Items that wait for their next try.
    waiting: Vec<(Instant, u64)>,
}

#[derive(Default)]
struct Failed {
    failures: u32,
    workers: BTreeSet<u64>,
}

/// What becomes of an item that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is handed out again, after a while.
    Again,
    /// It is given up.
    GivenUp,
}

impl Failures {
    /// Notes that a worker is there.
    pub(super) fn saw(&mut self, worker: u64) {
        if self.workers.len() < MOST_WORKERS {
            self.workers.insert(worker);
        }
    }

    /// Notes that an item failed at a worker. It is given up only when it failed at several: at all that are known where
    /// these are fewer than the tries.
    pub(super) fn failed(&mut self, number: u64, worker: u64, now: Instant) -> Fate {
        self.saw(worker);
        let failed = self.failed.entry(number).or_default();
        failed.failures += 1;
        failed.workers.insert(worker);
        let needed = TRIES.min(self.workers.len());
        if failed.failures as usize >= TRIES && failed.workers.len() >= needed {
            self.finished(number);
            return Fate::GivenUp;
        }
        let doublings = (failed.failures - 1).min(10);
        let delay = (BACKOFF * 2u32.pow(doublings)).min(LONGEST);
        self.waiting.push((now + delay, number));
        Fate::Again
    }

    /// Forgets an item that is finished.
    pub(super) fn finished(&mut self, number: u64) {
        if self.failed.remove(&number).is_some() {
            self.waiting.retain(|&(_, waiting)| waiting != number);
        }
    }

    /// Takes the items whose delay is over.
    pub(super) fn due(&mut self, now: Instant) -> Vec<u64> {
        let due = self.waiting.extract_if(.., |&mut (at, _)| at <= now);
        due.map(|(_, number)| number).collect()
    }

    /// Nothing waits: all is handed out again at once.
    pub(super) fn hand_out_all(&mut self) {
        self.waiting.clear();
    }

    /// The number of items that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

/// Counts messages that are not used, and tells of them now and then.
pub(super) struct Complaints {
    what: &'static str,
    count: u64,
    told: Option<Instant>,
}

impl Complaints {
    /// Complaints about `what`: several messages.
    pub(super) const fn about(what: &'static str) -> Self {
        Self {
            what,
            count: 0,
            told: None,
        }
    }

    /// Counts one; returns what is to be told, if it is time to.
    pub(super) fn add(&mut self, detail: &str, now: Instant) -> Option<String> {
        self.count += 1;
        let is_time = self.told.is_none_or(|told| now - told >= QUIET);
        if !is_time {
            return None;
        }
        self.told = Some(now);
        let Self { what, count, .. } = self;
        Some(format!("{what}: {count} so far; the last one: {detail}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_given_up_after_tries_of_several_workers() {
        let now = Instant::now();
        let mut failures = Failures::default();
        for worker in [1, 2, 3] {
            failures.saw(worker);
        }
        // One worker alone never has an item given up.
        for _ in 0..20 {
            assert_eq!(failures.failed(7, 1, now), Fate::Again);
        }
        assert_eq!(failures.failed(7, 2, now), Fate::Again);
        assert_eq!(failures.failed(7, 3, now), Fate::GivenUp);
        assert_eq!(failures.waiting(), 0);
        assert_eq!(failures.failed(7, 3, now), Fate::Again);
    }

    #[test]
    fn where_there_are_fewer_workers_all_of_them_have_tried() {
        let now = Instant::now();
        let mut alone = Failures::default();
        assert_eq!(alone.failed(7, 1, now), Fate::Again);
        assert_eq!(alone.failed(7, 1, now), Fate::Again);
        assert_eq!(alone.failed(7, 1, now), Fate::GivenUp);
        let mut two = Failures::default();
        two.saw(2);
        for _ in 0..5 {
            assert_eq!(two.failed(7, 1, now), Fate::Again);
        }
        assert_eq!(two.failed(7, 2, now), Fate::GivenUp);
    }

    #[test]
    fn items_wait_longer_and_longer() {
        let now = Instant::now();
        let mut failures = Failures::default();
        failures.saw(2);
        failures.saw(3);
        failures.failed(7, 1, now);
        assert!(failures.due(now).is_empty());
        assert_eq!(failures.due(now + BACKOFF), [7]);
        failures.failed(7, 1, now);
        assert!(failures.due(now + BACKOFF).is_empty());
        assert_eq!(failures.due(now + 2 * BACKOFF), [7]);
        for _ in 0..20 {
            failures.failed(8, 1, now);
        }
        assert_eq!(failures.due(now + LONGEST).len(), 20);
        failures.failed(8, 1, now);
        failures.finished(8);
        assert_eq!(failures.waiting(), 0);
    }

    #[test]
    fn complaints_come_now_and_then() {
        let now = Instant::now();
        let mut forged = Complaints::about("forged");
        assert_eq!(
            forged.add("a", now).unwrap(),
            "forged: 1 so far; the last one: a"
        );
        assert_eq!(forged.add("b", now), None);
        let told = forged.add("c", now + QUIET).unwrap();
        assert_eq!(told, "forged: 3 so far; the last one: c");
    }
}
