//! The workers of a queue, as the process that serves it knows them: by their results, and by what they say of themselves.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Workers that are listed; of more, those that were silent longest are forgotten.
const MOST: usize = 256;
/// Letters of the name of a worker.
const MOST_LETTERS: usize = 64;
/// The time between two words of a worker.
pub(super) const ANNOUNCED: Duration = Duration::from_secs(5);
/// The silence after which a worker that says something of itself is gone.
const GONE: Duration = Duration::from_secs(20);
/// The silence after which a worker that says nothing of itself counts as idle.
const IDLE: Duration = Duration::from_secs(120);
/// The time over which rates are measured, at least.
const MEASURED: Duration = Duration::from_secs(60);

/// The workers of a queue, and what else those who watch it are told.
#[derive(Debug, Default)]
pub(super) struct Roster(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    workers: Vec<QueueWorker>,
    /// Workers that there were so far.
    count: u64,
    /// Why watchers cannot be told anything.
    error: Option<String>,
}

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Announcement {
    /// A random number of the process.
    pub(super) worker: u64,
    /// Items that it has in progress.
    pub(super) held: u32,
    /// Its machine and process.
    pub(super) name: String,
}

/// A result, as far as it counts for its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivered {
    Recorded,
    Failed,
}

#[derive(Debug)]
struct QueueWorker {
    /// The random number of the process.
    id: u64,
    /// Its number for people, from 1.
    number: u64,
    name: Option<String>,
    /// Items in progress, if it says so.
    held: Option<u32>,
    done: u64,
    failed: u64,
    heard: Instant,
    /// Two earlier times with what was done then, the older one first.
    marks: [(Instant, u64); 2],
}

impl Roster {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a result of a worker.
    pub(super) fn delivered(&self, worker: u64, what: Delivered) {
        let mut known = self.lock();
        let worker = known.worker(worker);
        match what {
            Delivered::Recorded => worker.done += 1,
            Delivered::Failed => worker.failed += 1,
        }
    }

    /// Takes what a worker says of itself.
    pub(super) fn announced(&self, said: &Announcement) {
        let mut known = self.lock();
        let worker = known.worker(said.worker);
        worker.held = Some(said.held);
        worker.name = Some(said.name.chars().take(MOST_LETTERS).collect());
    }

    /// Notes why watchers cannot be told anything.
    pub(super) fn failed(&self, reason: String) {
        self.lock().error = Some(reason);
    }

    /// Takes the reason why watchers could not be told anything.
    pub(super) fn take_error(&self) -> Option<String> {
        self.lock().error.take()
    }

    /// The workers as an event `workers`; `None` if there were none.
    pub(super) fn event(&self) -> Option<Value> {
        let now = Instant::now();
        let mut known = self.lock();
        if known.workers.is_empty() {
            return None;
        }
        let rows = known.workers.iter_mut().map(|worker| worker.row(now));
        let rows: Vec<Value> = rows.collect();
        Some(json!({"event": "workers", "workers": rows}))
    }
}

impl Known {
    /// The worker of a random number, which was heard of now.
    fn worker(&mut self, id: u64) -> &mut QueueWorker {
        let now = Instant::now();
        let at = self.workers.iter().position(|worker| worker.id == id);
        let at = at.unwrap_or_else(|| {
            if self.workers.len() >= MOST {
                let silent = self.workers.iter().enumerate();
                let silent = silent.min_by_key(|(_, worker)| worker.heard);
                let silent = silent.map_or(0, |(at, _)| at);
                self.workers.remove(silent);
            }
            self.count += 1;
            self.workers.push(QueueWorker {
                id,
                number: self.count,
                name: None,
                held: None,
                done: 0,
                failed: 0,
                heard: now,
                marks: [(now, 0); 2],
            });
            self.workers.len() - 1
        });
        let worker = &mut self.workers[at];
        worker.heard = now;
        worker
    }
}

impl QueueWorker {
    fn row(&mut self, now: Instant) -> Value {
        if now.duration_since(self.marks[1].0) >= MEASURED {
            self.marks = [self.marks[1], (now, self.done)];
        }
        let (since, before) = self.marks[0];
        let seconds = now.duration_since(since).as_secs_f64();
        let done = self.done.saturating_sub(before);
        let speed = (seconds >= 1.0).then(|| done as f64 / seconds);
        let fallback = || format!("{:016x}", self.id);
        json!({
            "worker": self.number,
            "engine": self.name.clone().unwrap_or_else(fallback),
            "state": self.state(now),
            "done": self.done,
            "failed": self.failed,
            // A few digits: what is the same need not be told again.
            "speed": speed.map(|speed| (speed * 1000.0).round() / 1000.0),
        })
    }

    fn state(&self, now: Instant) -> &'static str {
        let silent = now.duration_since(self.heard);
        match self.held {
            Some(_) if silent > GONE => "gone",
            Some(0) => "idle",
            None if silent > IDLE => "idle",
            _ => "searching",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_known_by_results_and_by_what_they_say() {
        let roster = Roster::default();
        assert_eq!(roster.event(), None);
        // One of an earlier version says nothing of itself.
        roster.delivered(7, Delivered::Recorded);
        roster.delivered(9, Delivered::Failed);
        let said = |held| Announcement {
            worker: 9,
            held,
            name: format!("farm2 {}", "x".repeat(1000)),
        };
        roster.announced(&said(0));
        let event = roster.event().unwrap();
        let rows = event["workers"].as_array().unwrap();
        assert_eq!(rows[0]["engine"], "0000000000000007");
        assert_eq!(
            (&rows[0]["done"], &rows[0]["state"]),
            (&json!(1), &json!("searching"))
        );
        assert_eq!(
            (&rows[1]["failed"], &rows[1]["state"]),
            (&json!(1), &json!("idle"))
        );
        assert_eq!(
            rows[1]["engine"].as_str().unwrap().chars().count(),
            MOST_LETTERS
        );
        roster.announced(&said(3));
        assert_eq!(roster.event().unwrap()["workers"][1]["state"], "searching");
    }

    #[test]
    fn the_list_is_bounded() {
        let roster = Roster::default();
        for worker in 0..1000 {
            roster.delivered(worker, Delivered::Recorded);
        }
        let event = roster.event().unwrap();
        let rows = event["workers"].as_array().unwrap();
        assert_eq!(rows.len(), MOST);
        assert_eq!(rows[MOST - 1]["worker"], 1000);
    }
}
