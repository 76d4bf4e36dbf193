//! The memory that the requests of all clients take together.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time after which one who waits looks whether he still has to.
const LOOK: Duration = Duration::from_millis(100);
/// The part of the memory that one client may take, while there are others.
const SHARES: usize = 4;

/// Bytes that all clients may take, and those that are taken.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    used: Mutex<usize>,
    freed: Condvar,
}

/// The bytes that one client has taken.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientShare(Arc<AtomicUsize>);

/// Bytes that are taken until this is dropped.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Arc<Budget>,
    share: ClientShare,
    bytes: usize,
}

impl Budget {
    /// A budget of so many bytes.
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: Mutex::new(0),
            freed: Condvar::new(),
        })
    }

    /// The bytes that are taken.
    pub(super) fn used(&self) -> usize {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes for a client; waits while there are not enough. A request that is larger than the limit is let through
    /// alone. `None` once `is_over`.
    pub(super) fn take(
        self: &Arc<Self>,
        share: &ClientShare,
        bytes: usize,
        is_over: impl Fn() -> bool,
    ) -> Option<Charge> {
        let mut used = self.lock();
        loop {
            let own = share.0.load(Relaxed);
            let is_fair = own == 0 || own + bytes <= self.limit / SHARES;
            if (*used + bytes <= self.limit && is_fair) || *used == 0 {
                *used += bytes;
                share.0.fetch_add(bytes, Relaxed);
                return Some(Charge {
                    budget: Arc::clone(self),
                    share: share.clone(),
                    bytes,
                });
            }
            if is_over() {
                return None;
            }
            let waited = self.freed.wait_timeout(used, LOOK);
            used = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        *self.budget.lock() -= self.bytes;
        self.share.0.fetch_sub(self.bytes, Relaxed);
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_for_all_and_a_part_of_it_for_each() {
        let budget = Budget::new(1000);
        let never = || false;
        let take = |share: &ClientShare, bytes| budget.take(share, bytes, || true).is_some();
        let (greedy, other) = (ClientShare::default(), ClientShare::default());
        let first = budget.take(&greedy, 200, never);
        assert!(!take(&greedy, 100), "more than a quarter");
        let second = budget.take(&other, 600, never);
        assert_eq!(budget.used(), 800);
        let third = ClientShare::default();
        assert!(!take(&third, 300), "more than there is");
        drop((first, second));
        assert_eq!(budget.used(), 0);
        let large = budget.take(&third, 5000, never);
        assert_eq!(budget.used(), 5000);
        drop(large);
        assert_eq!(third.0.load(Relaxed), 0);
    }

    #[test]
    fn one_who_waits_goes_on_when_bytes_are_free() {
        let budget = Budget::new(100);
        let share = ClientShare::default();
        let held = budget.take(&share, 100, || false);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| budget.take(&ClientShare::default(), 60, || false));
            drop(held);
            let charge = waiting.join().ok().flatten();
            assert!(charge.is_some_and(|charge| charge.bytes == 60));
        });
    }
}
