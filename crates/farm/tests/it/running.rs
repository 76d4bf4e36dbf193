//! Runs with work that fails.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use farm::{
    Control, Desk, Engine, Event, FarmError, Finished, Players, Rules, Source, Unfinished, Units,
    Work, run,
};
use shogi_core::{Game, Position};
use shogi_engine::ThinkLimits;

fn players(seats: usize) -> Players {
    let engine = Engine {
        multi: seats,
        ..Engine::embedded()
    };
    Players::new(&[engine], &[], &[]).unwrap()
}

/// Visits of a short search, unless the unit is one that fails.
struct Visits {
    /// Fails always.
    bad: u64,
    /// Fails the first time.
    once: u64,
    failed: AtomicU32,
}

impl Visits {
    const fn without_failures() -> Self {
        Self {
            bad: u64::MAX,
            once: u64::MAX,
            failed: AtomicU32::new(0),
        }
    }
}

impl Work for Visits {
    type Unit = u64;
    type Done = u64;

    fn work(&self, &unit: &u64, desk: &mut Desk<'_>) -> Result<Finished<u64>, Unfinished> {
        let again = || self.failed.fetch_add(1, Ordering::SeqCst) > 0;
        if unit == self.bad || (unit == self.once && !again()) {
            return Err(Unfinished::Failed(format!("unit {unit}")));
        }
        let limits = ThinkLimits {
            nodes: Some(unit + 1),
            stop: Some(Arc::clone(desk.stop)),
            ..ThinkLimits::default()
        };
        let game = Game::new(Position::startpos());
        let thought = desk.thinker.think(&game, &limits);
        desk.check()?;
        Ok(Finished::good(thought?.nodes))
    }
}

#[test]
fn what_fails_is_done_again_and_given_up_in_the_end() {
    let work = Visits {
        bad: 3,
        once: 5,
        failed: AtomicU32::new(0),
    };
    let units = Units::new(0, Some(8), [1].into_iter());
    let (mut done, mut given_up, mut failures) = (BTreeSet::new(), Vec::new(), 0);
    let mut nodes = 0;
    let hear = |event: Event<'_, u64, u64>| {
        match event {
            Event::Done {
                unit, done: visits, ..
            } => {
                assert!(done.insert(*unit));
                nodes += visits;
            }
            Event::GivenUp { unit } => given_up.push(*unit),
            Event::Failed { unit, reason, .. } => {
                assert_eq!(format!("unit {}", unit.unwrap()), reason);
                failures += 1;
            }
            Event::Tick { seats } => {
                let told: u64 = seats.iter().map(|seat| seat.nodes()).sum();
                assert!(told >= nodes);
            }
            _ => {}
        }
        Ok::<(), FarmError>(())
    };
    let (control, rules) = (Control::default(), Rules::default());
    run(&players(2), &work, &units, &control, rules, hear).unwrap();
    assert_eq!(done, BTreeSet::from([0, 2, 4, 5, 6, 7]));
    assert_eq!(given_up, [3]);
    assert!(failures >= 4 && nodes > 0, "{failures}");
}

#[test]
fn a_listener_that_panics_ends_the_run() {
    let units = Units::new(0, Some(u64::MAX), [1].into_iter());
    let control = Control::default();
    let run_it = || {
        let hear = |event: Event<'_, u64, u64>| -> Result<(), FarmError> {
            match event {
                Event::Done { .. } => {
                    // By then seats wait to be heard.
                    std::thread::sleep(Duration::from_millis(100));
                    panic!("heard enough")
                }
                _ => Ok(()),
            }
        };
        let work = Visits::without_failures();
        run(&players(2), &work, &units, &control, Rules::default(), hear)
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run_it));
    let said = panicked.unwrap_err();
    assert_eq!(said.downcast_ref(), Some(&"heard enough"));
    assert!(control.is_quitting());
}

