//! Recorders and runs that several tests share.

use std::collections::BTreeSet;
use std::time::Duration;

use farm::{
    Backlog, Backoff, Event, FarmError, OutputOf, Recorder, RetryPolicy, RunCompletion, RunControl,
    RunKind, RunLog, SharedBacklog, Summary, Worker, Workers, run,
};

/// Runs of these tests, which report nothing of their own.
#[derive(Debug)]
pub(crate) struct Tests;

impl RunKind for Tests {
    type Report<'a> = ();
    type Totals = ();
}

/// Records finished items, with what `check` does about each, and those that were given up.
struct TestRecorder<'o, O> {
    log: RunLog<'o, Tests>,
    finished: BTreeSet<u64>,
    given_up: Vec<u64>,
    check: &'o dyn Fn(u64, O) -> Result<(), FarmError>,
}

impl<O> Recorder for TestRecorder<'_, O> {
    type Kind = Tests;
    type Item = u64;
    type Output = O;
    type Error = FarmError;

    fn record(&mut self, worker: Option<usize>, item: &u64, output: O) -> Result<(), FarmError> {
        assert!(worker.is_some());
        (self.check)(*item, output)?;
        assert!(self.finished.insert(*item), "{item} is recorded twice");
        self.log.count();
        Ok(())
    }

    fn give_up(&mut self, item: &u64) -> Result<(), FarmError> {
        self.given_up.push(*item);
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, Tests>) {
        self.log.on_event(event);
    }
}

/// What a run left.
pub(crate) struct Ran {
    pub(crate) result: Result<(), FarmError>,
    pub(crate) finished: BTreeSet<u64>,
    pub(crate) given_up: Vec<u64>,
    pub(crate) summary: Summary<()>,
}

/// The usual policy without waits.
pub(crate) fn policy() -> RetryPolicy {
    RetryPolicy {
        time_limit: Duration::from_secs(60),
        backoff: Backoff::NONE,
        ..RetryPolicy::default()
    }
}

/// Runs `workers` over `backlog`.
pub(crate) fn run_it<W>(
    workers: &W,
    backlog: impl Backlog<Item = u64> + Send,
    control: &RunControl,
    policy: RetryPolicy,
    check: &dyn Fn(u64, OutputOf<W>) -> Result<(), FarmError>,
    observer: &dyn Fn(&Event<'_, Tests>),
) -> Ran
where
    W: Workers<Worker: Worker<Item = u64>>,
{
    let mut recorder = TestRecorder {
        log: RunLog::new(observer),
        finished: BTreeSet::new(),
        given_up: Vec::new(),
        check,
    };
    let source = SharedBacklog::new(backlog);
    let result = run(workers, &source, control, policy, &mut recorder);
    let summary = recorder.log.finish(RunCompletion::of_result(&result));
    Ran {
        result,
        finished: recorder.finished,
        given_up: recorder.given_up,
        summary,
    }
}
