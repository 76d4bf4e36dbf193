//! Units of work on all threads, which a journal keeps.

use farm::{RetryPolicy, Worker, Workers, map_job_in_order};
use yane_io::{Job, Journal};

use crate::error::OthelloLearnError;

/// Has `units` done by `workers`, whose outputs are the numbers of units with their bytes, and puts the bytes into `journal` in the order of the units;
/// `on_done` is called with each. Failures of workers are remarks of the job.
///
/// # Errors
/// A journal that cannot be written; a unit at which the work panics again and again; cancellation. What was finished by then is
/// in the journal.
pub(crate) fn do_units<W>(
    workers: &W,
    units: Vec<u64>,
    job: &Job,
    journal: &mut Journal,
    on_done: impl Fn(u64),
) -> Result<(), OthelloLearnError>
where
    W: Workers<Worker: Worker<Item = u64, Output = (u64, Vec<u8>)>>,
{
    let put = |(unit, bytes): (u64, Vec<u8>)| -> Result<(), OthelloLearnError> {
        journal.put(unit, &bytes)?;
        on_done(unit);
        Ok(())
    };
    let units = units.into_iter().map(Ok);
    let done = map_job_in_order(workers, units, job, RetryPolicy::default(), put);
    // What is finished is kept, however it ended.
    let flushed = journal.flush();
    done?;
    Ok(flushed?)
}

#[cfg(test)]
mod tests {
    use test_support::Faults;

    use farm::{FarmError, Stop, threads};
    use yane_io::job::JobMonitor;
    use yane_io::{Flush, RunIdentity};

    use super::*;

    /// Does ten units, of which number 4 panics so often, and then what is left, without panics; the number of units that were
    /// done by the first.
    fn run_with_panics(times: u32) -> (Result<(), OthelloLearnError>, JobMonitor, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let open = || {
            let identity = RunIdentity::new("units");
            Journal::open(&path, &identity, Flush::Always)
                .unwrap()
                .tell(|note| panic!("{note}"))
        };
        let faults = Faults::new(times);
        let work = |(): &mut (), &unit: &u64, _: &Stop| {
            assert!(unit != 4 || !faults.come(), "a fault of unit 4");
            Ok((unit, vec![unit as u8; 3]).into())
        };
        let workers = threads(2, |_| (), work);
        let monitor = JobMonitor::default();
        let mut journal = open();
        let units = (0..10).collect();
        let done = do_units(&workers, units, &monitor.job(), &mut journal, |_| ());
        drop(journal);
        let mut journal = open();
        let missing: Vec<u64> = (0..10).filter(|&unit| !journal.contains(unit)).collect();
        let found = 10 - missing.len();
        do_units(&workers, missing, &Job::default(), &mut journal, |_| ()).unwrap();
        for unit in 0..10u8 {
            assert_eq!(journal.get(unit.into()).unwrap(), Some(vec![unit; 3]));
        }
        (done, monitor, found)
    }

    #[test]
    fn a_unit_that_panics_is_told_and_done_again_and_ends_the_run_at_the_third_time() {
        let (done, monitor, found) = run_with_panics(2);
        done.unwrap();
        assert_eq!(found, 10);
        let note = monitor.status().note.unwrap();
        assert!(note.contains("panicked: a fault of unit 4"), "{note}");
        let (done, _, found) = run_with_panics(3);
        let error = done.unwrap_err();
        let is_panic = matches!(error, OthelloLearnError::Farm(FarmError::Panicked { .. }));
        assert!(is_panic, "{error}");
        assert!((4..10).contains(&found), "{found}");
    }

    #[test]
    fn what_is_done_is_kept_when_the_run_is_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let identity = RunIdentity::new("units");
        let journal = Journal::open(&path, &identity, Flush::Always).unwrap();
        let mut journal = journal.tell(|note| panic!("{note}"));
        let monitor = JobMonitor::default();
        let workers = threads(
            1,
            |_| (),
            |(): &mut (), &unit: &u64, _: &Stop| Ok((unit, vec![7]).into()),
        );
        let stop = |unit| {
            if unit == 2 {
                monitor.stop();
            }
        };
        let units = (0..1000).collect();
        let error = do_units(&workers, units, &monitor.job(), &mut journal, stop).unwrap_err();
        let is_cancelled = matches!(error, OthelloLearnError::File(yane_io::Error::Cancelled));
        assert!(is_cancelled, "{error}");
        assert!(journal.contains(2) && !journal.contains(999));
    }
}
