//! A table of workers that do what no worker should: the run goes on, or ends with what was done and an error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use farm::{Finished, InOrder, RetryPolicy, RunControl, Stop, WorkError, Worker, Workers};

use crate::util::{Ran, policy, run_it};

/// The number of items of a run.
const ITEMS: u64 = 8;

/// What is done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// An error, always.
    Fails,
    /// An error the first time.
    FailsOnce,
    /// A panic, always.
    Panics,
    /// A panic the first time.
    PanicsOnce,
    /// A panic the first two times.
    PanicsTwice,
    /// The first time, an answer only after the time limit.
    HangsOnce,
    /// An output with a protocol violation.
    Violates,
    /// The work is refused for good.
    Refuses,
    /// The first time, the worker says that the run ends, which is not so.
    StopsOnce,
}

/// What worker 0 does wherever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// Nothing special.
    None,
    /// It cannot be started.
    NoStart,
    /// Its start panics.
    StartPanics,
    /// It fails at every item.
    Fails,
    /// It violates the protocol at every item.
    Violates,
    /// Its end panics.
    EndPanics,
}

struct Hostile {
    workers: usize,
    deeds: BTreeMap<u64, Deed>,
    habit: Habit,
    /// Tries of items.
    tries: Mutex<BTreeMap<u64, u32>>,
}

impl Hostile {
    fn has_habit(&self, number: usize, habit: Habit) -> bool {
        number == 0 && self.habit == habit
    }
}

impl<'a> Workers for &'a Hostile {
    type Worker = HostileWorker<'a>;

    fn count(&self) -> usize {
        self.workers
    }

    fn name(&self, number: usize) -> &str {
        if number == 0 { "zero" } else { "other" }
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        assert!(!self.has_habit(number, Habit::StartPanics), "no start");
        if self.has_habit(number, Habit::NoStart) {
            return Err(WorkError::Failed("no program".to_owned()));
        }
        let hostile = *self;
        Ok(HostileWorker { number, hostile })
    }
}

struct HostileWorker<'a> {
    number: usize,
    hostile: &'a Hostile,
}

impl Worker for HostileWorker<'_> {
    type Item = u64;
    type Output = u64;

    fn work(&mut self, &item: &u64, stop: &Stop) -> Result<Finished<u64>, WorkError> {
        let (number, hostile) = (self.number, self.hostile);
        let tried = {
            let mut tries = hostile.tries.lock().unwrap();
            let tries = tries.entry(item).or_default();
            *tries += 1;
            *tries
        };
        if hostile.has_habit(number, Habit::Fails) {
            return Err(WorkError::Failed("as always".to_owned()));
        }
        let violation = Some("nonsense".to_owned());
        let violates = hostile.has_habit(number, Habit::Violates);
        match hostile.deeds.get(&item) {
            Some(Deed::Fails) => return Err(WorkError::Failed(format!("item {item}"))),
            Some(Deed::FailsOnce) if tried == 1 => {
                return Err(WorkError::Failed(format!("item {item}")));
            }
            Some(Deed::Panics) => panic!("at {item}"),
            Some(Deed::PanicsOnce) if tried == 1 => panic!("at {item}"),
            Some(Deed::PanicsTwice) if tried <= 2 => panic!("at {item}"),
            Some(Deed::HangsOnce) if tried == 1 => stop.timed(|| {
                while !stop.is_set() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }),
            Some(Deed::Refuses) => return Err(WorkError::Refused("never".to_owned())),
            Some(Deed::StopsOnce) if tried == 1 => return Err(WorkError::Stopped),
            Some(Deed::Violates) => {
                return Ok(Finished {
                    output: item,
                    violation,
                });
            }
            _ => {}
        }
        stop.check()?;
        Ok(Finished {
            output: item,
            violation: violation.filter(|_| violates),
        })
    }
}

impl Drop for HostileWorker<'_> {
    fn drop(&mut self) {
        let panics = self.hostile.has_habit(self.number, Habit::EndPanics);
        assert!(!panics, "at the end");
    }
}

/// A run, and what comes of it.
struct Row {
    name: &'static str,
    deeds: &'static [(u64, Deed)],
    habit: Habit,
    /// Items without output, of which none is lost without an error.
    missing: &'static [u64],
    /// Those among them that the worker may do before the run has heard of its panics.
    ahead: &'static [u64],
    /// Those among them that were given up.
    given_up: &'static [u64],
    /// Failures that were told.
    failures: u64,
    /// Words of the error that ends the run.
    error: Option<&'static str>,
}

impl Row {
    const fn new(name: &'static str, deeds: &'static [(u64, Deed)], failures: u64) -> Self {
        Self {
            name,
            deeds,
            habit: Habit::None,
            missing: &[],
            ahead: &[],
            given_up: &[],
            failures,
            error: None,
        }
    }

    /// A worker with a habit.
    const fn with(name: &'static str, habit: Habit, failures: u64, error: &'static str) -> Self {
        Self {
            habit,
            error: Some(error),
            ..Self::new(name, &[], failures)
        }
    }
}

const ALL: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7];

