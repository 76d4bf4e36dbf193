//! Scoped jobs on threads that are there already and wait for them.

#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        unreachable_pub,
        reason = "only modules for tabs show these types; here they are tested"
    )
)]

use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Job = Box<dyn FnOnce() + Send + 'static>;

/// Jobs, and the threads that wait for them.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    jobs: Vec<Job>,
    /// Threads that wait, less the jobs that are theirs.
    idle: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                jobs: Vec::new(),
                idle: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The life of a thread: jobs, one after the other.
    pub(crate) fn work(&self) -> ! {
        loop {
            self.work_once();
        }
    }

    /// Waits for a job, and does it.
    fn work_once(&self) {
        let mut state = lock(&self.state);
        state.idle += 1;
        let job = loop {
            if let Some(job) = state.jobs.pop() {
                break job;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        job();
    }

    /// Runs `f`, and waits for all jobs that it has started.
    pub(crate) fn scope<'env, F, T>(&'static self, f: F) -> T
    where
        F: for<'scope> FnOnce(&'scope QueueScope<'scope, 'env>) -> T,
    {
        let scope = QueueScope {
            queue: self,
            pending: Arc::default(),
            scope: PhantomData,
            env: PhantomData,
        };
        let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
        let mut jobs = lock(&scope.pending.jobs);
        while *jobs > 0 {
            let waited = scope.pending.changed.wait(jobs);
            jobs = waited.unwrap_or_else(PoisonError::into_inner);
        }
        drop(jobs);
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// The jobs of a scope that have not ended.
#[derive(Default)]
struct Pending {
    jobs: Mutex<usize>,
    changed: Condvar,
}

/// A scope of jobs.
pub struct QueueScope<'scope, 'env: 'scope> {
    queue: &'static Queue,
    pending: Arc<Pending>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// The result of a job: nothing until it has ended.
type Outcome<T> = (Mutex<Option<std::thread::Result<T>>>, Condvar);

impl<'scope> QueueScope<'scope, '_> {
    /// Gives `f` to a thread that waits.
    pub(crate) fn spawn<F, T>(&'scope self, f: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let mut state = lock(&self.queue.state);
        if state.idle == 0 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        state.idle -= 1;
        let outcome: Arc<Outcome<T>> = Arc::new((Mutex::new(None), Condvar::new()));
        let (told, pending) = (Arc::clone(&outcome), Arc::clone(&self.pending));
        *lock(&pending.jobs) += 1;
        let job: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || {
            let value = catch_unwind(AssertUnwindSafe(f));
            *lock(&told.0) = Some(value);
            told.1.notify_all();
            drop(told);
            *lock(&pending.jobs) -= 1;
            pending.changed.notify_all();
        });
        state.jobs.push(outlive(job));
        self.queue.changed.notify_one();
        Ok(ScopedJoinHandle {
            outcome,
            scope: PhantomData,
        })
    }
}

/// A job of a scope as one that may live as long as the program.
#[allow(unsafe_code)]
fn outlive(job: Box<dyn FnOnce() + Send + '_>) -> Job {
    // SAFETY: only the lifetime changes. `Queue::scope` returns after all jobs of the scope have ended, and with them what they
    // borrowed: the job counts itself down as the last thing that it does, after dropping its closure and its result's handle.
    unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Job>(job) }
}

/// The handle of a job: see [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    outcome: Arc<Outcome<T>>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the job, and returns its result.
    ///
    /// # Errors
    ///
    /// The value that it panicked with.
    pub fn join(self) -> std::thread::Result<T> {
        let mut result = lock(&self.outcome.0);
        loop {
            if let Some(value) = result.take() {
                return value;
            }
            let waited = self.outcome.1.wait(result);
            result = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A queue of its own with so many threads, which do `jobs` jobs each.
    fn queue(threads: usize, jobs: usize) -> &'static Queue {
        let queue: &'static Queue = Box::leak(Box::new(Queue::new()));
        for _ in 0..threads {
            std::thread::spawn(move || (0..jobs).for_each(|_| queue.work_once()));
        }
        while lock(&queue.state).idle < threads {
            std::thread::yield_now();
        }
        queue
    }

    #[test]
    fn jobs_borrow_and_return() {
        let queue = queue(2, 1);
        let (numbers, sum) = ([1, 2, 3], AtomicU32::new(0));
        let found = queue.scope(|scope| {
            let first = scope.spawn(|| numbers.iter().sum::<u32>()).unwrap();
            let second = scope.spawn(|| sum.fetch_add(5, Ordering::Relaxed));
            assert!(second.is_ok());
            assert!(scope.spawn(|| 0).is_err(), "nobody waits");
            first.join().unwrap()
        });
        assert_eq!((found, sum.into_inner()), (6, 5));
    }

    #[test]
    fn a_scope_waits_for_its_jobs() {
        let queue = queue(1, 2);
        for round in 1..3 {
            while lock(&queue.state).idle == 0 {
                std::thread::yield_now();
            }
            let mut done = 0;
            queue.scope(|scope| {
                let slow = || {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    done = round;
                };
                assert!(scope.spawn(slow).is_ok());
            });
            assert_eq!(done, round);
        }
    }

    #[test]
    fn a_panic_is_the_result_of_its_job() {
        let queue = queue(1, 1);
        let joined = queue.scope(|scope| {
            let job = scope.spawn(|| std::panic::panic_any(7_u8)).unwrap();
            job.join()
        });
        assert_eq!(joined.unwrap_err().downcast_ref(), Some(&7_u8));
    }
}
