//! Parallel search: nodes whose first move did not settle them share their other moves with idle threads.
//!
//! A node with work to give is a [`SplitPoint`]. The thread that owns it and all that come to help take its moves in order.
//! A move that exceeds alpha cuts it off: everyone who works below it stops. The owner waits for its helpers, and helps them
//! meanwhile where they split nodes of their own, so that nobody waits who could work. With one thread nothing is split, and
//! the search is the same each time.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::api::Selectivity;
use crate::ordering::{Children, MAX_MOVES};

/// A node whose moves are shared by threads.
#[derive(Debug)]
pub(crate) struct SplitPoint {
    /// The split point below which this one lies.
    pub(crate) parent: Option<Arc<Self>>,
    pub(crate) children: Children,
    /// The window of the moves: alpha to alpha + 1.
    pub(crate) alpha: i32,
    /// Depth of the moves' searches.
    pub(crate) depth: u32,
    pub(crate) selectivity: Selectivity,
    /// True if moves are searched with an evaluation.
    pub(crate) is_evaluated: bool,
    next: AtomicUsize,
    cut: AtomicBool,
    helpers: AtomicUsize,
    outcome: Mutex<Outcome>,
}

/// What is known of a node's moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The best score and the place of its move.
    pub(crate) best: Option<(i32, usize)>,
    /// The moves that were searched.
    pub(crate) done: [bool; MAX_MOVES],
}

impl SplitPoint {
    pub(crate) fn new(
        parent: Option<Arc<Self>>,
        children: Children,
        alpha: i32,
        depth: u32,
        selectivity: Selectivity,
        is_evaluated: bool,
    ) -> Self {
        Self {
            parent,
            children,
            alpha,
            depth,
            selectivity,
            is_evaluated,
            next: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
            outcome: Mutex::new(Outcome {
                best: None,
                done: [false; MAX_MOVES],
            }),
        }
    }

    /// Takes the next move; `None` if there is none left to take.
    pub(crate) fn take(&self) -> Option<usize> {
        if self.cut.load(Ordering::Relaxed) {
            return None;
        }
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        (n < self.children.len()).then_some(n)
    }

    /// A move has this score.
    pub(crate) fn report(&self, n: usize, score: i32) {
        let mut outcome = lock(&self.outcome);
        outcome.done[n] = true;
        if outcome.best.is_none_or(|(best, _)| score > best) {
            outcome.best = Some((score, n));
        }
        if score > self.alpha {
            self.cut.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        *lock(&self.outcome)
    }

    /// Returns whether the work below this split point is no longer needed.
    pub(crate) fn is_cut(&self) -> bool {
        let mut split = self;
        loop {
            if split.cut.load(Ordering::Relaxed) {
                return true;
            }
            match &split.parent {
                Some(parent) => split = parent,
                None => return false,
            }
        }
    }

    /// Returns whether this split point lies below `other`.
    fn is_below(&self, other: &Arc<Self>) -> bool {
        let mut parent = self.parent.as_ref();
        while let Some(split) = parent {
            if Arc::ptr_eq(split, other) {
                return true;
            }
            parent = split.parent.as_ref();
        }
        false
    }

    fn has_work(&self) -> bool {
        !self.is_cut() && self.next.load(Ordering::Relaxed) < self.children.len()
    }

    /// A helper has left.
    pub(crate) fn leave(&self) {
        self.helpers.fetch_sub(1, Ordering::Release);
    }
}

/// The split points that threads may help with.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    open: Mutex<Vec<Arc<SplitPoint>>>,
    changed: Condvar,
    /// Threads that look for work.
    idle: AtomicUsize,
    is_done: AtomicBool,
    /// Boards visited by threads that have told so.
    nodes: AtomicU64,
}

impl Pool {
    /// Returns whether a thread looks for work.
    #[inline(always)]
    pub(crate) fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Offers a split point.
    pub(crate) fn open(&self, split: &Arc<SplitPoint>) {
        lock(&self.open).push(Arc::clone(split));
        self.changed.notify_all();
    }

    /// Withdraws a split point: nobody comes to help any more. Those who help go on.
    pub(crate) fn close(&self, split: &Arc<SplitPoint>) {
        lock(&self.open).retain(|open| !Arc::ptr_eq(open, split));
    }

    /// Returns whether threads still help with a closed split point.
    pub(crate) fn is_helped(split: &SplitPoint) -> bool {
        split.helpers.load(Ordering::Acquire) > 0
    }

    /// Takes a place as a helper of an open split point below `root`, the one with the deepest search.
    fn join(open: &[Arc<SplitPoint>], root: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        let fits = |split: &&Arc<SplitPoint>| {
            split.has_work() && root.is_none_or(|root| split.is_below(root))
        };
        let best = open.iter().filter(fits).max_by_key(|split| split.depth)?;
        best.helpers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(best))
    }

    /// Waits for work below `root` until `is_over`, and takes it.
    pub(crate) fn wait(
        &self,
        root: Option<&Arc<SplitPoint>>,
        is_over: impl Fn() -> bool,
    ) -> Option<Arc<SplitPoint>> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let mut open = lock(&self.open);
        let found = loop {
            if is_over() {
                break None;
            }
            if let Some(split) = Self::join(&open, root) {
                break Some(split);
            }
            // The time limit is for a helper that leaves, of which nobody tells.
            let wait = Duration::from_micros(100);
            let woken = self.changed.wait_timeout(open, wait);
            open = woken.unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(open);
        self.idle.fetch_sub(1, Ordering::Relaxed);
        found
    }

    /// The search is over: all threads leave.
    pub(crate) fn finish(&self) {
        self.is_done.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Returns whether the search is over.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Relaxed)
    }

    /// A thread has visited so many more boards. Returns the sum.
    pub(crate) fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
