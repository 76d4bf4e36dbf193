//! Bounds, pauses and ends of runs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use farm::{
    Backlog, Both, Event, FarmError, InOrder, Next, RetryPolicy, RunControl, Stop, WorkError,
    Workers, threads,
};
use yane_io::job::{JobMonitor, JobState};

use crate::util::{policy, run_it};

/// Workers that return each item.
fn sound(count: usize) -> impl Workers<Worker: farm::Worker<Item = u64, Output = u64>> {
    threads(count, |_| (), |(), &item: &u64, _: &Stop| Ok(item.into()))
}

#[test]
fn a_recorder_that_panics_ends_the_run() {
    let control = RunControl::default();
    let run = || {
        let check = |_, _| -> Result<(), FarmError> { panic!("recorded enough") };
        let items = InOrder::new(0..);
        run_it(&sound(2), items, &control, policy(), &check, &|_| ())
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    let message = panicked.err().unwrap();
    assert_eq!(message.downcast_ref(), Some(&"recorded enough"));
    assert!(control.is_quitting());
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
        2 => Err(FarmError::NoWorkers("the disk is full".to_owned())),
        _ => Ok(()),
    };
    let ran = run_it(&sound(1), items, &control, policy(), &check, &|_| ());
    let error = ran.result.unwrap_err().to_string();
    assert!(error.contains("the disk is full"), "{error}");
    assert!(control.is_quitting());
    assert_eq!(*acknowledged.lock().unwrap(), [0, 1]);
}

#[test]
fn no_worker_gets_far_ahead_of_a_busy_recorder() {
    let control = RunControl::default();
    let begun = AtomicU64::new(0);
    let workers = threads(
        2,
        |_| (),
        |(), &item: &u64, _: &Stop| {
            begun.fetch_add(1, Ordering::SeqCst);
            Ok(item.into())
        },
    );
    let recorded = Cell::new(0);
    let check = |_, _| {
        recorded.set(recorded.get() + 1);
        if recorded.get() == 2 {
            // Until nobody begins anything any more: there are items without end.
            let mut before = u64::MAX;
            while before != begun.load(Ordering::SeqCst) {
                before = begun.load(Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(20));
            }
            // Those that wait, two recorded ones, and one at each worker.
            assert!(before <= 2 * 4 + 2 + 2, "{before}");
            control.quit();
        }
        Ok(())
    };
    let items = InOrder::new(0..);
    let ran = run_it(&workers, items, &control, policy(), &check, &|_| ());
    ran.result.unwrap();
    // What was finished when the run ended is recorded.
    assert!((2..=12).contains(&ran.finished.len()), "{:?}", ran.finished);
}

/// Workers that search each item until they are stopped.
fn endless(count: usize) -> impl Workers<Worker: farm::Worker<Item = u64, Output = ()>> {
    threads(
        count,
        |_| (),
        |(), _: &u64, stop: &Stop| {
            stop.timed(|| {
                while !stop.is_set() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            stop.check()?;
            Ok(().into())
        },
    )
}

#[test]
fn a_run_ends_when_its_control_quits() {
    let control = RunControl::default();
    let ticks = Cell::new(0);
    let observer = |event: &Event<'_, _>| {
        if let Event::Tick { workers } = event {
            ticks.set(ticks.get() + 1);
            if workers.iter().all(|worker| worker.thinking().is_some()) {
                control.quit();
            }
        }
    };
    let items = InOrder::new(0..);
    let ran = run_it(
        &endless(2),
        items,
        &control,
        policy(),
        &|_, ()| Ok(()),
        &observer,
    );
    ran.result.unwrap();
    assert!(ran.finished.is_empty() && ticks.get() > 0);
    assert_eq!(ran.summary.failures, 0);
}

#[test]
fn items_that_always_take_too_long_are_given_up() {
    let control = RunControl::default();
    let policy = RetryPolicy {
        time_limit: Duration::from_millis(10),
        tries: 2,
        ..policy()
    };
    let reasons = RefCell::new(BTreeSet::new());
    let observer = |event: &Event<'_, _>| {
        if let Event::WorkerFailed { reason, .. } = event {
            reasons.borrow_mut().insert((*reason).to_owned());
        }
    };
    let items = InOrder::new(0..2);
    let ran = run_it(
        &endless(1),
        items,
        &control,
        policy,
        &|_, ()| Ok(()),
        &observer,
    );
    ran.result.unwrap();
    // Which of them is out of tries first depends on who is given out again first.
    let mut given_up = ran.given_up;
    given_up.sort_unstable();
    assert_eq!(given_up, [0, 1]);
    assert_eq!(
        reasons.into_inner(),
        BTreeSet::from(["no answer in time".to_owned()])
    );
}

