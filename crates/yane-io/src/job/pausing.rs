//! A pause of work on many threads: asked for by others, and kept where work is safe to wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use yane_clock::Instant;

/// The interval at which a thread that waits looks whether its work is over: the flag that says so may be set by a signal
/// handler, which wakes nobody.
const LOOK: Duration = Duration::from_millis(200);

/// The request to pause some work. Cheap to clone; clones pause the same work.
#[derive(Clone, Debug, Default)]
pub struct Pausing(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_requested: AtomicBool,
    threads: Mutex<Threads>,
    changed: Condvar,
}

/// The threads of the work, as far as they tell.
#[derive(Debug, Default)]
struct Threads {
    /// Crews, whose threads say when they are busy.
    crews: u32,
    /// Threads of crews that are busy, and do not wait.
    busy: i64,
    /// Threads that wait for the end of the pause.
    waiting: u32,
    /// The time at which the work came to rest, while it rests.
    since: Option<Instant>,
    /// The time of earlier rests.
    rested: Duration,
}

impl Pausing {
    /// Asks the work to pause: what is in progress comes to a safe point first.
    pub fn request(&self) {
        self.set(true);
    }

    /// Ends a pause.
    pub fn release(&self) {
        self.set(false);
    }

    fn set(&self, is_requested: bool) {
        let mut threads = self.threads();
        self.0.is_requested.store(is_requested, Ordering::Release);
        self.update(&mut threads);
        self.0.changed.notify_all();
    }

    /// True if the work was asked to pause.
    pub fn is_requested(&self) -> bool {
        self.0.is_requested.load(Ordering::Acquire)
    }

    /// True if the work rests: no thread of a [crew](Self::crew) is busy, or, without crews, a thread waits at a safe point.
    pub fn is_paused(&self) -> bool {
        self.rests(&self.threads())
    }

    /// The time for which the work rested so far.
    pub(crate) fn time_paused(&self) -> Duration {
        let threads = self.threads();
        let rest = threads
            .since
            .map_or(Duration::ZERO, |since| since.elapsed());
        threads.rested + rest
    }

    /// Waits as long as the work is paused, unless it `is_over`. For threads that are not of a crew.
    pub fn wait(&self, is_over: &dyn Fn() -> bool) {
        self.wait_as(0, is_over);
    }

    /// Waits as long as the work is paused, unless it `is_over`. For a thread that is [`Busy`], and is not while it waits.
    pub fn wait_busy(&self, is_over: &dyn Fn() -> bool) {
        self.wait_as(1, is_over);
    }

    fn wait_as(&self, busy: i64, is_over: &dyn Fn() -> bool) {
        // Asked at every safe point.
        if !self.is_requested() {
            return;
        }
        let mut threads = self.threads();
        threads.busy -= busy;
        threads.waiting += 1;
        self.update(&mut threads);
        while self.is_requested() && !is_over() {
            let waited = self.0.changed.wait_timeout(threads, LOOK);
            threads = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        threads.busy += busy;
        threads.waiting -= 1;
        self.update(&mut threads);
    }

    /// Has those who wait look at once whether their work is over.
    pub fn wake(&self) {
        self.0.changed.notify_all();
    }

    /// Tells that a crew of threads works from here on, each of which says when it is busy: the work rests when none is.
    pub fn crew(&self) -> Crew {
        let mut threads = self.threads();
        threads.crews += 1;
        self.update(&mut threads);
        Crew(self.clone())
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        let threads = self.0.threads.lock();
        threads.unwrap_or_else(PoisonError::into_inner)
    }

    fn rests(&self, threads: &Threads) -> bool {
        let is_idle = match threads.crews {
            0 => threads.waiting > 0,
            _ => threads.busy <= 0,
        };
        self.is_requested() && is_idle
    }

    /// Notes the beginning or the end of a rest.
    fn update(&self, threads: &mut Threads) {
        if self.rests(threads) {
            threads.since.get_or_insert_with(Instant::now);
        } else if let Some(since) = threads.since.take() {
            threads.rested += since.elapsed();
        }
    }
}

/// Threads that say when they are busy; dropped at their end.
#[derive(Debug)]
pub struct Crew(Pausing);

impl Crew {
    /// Tells that a thread is busy, until this is dropped.
    pub fn busy(&self) -> Busy<'_> {
        let mut threads = self.0.threads();
        threads.busy += 1;
        self.0.update(&mut threads);
        Busy(&self.0)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let mut threads = self.0.threads();
        threads.crews -= 1;
        self.0.update(&mut threads);
    }
}

/// A thread of a [`Crew`] that is busy.
#[derive(Debug)]
pub struct Busy<'a>(&'a Pausing);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut threads = self.0.threads();
        threads.busy -= 1;
        self.0.update(&mut threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits until `is_so`, for a minute at most.
    fn until(is_so: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < end, "nothing happens");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn work_rests_when_a_thread_waits_at_a_safe_point() {
        let pausing = Pausing::default();
        // Does not wait.
        pausing.wait(&|| false);
        pausing.request();
        assert!(pausing.is_requested() && !pausing.is_paused());
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| pausing.wait(&|| false));
            until(|| pausing.is_paused());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            pausing.release();
        });
        assert!(!pausing.is_paused());
        let rested = pausing.time_paused();
        assert!(rested >= Duration::from_millis(20), "{rested:?}");
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(pausing.time_paused(), rested);
    }

    #[test]
    fn a_crew_rests_when_nobody_is_busy() {
        let pausing = Pausing::default();
        let crew = pausing.crew();
        pausing.request();
        assert!(pausing.is_paused());
        let (first, second) = (crew.busy(), crew.busy());
        assert!(!pausing.is_paused());
        drop(first);
        // One that waits for its next item is no sign for the others.
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| pausing.wait(&|| over.load(Ordering::Acquire)));
            until(|| pausing.threads().waiting == 1);
            assert!(!pausing.is_paused());
            scope.spawn(|| pausing.wait_busy(&|| over.load(Ordering::Acquire)));
            until(|| pausing.is_paused());
            over.store(true, Ordering::Release);
            pausing.wake();
        });
        assert!(!pausing.is_paused());
        drop(second);
        assert!(pausing.is_paused());
        drop(crew);
        assert!(!pausing.is_paused());
    }
}