/// Fails at the first seat that comes, and works at all others.
struct OneIsBad(Mutex<Option<std::thread::ThreadId>>);

impl Work for OneIsBad {
    type Unit = u64;
    type Done = ();

    fn work(&self, _: &u64, _: &mut Desk<'_>) -> Result<Finished<()>, Unfinished> {
        let here = std::thread::current().id();
        if *self.0.lock().unwrap().get_or_insert(here) == here {
            return Err(Unfinished::Failed("as always".to_owned()));
        }
        // Slow enough for the other to fail at one unit again and again.
        std::thread::sleep(Duration::from_secs(1));
        Ok(Finished::good(()))
    }
}

#[test]
fn a_bad_engine_spoils_no_unit() {
    let work = OneIsBad(Mutex::default());
    let units = Units::new(0, Some(3), [].into_iter());
    let (mut done, mut failures) = (0, 0);
    let hear = |event: Event<'_, u64, ()>| {
        match event {
            Event::Done { .. } => done += 1,
            Event::Failed { .. } => failures += 1,
            Event::GivenUp { unit } => panic!("unit {unit}"),
            _ => {}
        }
        Ok::<(), FarmError>(())
    };
    let (control, rules) = (Control::default(), Rules::default());
    run(&players(2), &work, &units, &control, rules, hear).unwrap();
    assert_eq!(done, 3);
    assert!(failures >= 3, "{failures}");
}

/// Says which units were done.
struct Told(Units, Mutex<Vec<u64>>);

impl Source for Told {
    type Unit = u64;

    fn next(&self, quits: &dyn Fn() -> bool) -> Option<u64> {
        self.0.next(quits)
    }

    fn done(&self, unit: &u64) {
        self.1.lock().unwrap().push(*unit);
        self.0.done(unit);
    }

    fn again(&self, unit: &u64) {
        self.0.again(unit);
    }
}

#[test]
fn what_cannot_be_kept_ends_the_run_and_is_not_done() {
    let work = Visits::without_failures();
    let source = Told(Units::new(0, None, [].into_iter()), Mutex::default());
    let (control, rules) = (Control::default(), Rules::default());
    let hear = |event: Event<'_, u64, u64>| {
        if matches!(event, Event::Done { unit: 2, .. }) {
            return Err(FarmError::NoEngines("the disk is full".to_owned()));
        }
        Ok(())
    };
    let result = run(&players(1), &work, &source, &control, rules, hear);
    assert!(result.unwrap_err().to_string().contains("the disk is full"));
    assert!(control.is_quitting());
    assert_eq!(*source.1.lock().unwrap(), [0, 1]);
}

#[test]
fn nobody_gets_far_ahead_of_a_busy_listener() {
    let work = Visits::without_failures();
    let (control, rules) = (Control::default(), Rules::default());
    let units = Units::new(0, Some(100), [].into_iter());
    let mut heard = 0;
    let hear = |event: Event<'_, u64, u64>| {
        if let Event::Done { .. } = event {
            heard += 1;
            if heard == 2 {
                // Long enough to do all of it.
                std::thread::sleep(Duration::from_millis(200));
                control.quit();
            }
        }
        Ok::<(), FarmError>(())
    };
    run(&players(2), &work, &units, &control, rules, hear).unwrap();
    // Those that waited, and those that seats had in their hands.
    assert!((2..=2 + 2 * 4 + 2).contains(&heard), "{heard}");
}

#[test]
fn a_run_ends_when_it_is_told_to() {
    let work = Visits::without_failures();
    let (control, rules) = (Control::default(), Rules::default());
    // A unit alone would take days.
    let units = Units::new(1 << 40, None, [].into_iter());
    let other = control.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.quit();
    });
    let hear = |event: Event<'_, u64, u64>| {
        assert!(!matches!(event, Event::Done { .. }));
        Ok::<(), FarmError>(())
    };
    run(&players(2), &work, &units, &control, rules, hear).unwrap();
}
