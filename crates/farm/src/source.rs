//! Sources of work items.

use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time after which a worker without an item looks again.
const WAIT: Duration = Duration::from_millis(100);

/// Hands out work items to many workers. Every item is acknowledged ([`Self::ack`]) or returned
/// ([`Self::nack`]), unless the run ends.
pub trait Source: Sync {
    /// A work item.
    type Item: Clone + Eq + Hash + Send;

    /// The next item; `None` when there will be none any more, or `is_quitting`. Waits, checking `is_quitting`
    /// often, while items may still come: those that others have may fail. Called on the threads of the workers.
    fn next(&self, is_quitting: &dyn Fn() -> bool) -> Option<Self::Item>;

    /// Acknowledges an item: it is finished, and its output safe; or it was given up. Called on the thread of the
    /// run.
    fn ack(&self, item: &Self::Item);

    /// Returns an item that failed, to be handed out again. Called on the thread of the run.
    fn nack(&self, item: &Self::Item);
}

/// The next thing to do in a [`Backlog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<I> {
    /// The next item.
    Item(I),
    /// No item for now: it depends on the outputs of the items in progress.
    Later,
    /// The backlog has ended.
    End,
}

/// Work items that are not finished, as one thread sees them.
pub trait Backlog {
    /// A work item.
    type Item: Clone + Eq + Hash + Send;

    /// Removes and returns the next item.
    fn next(&mut self) -> Next<Self::Item>;

    /// Acknowledges an item, see [`Source::ack`].
    fn ack(&mut self, item: &Self::Item);

    /// Returns an item to the backlog, see [`Source::nack`].
    fn nack(&mut self, item: &Self::Item);
}

/// A [`Backlog`] that many threads share.
#[derive(Debug)]
pub struct SharedBacklog<B> {
    backlog: Mutex<B>,
    changed: Condvar,
}

impl<B> SharedBacklog<B> {
    /// Shares `backlog`.
    pub const fn new(backlog: B) -> Self {
        Self {
            backlog: Mutex::new(backlog),
            changed: Condvar::new(),
        }
    }

    /// The backlog alone again.
    pub fn into_inner(self) -> B {
        self.backlog
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the backlog.
    pub fn lock(&self) -> MutexGuard<'_, B> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B: Backlog + Send> Source for SharedBacklog<B> {
    type Item = B::Item;

    fn next(&self, is_quitting: &dyn Fn() -> bool) -> Option<B::Item> {
        let mut backlog = self.lock();
        while !is_quitting() {
            match backlog.next() {
                Next::Item(item) => return Some(item),
                Next::End => return None,
                Next::Later => {}
            }
            let waited = self.changed.wait_timeout(backlog, WAIT);
            backlog = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    fn ack(&self, item: &B::Item) {
        self.lock().ack(item);
        self.changed.notify_all();
    }

    fn nack(&self, item: &B::Item) {
        self.lock().nack(item);
        self.changed.notify_all();
    }
}

/// The items of an iterator in order; those that failed come before new ones.
#[derive(Debug)]
pub struct InOrder<I: Iterator> {
    items: I,
    failed: Vec<I::Item>,
    in_progress: u64,
}

impl<I: Iterator> InOrder<I> {
    /// The backlog of `items`.
    pub const fn new(items: I) -> Self {
        Self {
            items,
            failed: Vec::new(),
            in_progress: 0,
        }
    }
}

impl<I> Backlog for InOrder<I>
where
    I: Iterator,
    I::Item: Clone + Eq + Hash + Send,
{
    type Item = I::Item;

    fn next(&mut self) -> Next<I::Item> {
        match self.failed.pop().or_else(|| self.items.next()) {
            Some(item) => {
                self.in_progress += 1;
                Next::Item(item)
            }
            None if self.in_progress > 0 => Next::Later,
            None => Next::End,
        }
    }

    fn ack(&mut self, _: &I::Item) {
        self.in_progress -= 1;
    }

    fn nack(&mut self, item: &I::Item) {
        self.in_progress -= 1;
        self.failed.push(item.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_failed_ones_first() {
        let source = SharedBacklog::new(InOrder::new([1, 3, 5].into_iter()));
        let next = || source.next(&|| false);
        assert_eq!((next(), next()), (Some(1), Some(3)));
        source.ack(&1);
        source.nack(&3);
        assert_eq!([next(), next()], [Some(3), Some(5)]);
        assert_eq!(source.lock().next(), Next::Later);
        source.ack(&3);
        source.ack(&5);
        assert_eq!(next(), None);
    }

    #[test]
    fn nothing_is_handed_out_while_quitting() {
        let source = SharedBacklog::new(InOrder::new(0..));
        assert_eq!(source.next(&|| true), None);
        assert_eq!(source.next(&|| false), Some(0));
    }
}
