//! Engines at work, from outside.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use farm::{
    Backlog, Engine, EnginePool, Event, FarmError, Finished, InOrder, Next, Recorder, RetryPolicy,
    RunControl, RunKind, RunLog, SharedBacklog, Summary, Work, WorkError, WorkerContext, run,
};
use shogi_core::{Game, Position};
use shogi_engine::ThinkLimits;

// Runs with work that fails.

fn pool(workers: usize) -> EnginePool {
    let engine = Engine {
        multi: workers,
        ..Engine::embedded()
    };
    EnginePool::new(&[engine], &[], &[]).unwrap()
}

/// Runs of these tests, which report nothing of their own.
#[derive(Debug)]
struct Tests;

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
        assert!(self.finished.insert(*item));
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

/// The result of a run with `workers`, the items that are finished and given up, and the summary.
type Ran = (Result<(), FarmError>, BTreeSet<u64>, Vec<u64>, Summary<()>);

fn run_it<W: Work<Item = u64>>(
    workers: usize,
    work: &W,
    backlog: impl Backlog<Item = u64> + Send,
    control: &RunControl,
    check: &dyn Fn(u64, W::Output) -> Result<(), FarmError>,
    observer: &dyn Fn(&Event<'_, Tests>),
) -> Ran {
    let mut recorder = TestRecorder {
        log: RunLog::new(observer),
        finished: BTreeSet::new(),
        given_up: Vec::new(),
        check,
    };
    let source = SharedBacklog::new(backlog);
    let policy = RetryPolicy::default();
    let result = run(
        &pool(workers),
        work,
        &source,
        control,
        policy,
        &mut recorder,
    );
    let summary = recorder.log.finish(result.is_ok());
    (result, recorder.finished, recorder.given_up, summary)
}

/// Nodes of a short search, unless the item is one that fails.
struct Nodes {
    /// Fails always.
    bad: u64,
    /// Fails the first time.
    once: u64,
    failed: AtomicU32,
}

impl Nodes {
    const fn failing(bad: u64, once: u64) -> Self {
        Self {
            bad,
            once,
            failed: AtomicU32::new(0),
        }
    }
}

/// Work without failures.
static SOUND: Nodes = Nodes::failing(u64::MAX, u64::MAX);

impl Work for Nodes {
    type Item = u64;
    type Output = u64;

    fn work(
        &self,
        &item: &u64,
        context: &mut WorkerContext<'_>,
    ) -> Result<Finished<u64>, WorkError> {
        let is_retry = || self.failed.fetch_add(1, Ordering::SeqCst) > 0;
        if item == self.bad || (item == self.once && !is_retry()) {
            return Err(WorkError::Failed(format!("item {item}")));
        }
        let limits = ThinkLimits {
            nodes: Some(item + 1),
            stop: Some(Arc::clone(context.stop)),
            ..ThinkLimits::default()
        };
        let game = Game::new(Position::startpos());
        let thought = context.engine.think(&game, &limits);
        context.check()?;
        Ok(thought?.nodes.into())
    }
}

#[test]
fn failed_items_are_retried_and_given_up_in_the_end() {
    let work = Nodes::failing(3, 5);
    let items = InOrder::new([0, 2, 3, 4, 5, 6, 7].into_iter());
    let nodes = RefCell::new(0);
    let check = |_, output| {
        *nodes.borrow_mut() += output;
        Ok(())
    };
    let observer = |event: &Event<'_, Tests>| match event {
        Event::EngineFailed { reason, .. } => assert!(reason.starts_with("item "), "{reason}"),
        Event::Tick { workers } => {
            let reported: u64 = workers.iter().map(|worker| worker.nodes()).sum();
            assert!(reported >= *nodes.borrow());
        }
        _ => {}
    };
    let control = RunControl::default();
    let (result, finished, given_up, summary) =
        run_it(2, &work, items, &control, &check, &observer);
    result.unwrap();
    assert_eq!(finished, BTreeSet::from([0, 2, 4, 5, 6, 7]));
    assert_eq!((given_up, summary.finished), (vec![3], 6));
    assert!(
        summary.failures >= 4 && nodes.into_inner() > 0,
        "{summary:?}"
    );
}