#[test]
fn nothing_is_searched_while_a_run_is_paused() {
    let control = RunControl::default();
    control.pause();
    let begun = AtomicU64::new(0);
    let workers = threads(
        2,
        |_| (),
        |(), _: &u64, stop: &Stop| {
            stop.timed(|| begun.fetch_add(1, Ordering::SeqCst));
            stop.add_nodes(10);
            stop.check()?;
            Ok(().into())
        },
    );
    let (ticks, nodes) = (Cell::new(0), Cell::new(0));
    let observer = |event: &Event<'_, _>| {
        if let Event::Tick { workers } = event {
            nodes.set(workers.iter().map(|worker| worker.nodes()).sum::<u64>());
            ticks.set(ticks.get() + 1);
            if ticks.get() == 2 {
                assert_eq!(begun.load(Ordering::SeqCst), 0);
                control.go_on();
            }
        }
    };
    let items = InOrder::new(0..5);
    let ran = run_it(
        &workers,
        items,
        &control,
        policy(),
        &|_, ()| Ok(()),
        &observer,
    );
    ran.result.unwrap();
    assert_eq!((ran.finished.len(), nodes.get()), (5, 50));
}

#[test]
fn a_run_is_paused_when_nobody_has_an_item() {
    let monitor = JobMonitor::default();
    monitor.begin();
    let control = RunControl::of_job(&monitor.job());
    let (monitor, state) = (&monitor, || monitor.status().state);
    let is_asked = AtomicBool::new(false);
    let workers = threads(
        2,
        |_| (),
        |(), &item: &u64, stop: &Stop| {
            // A search in progress finishes first.
            stop.timed(|| {
                if item == 0 {
                    monitor.pause();
                    assert_eq!(state(), JobState::Pausing);
                    is_asked.store(true, Ordering::Release);
                }
                while !is_asked.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
            });
            Ok(().into())
        },
    );
    let paused = Cell::new(0);
    let observer = |event: &Event<'_, _>| {
        if matches!(event, Event::Tick { .. }) && state() == JobState::Paused {
            paused.set(paused.get() + 1);
            match paused.get() {
                1 => {}
                2 => monitor.go_on(),
                _ => monitor.stop(),
            }
        }
    };
    let run = |items| {
        let items = InOrder::new(items);
        let check = |_, ()| Ok(());
        run_it(&workers, items, &control, policy(), &check, &observer)
    };
    let ran = run(0..100);
    ran.result.unwrap();
    assert_eq!(ran.finished.len(), 100);
    assert_eq!((paused.get(), state()), (2, JobState::Running));
    monitor.pause();
    let ran = run(1..100);
    ran.result.unwrap();
    assert_eq!((ran.finished.len(), control.is_quitting()), (0, true));
}

#[test]
fn two_kinds_of_workers_share_the_items() {
    let even = threads(
        1,
        |_| (),
        |(), &item: &u64, _: &Stop| {
            if item % 2 == 0 {
                Ok(item.into())
            } else {
                Err(WorkError::Failed("odd".to_owned()))
            }
        },
    );
    let odd = threads(
        2,
        |number| number,
        |number, &item: &u64, _: &Stop| {
            assert!(*number < 2);
            Ok(item.into())
        },
    );
    let both = Both(even.named("even"), odd.named("odd"));
    let names: Vec<&str> = (0..both.count()).map(|number| both.name(number)).collect();
    assert_eq!(names, ["even 0", "odd 0", "odd 1"]);
    let control = RunControl::default();
    let items = InOrder::new(0..20);
    let observer = |event: &Event<'_, _>| {
        if let Event::WorkerFailed { worker, name, .. } = event {
            assert_eq!((*worker, *name), (0, "even 0"));
        }
    };
    let ran = run_it(&both, items, &control, policy(), &|_, _| Ok(()), &observer);
    ran.result.unwrap();
    assert_eq!((ran.finished.len(), ran.given_up), (20, vec![]));
}
