//! Searches that panic or fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use farm::{Backoff, RetryPolicy, Stop, WorkError, threads};
use othello_bookwork::{
    BookGrowth, BookGrowthError, BookSearcher, BookStage, BookTask, GrowthLimit, Learn, Result,
    SearchItem,
};
use othello_eval::Weights;
use othello_search::Control;
use test_support::TestFolder;
use yane_io::Job;

use crate::support::{Notes, run, task};

fn stages() -> [BookStage; 1] {
    let limit = |number| GrowthLimit(Some(number));
    [BookStage::Learn(Learn {
        level: "2".parse().unwrap(),
        depth: limit(7),
        error: limit(8),
        sum: limit(16),
        leaf_error: limit(8),
        loops: limit(4),
        ..Learn::default()
    })]
}

/// How a search goes wrong.
#[derive(Clone, Copy)]
enum Wrong {
    Panic,
    Failure,
}

/// Runs a task with two threads that go wrong `times` times at search number `number`, counted from 0.
fn run_wrong(
    task: &BookTask,
    wrong: Wrong,
    number: u32,
    times: u32,
    job: &Job,
) -> Result<BookGrowth> {
    let (seen, left) = (AtomicU32::new(0), AtomicU32::new(times));
    let bad = std::sync::Mutex::new(None);
    let weights = Arc::new(Weights::built_in());
    let make = |_| BookSearcher::new(Arc::clone(&weights));
    let search = |searcher: &mut BookSearcher, item: &SearchItem, _: &Stop| {
        if seen.fetch_add(1, Ordering::Relaxed) == number {
            *bad.lock().unwrap() = Some(*item);
        }
        let is_bad = *bad.lock().unwrap() == Some(*item);
        let take = |left: u32| left.checked_sub(1);
        if is_bad
            && left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_ok()
        {
            match wrong {
                Wrong::Panic => panic!("a fault of the search"),
                Wrong::Failure => return Err(WorkError::Failed("no answer".to_owned())),
            }
        }
        let found = searcher.search(item, &Control::default());
        Ok(found.ok_or(WorkError::Stopped)?.into())
    };
    let retries = RetryPolicy {
        backoff: Backoff::NONE,
        ..RetryPolicy::default()
    };
    task.run(&threads(2, make, search), retries, job)
}

#[test]
fn a_search_that_panics_is_told_and_ends_the_run_at_the_third_time() {
    let folder = TestFolder::new();
    let [whole, again] = ["whole.egbk3", "again.egbk3"].map(|name| folder.path(name));
    let growth = run(&task(None, &whole, &stages()), 2);
    assert!(growth.searches > 60, "{growth:?}");
    let expected = folder.read(&whole);
    let task = task(None, &again, &stages());
    let notes = Arc::new(Notes::default());
    let job = Job {
        progress: notes.clone(),
        ..Job::default()
    };
    for wrong in [Wrong::Panic, Wrong::Failure] {
        run_wrong(&task, wrong, 20, 2, &job).unwrap();
        assert!(folder.read(&again) == expected);
        std::fs::remove_file(&again).unwrap();
    }
    let told = notes.0.lock().unwrap().join("\n");
    assert!(told.contains("panicked: a fault of the search"), "{told}");
    let error = run_wrong(&task, Wrong::Panic, 40, 3, &job).unwrap_err();
    assert!(
        error.to_string().contains("a fault of the search"),
        "{error}"
    );
    // What was done is kept: fewer searches are left.
    assert!(task.is_begun() && task.output.exists());
    let error = run_wrong(&task, Wrong::Failure, 0, u32::MAX, &job).unwrap_err();
    assert!(matches!(error, BookGrowthError::Workers(_)), "{error}");
    let rest = run(&task, 1);
    assert!(rest.nodes < growth.nodes, "{rest:?} of {growth:?}");
    assert!(folder.read(&again) == expected);
    assert_eq!(folder.names(), ["again.egbk3", "whole.egbk3"]);
}
