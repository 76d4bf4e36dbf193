//! Searches that panic or fail.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use farm::{Backoff, RetryPolicy, Stop, WorkError, threads};
use othello_bookwork::{
    BookGrowth, BookGrowthError, BookSearcher, BookStage, BookTask, GrowthLimit, Learn,
    NumberedEnd, Result, SearchItem, end_threads, search_ends,
};
use othello_core::Board;
use othello_eval::Weights;
use othello_search::{Control, PlayLevel};
use test_support::{Faults, TestFolder};
use yane_io::{Flush, Job, Journal, RunIdentity};

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
    let (seen, faults) = (AtomicU32::new(0), Faults::new(times));
    let bad = std::sync::Mutex::new(None);
    let weights = Arc::new(Weights::built_in());
    let make = |_| BookSearcher::new(Arc::clone(&weights));
    let search = |searcher: &mut BookSearcher, item: &SearchItem, _: &Stop| {
        if seen.fetch_add(1, Ordering::Relaxed) == number {
            *bad.lock().unwrap() = Some(*item);
        }
        let is_bad = *bad.lock().unwrap() == Some(*item);
        if is_bad && faults.come() {
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

/// Boards after random moves.
fn ends() -> Vec<Board> {
    let mut random = yane_base::random::SplitMix64::new(3);
    let mut board = Board::START;
    let mut boards = Vec::new();
    for _ in 0..20 {
        let moves: Vec<_> = board.legal_moves().iter().collect();
        let Some(&square) = moves.get(random.index(moves.len().max(1))) else {
            break;
        };
        board = board.play_unchecked(square);
        boards.push(board);
    }
    boards
}

fn journal(path: &Path) -> Journal {
    let identity = RunIdentity::new("ends");
    let journal = Journal::open(path, &identity, Flush::Always).unwrap();
    journal.tell(|note| panic!("{note}"))
}

#[test]
fn ends_have_the_same_values_whoever_searches_and_whatever_panics() {
    let folder = TestFolder::new();
    let weights = Arc::new(Weights::built_in());
    let ends = ends();
    assert!(ends.len() > 15);
    let searchers = |count| end_threads(count, 1 << 20, PlayLevel::Egaroucid(4), &weights);
    let job = Job::default();
    let [one, three, torn] = ["one", "three", "torn"].map(|name| folder.path(name));
    let values = search_ends(&searchers(1), &ends, &mut journal(&one), &job).unwrap();
    assert!(values.iter().any(|&value| value != values[0]));
    let again = search_ends(&searchers(3), &ends, &mut journal(&three), &job).unwrap();
    assert_eq!(again, values);
    assert!(folder.read(&one) == folder.read(&three));
    // The same values by threads of which one goes wrong at the fifth end.
    let with_panics = |times: u32| {
        let faults = Faults::new(times);
        let (notes, values, ends) = (Arc::new(Notes::default()), &values, &ends);
        let work = |(): &mut (), &(number, _): &NumberedEnd, _: &Stop| {
            assert!(number != 5 || !faults.come(), "a fault of the search");
            Ok((number, values[number as usize]).into())
        };
        let job = Job {
            progress: notes.clone(),
            ..Job::default()
        };
        let workers = threads(2, |_| (), work);
        let found = search_ends(&workers, ends, &mut journal(&torn), &job);
        let told = notes.0.lock().unwrap().join("\n");
        assert!(told.contains("panicked: a fault of the search"), "{told}");
        found
    };
    let error = with_panics(3).unwrap_err();
    assert!(matches!(error, BookGrowthError::Farm(_)), "{error}");
    // What was searched is kept.
    let kept = journal(&torn);
    assert!(kept.contains(0) && kept.contains(4) && !kept.contains(5));
    drop(kept);
    assert_eq!(with_panics(2).unwrap(), values);
    assert!(folder.read(&torn) == folder.read(&one));
}

#[test]
fn searches_of_ends_that_are_cancelled_go_on() {
    let folder = TestFolder::new();
    let path = folder.path("ends");
    let (ends, weights) = (ends(), Arc::new(Weights::built_in()));
    let searchers = end_threads(1, 1 << 20, PlayLevel::Egaroucid(2), &weights);
    let monitor = yane_io::job::JobMonitor::default();
    monitor.stop();
    let error = search_ends(&searchers, &ends, &mut journal(&path), &monitor.job()).unwrap_err();
    let is_cancelled = matches!(error, BookGrowthError::File(yane_io::Error::Cancelled));
    assert!(is_cancelled, "{error}");
    let values = search_ends(&searchers, &ends, &mut journal(&path), &Job::default());
    assert_eq!(values.unwrap().len(), ends.len());
}