#[test]
fn a_recorder_that_panics_ends_the_run() {
    let control = RunControl::default();
    let run_it = || {
        let check = |_, _| -> Result<(), FarmError> {
            // By then workers wait for the recorder.
            std::thread::sleep(Duration::from_millis(100));
            panic!("recorded enough")
        };
        run_it(2, &SOUND, InOrder::new(0..), &control, &check, &|_| ())
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run_it));
    let message = panicked.err().unwrap();
    assert_eq!(message.downcast_ref(), Some(&"recorded enough"));
    assert!(control.is_quitting());
}

/// Fails at the first worker that comes, and works at all others.
struct OneIsBad(Mutex<Option<std::thread::ThreadId>>);

impl Work for OneIsBad {
    type Item = u64;
    type Output = ();

    fn work(&self, _: &u64, _: &mut WorkerContext<'_>) -> Result<Finished<()>, WorkError> {
        let here = std::thread::current().id();
        if *self.0.lock().unwrap().get_or_insert(here) == here {
            return Err(WorkError::Failed("as always".to_owned()));
        }
        // Slow enough for the other to fail at one item again and again.
        std::thread::sleep(Duration::from_secs(1));
        Ok(().into())
    }
}

#[test]
fn a_bad_engine_loses_no_item() {
    let work = OneIsBad(Mutex::default());
    let control = RunControl::default();
    let items = InOrder::new(0..3);
    let (result, finished, given_up, summary) =
        run_it(2, &work, items, &control, &|_, ()| Ok(()), &|_| ());
    result.unwrap();
    assert_eq!((finished.len(), given_up), (3, vec![]));
    assert!(summary.failures >= 3, "{summary:?}");
}

/// Notes which items were acknowledged.
struct Noted(InOrder<std::ops::RangeFrom<u64>>, Arc<Mutex<Vec<u64>>>);

impl Backlog for Noted {
    type Item = u64;

    fn next(&mut self) -> Next<u64> {
        self.0.next()
    }

    fn ack(&mut self, item: &u64) {
        self.1.lock().unwrap().push(*item);
        self.0.ack(item);
    }

    fn nack(&mut self, item: &u64) {
        self.0.nack(item);
    }
}

#[test]
fn an_error_of_the_recorder_ends_the_run_and_the_item_is_not_acknowledged() {
    let acknowledged = Arc::default();
    let items = Noted(InOrder::new(0..), Arc::clone(&acknowledged));
    let control = RunControl::default();
    let check = |item, _| match item {
        2 => Err(FarmError::NoEngines("the disk is full".to_owned())),
        _ => Ok(()),
    };
    let (result, ..) = run_it(1, &SOUND, items, &control, &check, &|_| ());
    assert!(result.unwrap_err().to_string().contains("the disk is full"));
    assert!(control.is_quitting());
    assert_eq!(*acknowledged.lock().unwrap(), [0, 1]);
}

#[test]
fn no_worker_gets_far_ahead_of_a_busy_recorder() {
    let control = RunControl::default();
    let recorded = RefCell::new(0);
    let check = |_, _| {
        *recorded.borrow_mut() += 1;
        if *recorded.borrow() == 2 {
            // Long enough to do all of it.
            std::thread::sleep(Duration::from_millis(200));
            control.quit();
        }
        Ok(())
    };
    let (result, finished, ..) = run_it(2, &SOUND, InOrder::new(0..100), &control, &check, &|_| ());
    result.unwrap();
    // Those that waited, and those that were in progress.
    assert!(
        (2..=2 + 2 * 4 + 2).contains(&finished.len()),
        "{finished:?}"
    );
}

#[test]
fn a_run_ends_when_its_control_quits() {
    let control = RunControl::default();
    let other = control.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.quit();
    });
    // An item alone would take days.
    let items = InOrder::new(1 << 40..);
    let (result, finished, ..) = run_it(2, &SOUND, items, &control, &|_, _| Ok(()), &|_| ());
    result.unwrap();
    assert!(finished.is_empty());
}
