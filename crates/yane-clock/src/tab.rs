//! In the tab of a browser: the clock of the host, and its workers as threads.

use std::cell::Cell;
use std::io;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use crate::queue::{Queue, QueueScope};

pub use crate::queue::ScopedJoinHandle;

#[link(wasm_import_module = "host")]
#[allow(
    unsafe_code,
    reason = "functions of the host, which have no conditions"
)]
unsafe extern "C" {
    /// Milliseconds of a clock that never goes back.
    safe fn now_ms() -> f64;
    /// Returns after the host handled messages, or at once.
    safe fn pause();
}

/// Milliseconds between two pauses.
const PAUSE_MS: f64 = 20.0;

thread_local! {
    /// The time of the last pause in milliseconds; `None` where there must be none.
    static PAUSED: Cell<Option<f64>> = const { Cell::new(None) };
}

/// From now on [`pause_point`] may let the host handle messages on this thread: within a call that the host can suspend.
pub fn begin_pauses() {
    PAUSED.set(Some(now_ms()));
}

/// From now on [`pause_point`] does nothing on this thread.
pub fn end_pauses() {
    PAUSED.set(None);
}

/// A place in a search where the host may handle messages: it does 50 times a second between [`begin_pauses`] and [`end_pauses`].
pub fn pause_point() {
    let Some(last) = PAUSED.get() else { return };
    let now = now_ms();
    if now - last >= PAUSE_MS {
        // What is called meanwhile must not pause.
        PAUSED.set(None);
        pause();
        PAUSED.set(Some(now_ms()));
    }
}

/// A moment of the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// The moment now.
    pub fn now() -> Self {
        // Saturates: not a number and what is negative become zero.
        Self(Duration::from_nanos((now_ms() * 1e6) as u64))
    }

    /// The time since then.
    pub fn elapsed(&self) -> Duration {
        Self::now().duration_since(*self)
    }

    /// The time since an earlier moment; zero if that is later.
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The time since an earlier moment; zero if that is later.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }

    /// The time since an earlier moment; `None` if that is later.
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_sub(earlier.0)
    }

    /// A moment later; `None` if there is none.
    pub fn checked_add(&self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }

    /// A moment earlier; `None` if that is before the clock's beginning.
    pub fn checked_sub(&self, time: Duration) -> Option<Self> {
        self.0.checked_sub(time).map(Self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, time: Duration) {
        self.0 += time;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, time: Duration) -> Self {
        Self(self.0 - time)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

/// Sleeps; returns whether that can be done here, which it never can: whoever waits for a message waits in vain.
pub fn sleep(_: Duration) -> bool {
    false
}

// Threads: jobs of the workers that the page has started.

static QUEUE: Queue = Queue::new();

/// The life of a worker that the host has started: jobs, one after the other. It never returns.
pub fn work() {
    QUEUE.work();
}

/// A scope for threads: see [`std::thread::Scope`].
pub type Scope<'scope, 'env> = QueueScope<'scope, 'env>;

/// A scope whose threads have ended when this returns: see [`std::thread::scope`].
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    QUEUE.scope(f)
}

/// Starts threads: see [`std::thread::Builder`]. Names and sizes of stacks are those of the workers.
#[derive(Debug, Default)]
pub struct Builder;

impl Builder {
    /// A builder.
    pub fn new() -> Self {
        Self
    }

    /// The same: workers have names already.
    #[must_use]
    pub fn name(self, _: String) -> Self {
        self
    }

    /// The same: workers have stacks already.
    #[must_use]
    pub fn stack_size(self, _: usize) -> Self {
        self
    }

    /// Starts a thread of a scope.
    ///
    /// # Errors
    ///
    /// When no worker is idle.
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.spawn(f)
    }
}
