//! What the workers of a run are doing, as other threads see it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::json;

/// Workers that an event tells of.
const MOST_ROWS: usize = 256;

/// The state of a worker, as other threads see it.
#[derive(Debug, Default)]
pub struct WorkerStatus {
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) timed_out: AtomicBool,
    /// Time at which its search began: milliseconds since [`epoch`], plus 1; 0 when there is none.
    since: AtomicU64,
    /// Positions that it visited.
    nodes: AtomicU64,
    is_closed: AtomicBool,
}

/// The time of the first call.
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

fn now() -> u64 {
    epoch().elapsed().as_millis() as u64 + 1
}

impl WorkerStatus {
    /// The positions visited here, as far as workers report.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The time of the search in progress; `None` when there is none.
    pub fn thinking(&self) -> Option<Duration> {
        let since = self.since.load(Ordering::Acquire);
        (since > 0).then(|| Duration::from_millis(now().saturating_sub(since)))
    }

    /// True if it failed too often, and works no more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(crate) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(crate) fn begin(&self) {
        self.since.store(now(), Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.since.store(0, Ordering::Release);
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Makes it finish at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Stops it if it has been searching longer than `limit`.
    pub(crate) fn check_time(&self, limit: Duration) {
        if self.thinking().is_some_and(|time| time > limit) {
            self.timed_out.store(true, Ordering::Release);
            self.stop();
        }
    }

    /// Forgets the stop of an earlier item.
    pub(crate) fn clear(&self) {
        self.end();
        self.timed_out.store(false, Ordering::Release);
        self.stop.store(false, Ordering::Release);
    }
}

// For people.

/// The workers as an event tells them: a JSON object each, with `worker` (its number), `engine` (its name, one of `names` for each worker),
/// `state` (`searching`, `idle`, `closed`) and `nodes`, those visited so far. Of more than 256 workers, those that are closed.
pub fn worker_rows<'a>(
    names: impl IntoIterator<Item = &'a str>,
    workers: &[Arc<WorkerStatus>],
) -> Vec<serde_json::Value> {
    let rows = names.into_iter().zip(workers).enumerate();
    let rows = rows.filter(|(_, (_, worker))| workers.len() <= MOST_ROWS || worker.is_closed());
    rows.take(MOST_ROWS)
        .map(|(number, (name, worker))| {
            let state = match worker.thinking() {
                _ if worker.is_closed() => "closed",
                Some(_) => "searching",
                None => "idle",
            };
            json!({"worker": number, "engine": name, "state": state, "nodes": worker.nodes()})
        })
        .collect()
}

/// The workers of one name together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupStatus {
    /// The number of workers.
    pub workers: usize,
    /// The number of workers that are searching.
    pub thinking: usize,
    /// The number of closed workers, which failed too often.
    pub closed: usize,
    /// Positions visited since the run started, as far as the workers report.
    pub nodes: u64,
}

impl GroupStatus {
    /// The groups of `workers`, by their `names`, one for each worker.
    pub fn by_name<'a>(
        names: impl IntoIterator<Item = &'a str>,
        workers: &[Arc<WorkerStatus>],
    ) -> BTreeMap<&'a str, Self> {
        let mut groups = BTreeMap::<_, Self>::new();
        for (name, worker) in names.into_iter().zip(workers) {
            let group = groups.entry(name).or_default();
            group.workers += 1;
            group.thinking += usize::from(worker.thinking().is_some());
            group.closed += usize::from(worker.is_closed());
            group.nodes += worker.nodes();
        }
        groups
    }

    /// `NAME 3/4 812 k nps, 1 closed` for each group of `workers`: [`by_name`](Self::by_name),
    /// [`text`](Self::text).
    pub fn texts<'a>(
        names: impl IntoIterator<Item = &'a str>,
        workers: &[Arc<WorkerStatus>],
        time: Duration,
    ) -> Vec<String> {
        let groups = Self::by_name(names, workers).into_iter();
        let texts = groups.map(|(name, group)| format!("{name} {}", group.text(time)));
        texts.collect()
    }

    /// `3/4 812 k nps, 1 closed`: how many of its workers are searching, nodes per second since the run started
    /// `time` ago, and how many workers are closed.
    pub fn text(&self, time: Duration) -> String {
        let nps = self.nodes as f64 / time.as_secs_f64().max(1e-3);
        let (nps, unit, decimals) = match nps {
            1e6.. => (nps / 1e6, " M", 2),
            1e3.. => (nps / 1e3, " k", 0),
            _ => (nps, "", 0),
        };
        let closed = match self.closed {
            0 => String::new(),
            closed => format!(", {closed} closed"),
        };
        let Self {
            workers, thinking, ..
        } = self;
        format!("{thinking}/{workers} {nps:.decimals$}{unit} nps{closed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_each_worker_does() {
        let workers: Vec<_> = (0..3).map(|_| Arc::<WorkerStatus>::default()).collect();
        workers[1].begin();
        workers[2].close();
        workers[1].add_nodes(7);
        let rows = worker_rows(["a", "b", "a"], &workers);
        let states: Vec<_> = rows.iter().map(|row| row["state"].as_str()).collect();
        assert_eq!(states, [Some("idle"), Some("searching"), Some("closed")]);
        let expected = json!({"worker": 1, "engine": "b", "state": "searching", "nodes": 7});
        assert_eq!(rows[1], expected);
    }

    #[test]
    fn workers_of_one_name_are_counted_together() {
        let workers: Vec<_> = (0..3).map(|_| Arc::<WorkerStatus>::default()).collect();
        workers[2].close();
        let texts = GroupStatus::texts(["a", "b", "a"], &workers, Duration::from_secs(1));
        assert_eq!(texts, ["a 0/2 0 nps, 1 closed", "b 0/1 0 nps"]);
        for (nodes, expected) in [
            (1998, "0/1 999 nps"),
            (1_624_000, "0/1 812 k nps"),
            (2_468_000, "0/1 1.23 M nps"),
        ] {
            let group = GroupStatus {
                workers: 1,
                nodes,
                ..GroupStatus::default()
            };
            assert_eq!(group.text(Duration::from_secs(2)), expected);
        }
    }
}
