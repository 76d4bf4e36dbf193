//! Results of a [`ThinkerPool`] in the order of their jobs, with a bound on how far ahead its threads work.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::ThinkerPool;

/// Jobs for each worker that may be ahead of the one that is waited for.
const AHEAD: usize = 4;

impl<T: Send> ThinkerPool<T> {
    /// [`Self::run`] with the results in the order of their jobs. Workers are kept from working far ahead of a job that takes long, so memory is
    /// bounded by a few jobs and results for each.
    ///
    /// # Errors
    /// The first error in the order of the jobs, of a job itself, of `work` or of `take`: later results are dropped, and no more jobs are
    /// begun. When the system gives no threads.
    ///
    /// # Panics
    /// As [`Self::run`].
    pub fn run_in_order<J, R: Send, E: Send + From<io::Error>>(
        &mut self,
        mut jobs: impl Iterator<Item = Result<J, E>> + Send,
        work: impl Fn(&mut T, J) -> Result<R, E> + Sync,
        mut take: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        let window = Window::new(self.workers.len() * AHEAD);
        let mut number = 0;
        let next = || {
            if !window.wait_for(number) {
                return None;
            }
            let job = jobs.next()?;
            number += 1;
            Some((number - 1, job))
        };
        let work = |worker: &mut T, (number, job): (usize, Result<J, E>)| {
            let _guard = window.guard();
            (number, job.and_then(|job| work(worker, job)))
        };
        let mut early = BTreeMap::new();
        let mut due = 0;
        let mut failure = None;
        let ran = self.run(std::iter::from_fn(next), work, |(number, done)| {
            let _guard = window.guard();
            early.insert(number, done);
            while let Some(done) = early.remove(&due) {
                due += 1;
                window.advance();
                if failure.is_none()
                    && let Err(error) = done.and_then(&mut take)
                {
                    failure = Some(error);
                    window.end();
                }
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(ran?),
        }
    }
}

/// Keeps workers from working far ahead of a job that takes long: results would pile up.
struct Window {
    /// The number of the job that is waited for; `None` when the work has ended.
    due: Mutex<Option<usize>>,
    moved: Condvar,
    width: usize,
}

impl Window {
    const fn new(width: usize) -> Self {
        Self {
            due: Mutex::new(Some(0)),
            moved: Condvar::new(),
            width,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until job `number` may be begun; false when the work has ended.
    fn wait_for(&self, number: usize) -> bool {
        let is_too_far =
            |due: &mut Option<usize>| due.is_some_and(|due| number >= due + self.width);
        let due = self.moved.wait_while(self.lock(), is_too_far);
        due.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn advance(&self) {
        if let Some(due) = &mut *self.lock() {
            *due += 1;
        }
        self.moved.notify_all();
    }

    /// Ends the work: no job is begun any more.
    fn end(&self) {
        *self.lock() = None;
        self.moved.notify_all();
    }

    /// Ends the work when the thread panics while it has this.
    const fn guard(&self) -> EndAtPanic<'_> {
        EndAtPanic(self)
    }
}

/// See [`Window::guard`].
struct EndAtPanic<'a>(&'a Window);

impl Drop for EndAtPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order_and_nobody_works_far_ahead() {
        let mut pool = ThinkerPool::new(vec![(); 3]);
        let (begun, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let jobs = (0..100).map(|job| {
            begun.fetch_add(1, SeqCst);
            Ok(job)
        });
        let work = |(): &mut (), job: usize| {
            if job.is_multiple_of(10) {
                std::thread::sleep(Duration::from_millis(2));
            }
            let ahead = begun.load(SeqCst) - taken.load(SeqCst);
            assert!(ahead <= 3 * AHEAD + 1, "{ahead}");
            Ok(job)
        };
        let mut results = Vec::new();
        let ran = pool.run_in_order(jobs, work, |job| {
            results.push(job);
            taken.fetch_add(1, SeqCst);
            Ok::<_, io::Error>(())
        });
        ran.unwrap();
        assert_eq!(results, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_in_the_order_of_the_jobs_ends_it() {
        let mut pool = ThinkerPool::new(vec![(); 2]);
        let begun = AtomicUsize::new(0);
        let jobs = (0..1000).map(|job| {
            begun.fetch_add(1, SeqCst);
            Ok(job)
        });
        let work = |(): &mut (), job: usize| {
            if job == 5 {
                // The later failure is ready first.
                std::thread::sleep(Duration::from_millis(20));
            }
            if [5, 6].contains(&job) {
                return Err(io::Error::other(job.to_string()));
            }
            Ok(job)
        };
        let mut results = Vec::new();
        let ran = pool.run_in_order(jobs, work, |job| {
            results.push(job);
            Ok(())
        });
        assert_eq!(ran.unwrap_err().to_string(), "5");
        assert_eq!(results, [0, 1, 2, 3, 4]);
        assert!(begun.load(SeqCst) < 100);
    }

    #[test]
    #[should_panic(expected = "enough")]
    fn a_panic_of_who_takes_results_leaves_no_worker_waiting() {
        let mut pool = ThinkerPool::new(vec![(); 2]);
        let jobs = (0..1000).map(Ok::<usize, io::Error>);
        let ran = pool.run_in_order(
            jobs,
            |(), job| Ok(job),
            |job| {
                assert!(job < 3, "enough");
                Ok(())
            },
        );
        ran.unwrap();
    }
}
