//! Results in the order of their jobs.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use farm::{
    Backoff, FarmError, Finished, RetryPolicy, RunControl, Stop, WorkError, map_in_order, threads,
};
use thiserror::Error;

#[derive(Debug, Error)]
enum Wrong {
    #[error(transparent)]
    Farm(#[from] FarmError),
    #[error("job {0}")]
    Job(u64),
}

type Output = Result<u64, Wrong>;
type Jobs = dyn Iterator<Item = Result<u64, Wrong>> + Send;

/// What `work` makes of `jobs` by 3 workers: the outcome, the results that were taken, and the notes.
fn map(
    jobs: Box<Jobs>,
    work: impl Fn(u64) -> Result<Finished<Output>, WorkError> + Send + Sync,
    mut take: impl FnMut(u64),
) -> (Result<bool, Wrong>, Vec<u64>, String) {
    let workers = threads(3, |_| (), |(), &job: &u64, _: &Stop| work(job));
    let policy = RetryPolicy {
        backoff: Backoff::NONE,
        ..RetryPolicy::default()
    };
    let control = RunControl::default();
    let mut taken = Vec::new();
    let notes = RefCell::new(String::new());
    let note = |text: &str| *notes.borrow_mut() += text;
    let mapped = map_in_order(&workers, jobs, &control, policy, &note, |output: Output| {
        let output = output?;
        take(output);
        taken.push(output);
        Ok(())
    });
    // The caller's own control is left alone.
    assert!(!control.is_quitting());
    (mapped, taken, notes.into_inner())
}

#[test]
fn results_come_in_order_and_nobody_works_far_ahead() {
    let (begun, taken) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = |job: u64| {
        begun.fetch_add(1, SeqCst);
        if job.is_multiple_of(10) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let ahead = begun.load(SeqCst) - taken.load(SeqCst);
        assert!(ahead <= 3 * 4 + 3, "{ahead}");
        Ok(Ok(job).into())
    };
    let (mapped, results, notes) = map(Box::new((0..200).map(Ok)), work, |_| {
        taken.fetch_add(1, SeqCst);
    });
    assert!(mapped.unwrap());
    assert_eq!(results, (0..200).collect::<Vec<_>>());
    assert_eq!(notes, "");
}

#[test]
fn the_first_error_in_the_order_of_the_jobs_ends_it() {
    let begun = AtomicU64::new(0);
    let work = |job: u64| {
        begun.fetch_add(1, SeqCst);
        if job == 5 {
            // The later failure is ready first.
            std::thread::sleep(Duration::from_millis(20));
        }
        let wrong = [5, 6].contains(&job);
        Ok(if wrong { Err(Wrong::Job(job)) } else { Ok(job) }.into())
    };
    let (mapped, results, _) = map(Box::new((0..1000).map(Ok)), work, |_| ());
    assert_eq!(mapped.unwrap_err().to_string(), "job 5");
    assert_eq!(results, [0, 1, 2, 3, 4]);
    assert!(begun.load(SeqCst) < 100);
}

#[test]
fn an_error_of_a_job_comes_after_the_results_before_it() {
    let jobs = (0..1000).map(|job| {
        if job == 7 {
            Err(Wrong::Job(job))
        } else {
            Ok(job)
        }
    });
    let (mapped, results, _) = map(Box::new(jobs), |job| Ok(Ok(job).into()), |_| ());
    assert_eq!(mapped.unwrap_err().to_string(), "job 7");
    assert_eq!(results, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn failures_and_panics_are_told_and_tried_again() {
    let tries = AtomicU64::new(0);
    let work = |job: u64| {
        if job == 3 {
            match tries.fetch_add(1, SeqCst) {
                0 => return Err(WorkError::Failed("gone".to_owned())),
                1 => panic!("at three"),
                _ => {}
            }
        }
        Ok(Ok(job).into())
    };
    let (mapped, results, notes) = map(Box::new((0..20).map(Ok)), work, |_| ());
    assert!(mapped.unwrap());
    assert_eq!(results, (0..20).collect::<Vec<_>>());
    for words in ["gone; starting it again", "panicked: at three"] {
        assert!(notes.contains(words), "{notes}");
    }
}

#[test]
fn a_job_without_a_result_ends_it() {
    let failing = |job: u64| match job {
        3 => Err(WorkError::Failed("gone".to_owned())),
        _ => Ok(Ok(job).into()),
    };
    let panicking = |job: u64| {
        assert!(job != 3, "at three");
        Ok(Ok(job).into())
    };
    let (failed, results, _) = map(Box::new((0..20).map(Ok)), failing, |_| ());
    assert_eq!(results, [0, 1, 2]);
    let failed = failed.unwrap_err().to_string();
    assert_eq!(failed, "a job failed at every try: gone");
    let (panicked, results, _) = map(Box::new((0..20).map(Ok)), panicking, |_| ());
    assert_eq!(results, [0, 1, 2]);
    let panicked = panicked.unwrap_err().to_string();
    assert!(panicked.ends_with("panicked: at three"), "{panicked}");
}

#[test]
fn jobs_that_panic_end_it() {
    let jobs = (0..20).map(|job| {
        assert!(job < 9, "no such job");
        Ok(job)
    });
    let (mapped, ..) = map(Box::new(jobs), |job| Ok(Ok(job).into()), |_| ());
    let error = mapped.unwrap_err().to_string();
    assert!(error.ends_with("panicked: no such job"), "{error}");
}

#[test]
#[should_panic(expected = "enough")]
fn a_panic_of_who_takes_results_leaves_no_worker_waiting() {
    let work = |job| Ok(Ok(job).into());
    let _ = map(Box::new((0..1000).map(Ok)), work, |job| {
        assert!(job < 3, "enough");
    });
}

#[test]
fn a_control_that_quits_leaves_the_rest() {
    let control = RunControl::default();
    let workers = threads(2, |_| (), |(), &job: &u64, _: &Stop| Ok(job.into()));
    let mut taken = 0;
    let jobs = (0..).map(Ok);
    let policy = RetryPolicy::default();
    let mapped = map_in_order(&workers, jobs, &control, policy, &|_| (), |_| {
        taken += 1;
        if taken == 50 {
            control.quit();
        }
        Ok::<_, FarmError>(())
    });
    assert!(!mapped.unwrap());
    assert!(taken >= 50);
}
