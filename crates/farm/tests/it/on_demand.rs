//! Work that threads ask for.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use farm::{Backoff, FarmError, Finished, OnDemand, RetryPolicy, Stop, WorkError, threads};

/// Three workers that do `work`, and their notes.
fn asked(
    work: impl Fn(u64) -> Result<Finished<u64>, WorkError> + Send + Sync + 'static,
) -> (OnDemand<u64, u64>, Arc<Mutex<String>>) {
    let workers = threads(3, |_| (), move |(), &item: &u64, _: &Stop| work(item));
    let policy = RetryPolicy {
        backoff: Backoff::NONE,
        ..RetryPolicy::default()
    };
    let notes = Arc::new(Mutex::new(String::new()));
    let own = Arc::clone(&notes);
    let note = move |text: &str| *own.lock().unwrap() += text;
    (OnDemand::start(workers, policy, note).unwrap(), notes)
}

#[test]
fn everybody_gets_the_answer_to_his_own_question() {
    let (squares, notes) = asked(|item| Ok((item * item).into()));
    std::thread::scope(|scope| {
        for first in 0..8 {
            let squares = &squares;
            scope.spawn(move || {
                for item in (first * 1000..).take(200) {
                    assert_eq!(squares.ask(item).unwrap(), item * item);
                }
            });
        }
    });
    drop(squares);
    assert_eq!(*notes.lock().unwrap(), "");
}

#[test]
fn an_item_that_fails_or_panics_is_handed_out_again() {
    let tries = AtomicU64::new(0);
    let (squares, notes) = asked(move |item| {
        match tries.fetch_add(1, SeqCst) {
            0 => return Err(WorkError::Failed("gone".to_owned())),
            1 => panic!("at the item"),
            _ => {}
        }
        Ok((item * item).into())
    });
    assert_eq!(squares.ask(5).unwrap(), 25);
    let notes = notes.lock().unwrap();
    for words in ["gone; starting it again", "panicked: at the item"] {
        assert!(notes.contains(words), "{notes}");
    }
}

#[test]
fn an_item_without_an_output_is_given_up_and_others_have_theirs() {
    let (squares, _) = asked(|item| match item {
        3 => Err(WorkError::Failed("gone".to_owned())),
        _ => Ok((item * item).into()),
    });
    let error = squares.ask(3).unwrap_err().to_string();
    assert_eq!(error, "a job failed at every try: gone");
    assert_eq!(squares.ask(4).unwrap(), 16);
}

#[test]
fn the_third_panic_at_an_item_ends_it_for_all() {
    let (squares, _) = asked(|item| {
        assert!(item != 3, "at three");
        Ok((item * item).into())
    });
    assert_eq!(squares.ask(2).unwrap(), 4);
    for item in [3, 2] {
        let error = squares.ask(item).unwrap_err();
        assert!(matches!(error, FarmError::Ended(Some(_))), "{error}");
        let error = error.to_string();
        assert!(error.ends_with("panicked: at three"), "{error}");
    }
}
