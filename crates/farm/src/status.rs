//! Status of the engines of a run, for people.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Worker;

/// The workers of an engine together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStatus {
    /// The number of workers.
    pub workers: usize,
    /// The number of workers whose engine is searching.
    pub thinking: usize,
    /// The number of closed workers, whose engine failed too often.
    pub closed: usize,
    /// Positions visited since the run started, as far as the engine reports.
    pub nodes: u64,
}

impl EngineStatus {
    /// The engines of `workers`, by their `names`, one for each worker.
    pub fn by_name<'a>(
        names: impl IntoIterator<Item = &'a str>,
        workers: &[Arc<Worker>],
    ) -> BTreeMap<&'a str, Self> {
        let mut engines = BTreeMap::<_, Self>::new();
        for (name, worker) in names.into_iter().zip(workers) {
            let engine = engines.entry(name).or_default();
            engine.workers += 1;
            engine.thinking += usize::from(worker.thinking().is_some());
            engine.closed += usize::from(worker.is_closed());
            engine.nodes += worker.nodes();
        }
        engines
    }

    /// `NAME 3/4 812 k nps, 1 closed` for each engine of `workers`: [`by_name`](Self::by_name),
    /// [`text`](Self::text).
    pub fn texts<'a>(
        names: impl IntoIterator<Item = &'a str>,
        workers: &[Arc<Worker>],
        time: Duration,
    ) -> Vec<String> {
        let engines = Self::by_name(names, workers).into_iter();
        let texts = engines.map(|(name, engine)| format!("{name} {}", engine.text(time)));
        texts.collect()
    }

    /// `3/4 812 k nps, 1 closed`: how many of its workers are thinking, nodes per second since the run started
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
    fn workers_of_an_engine_are_counted_together() {
        let workers: Vec<_> = (0..3).map(|_| Arc::new(Worker::default())).collect();
        workers[2].close();
        let texts = EngineStatus::texts(["a", "b", "a"], &workers, Duration::from_secs(1));
        assert_eq!(texts, ["a 0/2 0 nps, 1 closed", "b 0/1 0 nps"]);
        for (nodes, expected) in [
            (1998, "0/1 999 nps"),
            (1_624_000, "0/1 812 k nps"),
            (2_468_000, "0/1 1.23 M nps"),
        ] {
            let engine = EngineStatus {
                workers: 1,
                nodes,
                ..EngineStatus::default()
            };
            assert_eq!(engine.text(Duration::from_secs(2)), expected);
        }
    }
}