const ROWS: &[Row] = &[
    Row::new("one failure", &[(2, Deed::FailsOnce)], 1),
    Row::new(
        // However late the failed ones are handed out again, no more than three fail in a row.
        "failures apart from each other close nobody",
        &[
            (0, Deed::FailsOnce),
            (1, Deed::FailsOnce),
            (2, Deed::FailsOnce),
            (4, Deed::FailsOnce),
            (5, Deed::FailsOnce),
            (6, Deed::FailsOnce),
        ],
        6,
    ),
    Row {
        missing: &[3],
        given_up: &[3],
        ..Row::new("a bad item is given up", &[(3, Deed::Fails)], 3)
    },
    Row::new("one panic", &[(4, Deed::PanicsOnce)], 1),
    Row::new(
        "two panics at one item, and one at another",
        &[(4, Deed::PanicsTwice), (5, Deed::PanicsOnce)],
        3,
    ),
    Row {
        missing: &[5, 6, 7],
        ahead: &[6, 7],
        error: Some("zero panicked: at 5"),
        ..Row::new("the third panic at an item", &[(5, Deed::Panics)], 3)
    },
    Row::new("no answer in time", &[(1, Deed::HangsOnce)], 1),
    Row::new("a worker that stops by itself", &[(6, Deed::StopsOnce)], 1),
    Row::new(
        "violations are part of the output",
        &[(1, Deed::Violates), (4, Deed::Violates)],
        2,
    ),
    Row {
        missing: &[6, 7],
        error: Some("no worker is left: protocol violation: nonsense"),
        ..Row::new(
            "three violations in a row",
            &[
                (3, Deed::Violates),
                (4, Deed::Violates),
                (5, Deed::Violates),
            ],
            3,
        )
    },
    Row {
        missing: &[3, 4, 5, 6, 7],
        error: Some("never"),
        ..Row::new("a refusal ends the run", &[(3, Deed::Refuses)], 0)
    },
    Row {
        missing: ALL,
        ..Row::with(
            "nobody can be started",
            Habit::NoStart,
            6,
            "no worker is left: no program",
        )
    },
    Row {
        missing: ALL,
        ..Row::with(
            "every start panics",
            Habit::StartPanics,
            6,
            "no worker is left: no start",
        )
    },
    Row::with(
        "an end that panics",
        Habit::EndPanics,
        0,
        "zero panicked: at the end",
    ),
    Row {
        missing: &[2, 3, 4, 5, 6, 7],
        habit: Habit::EndPanics,
        error: Some("no worker is left: at the end"),
        ..Row::new("a failure and an end that panics", &[(2, Deed::Fails)], 1)
    },
];

fn run_row(row: &Row, workers: usize) -> Ran {
    let hostile = Hostile {
        workers,
        deeds: row.deeds.iter().copied().collect(),
        habit: row.habit,
        tries: Mutex::default(),
    };
    let policy = RetryPolicy {
        time_limit: Duration::from_millis(20),
        ..policy()
    };
    let check = |item, output| {
        assert_eq!(item, output);
        Ok(())
    };
    let (items, control) = (InOrder::new(0..ITEMS), RunControl::default());
    run_it(&&hostile, items, &control, policy, &check, &|_| ())
}

#[test]
fn one_hostile_worker() {
    for row in ROWS {
        let ran = run_row(row, 1);
        let name = row.name;
        let expected = (0..ITEMS).filter(|item| !row.missing.contains(item));
        let finished = ran.finished.iter().copied();
        let finished: BTreeSet<_> = finished.filter(|item| !row.ahead.contains(item)).collect();
        assert_eq!(finished, expected.collect::<BTreeSet<_>>(), "{name}");
        assert_eq!(ran.given_up, row.given_up, "{name}");
        assert_eq!(ran.summary.failures, row.failures, "{name}");
        match (row.error, ran.result) {
            (None, result) => result.unwrap(),
            (Some(words), result) => {
                let error = result.expect_err(name).to_string();
                assert!(error.contains(words), "{name}: {error}");
            }
        }
    }
}

#[test]
fn several_hostile_workers() {
    for row in ROWS.iter().filter(|row| row.error.is_none()) {
        let ran = run_row(row, 3);
        let name = row.name;
        ran.result.expect(name);
        let expected = (0..ITEMS).filter(|item| !row.missing.contains(item));
        assert_eq!(ran.finished, expected.collect::<BTreeSet<_>>(), "{name}");
        assert_eq!(ran.given_up, row.given_up, "{name}");
    }
}

#[test]
fn one_hostile_worker_among_others_loses_nothing() {
    for habit in [
        Habit::NoStart,
        Habit::StartPanics,
        Habit::Fails,
        Habit::Violates,
    ] {
        let row = Row {
            habit,
            ..Row::new("among others", &[], 0)
        };
        let ran = run_row(&row, 3);
        ran.result.unwrap();
        assert_eq!(ran.finished.len() as u64, ITEMS, "{habit:?}");
        assert!(ran.given_up.is_empty(), "{habit:?}");
    }
}

#[test]
fn a_source_that_panics_ends_the_run() {
    let items = (0..).inspect(|&item| assert!(item < 3, "no more"));
    let hostile = Hostile {
        workers: 2,
        deeds: BTreeMap::new(),
        habit: Habit::None,
        tries: Mutex::default(),
    };
    let control = RunControl::default();
    let items = InOrder::new(items);
    let ran = run_it(
        &&hostile,
        items,
        &control,
        policy(),
        &|_, _| Ok(()),
        &|_| (),
    );
    let error = ran.result.unwrap_err().to_string();
    assert!(error.contains("panicked: no more"), "{error}");
    assert!(ran.finished.iter().all(|&item| item < 3));
}
