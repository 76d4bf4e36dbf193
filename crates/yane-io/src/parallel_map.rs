//! Ordered parallel map: work on a stream of items on several threads, results in the order of the items; its buffers.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// An iterator over `work(item)` for the items that a source yields, computed ahead on threads of
/// its own, or by the thread that takes the results.
///
/// At most two items a thread are in flight, so memory is bounded by that many items and results.
/// The first error ends the stream. Dropping it stops the threads. A panic of the source or the work
/// becomes a panic of the iterator, so a stream that ends has ended where its source did.
pub struct OrderedParallelMap<T, E>(Way<T, E>);

/// The work ahead on other threads, or here on demand.
enum Way<T, E> {
    Ahead(Ahead<T, E>),
    Here(Box<dyn FnMut() -> Option<Result<T, E>> + Send>),
}

struct Ahead<T, E> {
    state: Arc<Shared<T, E>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<T, E> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
    window: u64,
}

struct State<T, E> {
    /// Results that are ready, by the number of their item.
    ready: BTreeMap<u64, Result<T, E>>,
    /// Number of the item that is wanted next.
    next: u64,
    /// Number of items, once the source has ended or failed.
    end: Option<u64>,
    stopped: bool,
}

impl<T: Send + 'static, E: Send + 'static> OrderedParallelMap<T, E> {
    /// Starts `threads` threads. `source` is called by one of them at a time. Where there are no threads it works [in place](Self::in_place).
    pub fn new<S>(
        threads: usize,
        source: impl FnMut() -> Result<Option<S>, E> + Send + 'static,
        work: impl Fn(S) -> Result<T, E> + Send + Sync + 'static,
    ) -> Self {
        if cfg!(all(target_arch = "wasm32", target_os = "unknown")) {
            return Self::in_place(source, work);
        }
        let threads = threads.max(1);
        let state = Arc::new(Shared {
            state: Mutex::new(State {
                ready: BTreeMap::new(),
                next: 0,
                end: None,
                stopped: false,
            }),
            changed: Condvar::new(),
            window: threads as u64 * 2,
        });
        let source = Arc::new(Mutex::new((0u64, source)));
        let work = Arc::new(work);
        let threads = (0..threads)
            .map(|_| {
                let (state, source, work) = (state.clone(), source.clone(), work.clone());
                std::thread::spawn(move || {
                    while let Some((number, item)) = take(&state, &source) {
                        let result = item.and_then(|item| work(item));
                        state.deliver(number, result);
                    }
                })
            })
            .collect();
        Self(Way::Ahead(Ahead { state, threads }))
    }

    /// Without threads: each result is computed when it is taken. What is in the processor's cache stays
    /// there from the source to whoever takes the result, and nobody waits for anybody.
    pub fn in_place<S>(
        mut source: impl FnMut() -> Result<Option<S>, E> + Send + 'static,
        work: impl Fn(S) -> Result<T, E> + Send + 'static,
    ) -> Self {
        let mut failed = false;
        Self(Way::Here(Box::new(move || {
            if failed {
                return None;
            }
            let result = source().transpose()?.and_then(&work);
            failed = result.is_err();
            Some(result)
        })))
    }
}

/// The next item with its number, when there is room for its result.
fn take<S, T, E, F: FnMut() -> Result<Option<S>, E>>(
    shared: &Shared<T, E>,
    source: &Mutex<(u64, F)>,
) -> Option<(u64, Result<S, E>)> {
    let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
    let (number, next) = &mut *source;
    if !shared.wait_for_room(*number) {
        return None;
    }
    let item = match next() {
        Ok(Some(item)) => Ok(item),
        Ok(None) => {
            shared.end(*number);
            return None;
        }
        Err(error) => {
            shared.end(*number + 1);
            Err(error)
        }
    };
    *number += 1;
    Some((*number - 1, item))
}

impl<T, E> Shared<T, E> {
    fn lock(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until item `number` may be taken; false when it must not be.
    fn wait_for_room(&self, number: u64) -> bool {
        let mut state = self.lock();
        loop {
            if state.stopped || state.end.is_some_and(|end| number >= end) {
                return false;
            }
            if number < state.next + self.window {
                return true;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, end: u64) {
        self.lock().end = Some(end);
        self.changed.notify_all();
    }

    fn deliver(&self, number: u64, result: Result<T, E>) {
        let mut state = self.lock();
        if result.is_err() {
            let end = state.end.map_or(number + 1, |end| end.min(number + 1));
            state.end = Some(end);
        }
        state.ready.insert(number, result);
        drop(state);
        self.changed.notify_all();
    }
}

impl<T, E> Iterator for OrderedParallelMap<T, E> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Result<T, E>> {
        match &mut self.0 {
            Way::Ahead(ahead) => ahead.next(),
            Way::Here(next) => next(),
        }
    }
}

impl<T, E> Ahead<T, E> {
    /// The next result, waited for.
    fn next(&mut self) -> Option<Result<T, E>> {
        let mut state = self.state.lock();
        loop {
            let next = state.next;
            if let Some(result) = state.ready.remove(&next) {
                state.next += 1;
                drop(state);
                self.state.changed.notify_all();
                return Some(result);
            }
            if state.stopped || state.end.is_some_and(|end| next >= end) {
                return None;
            }
            // A thread that has finished with work left has panicked, and its result never comes.
            let panicked = match state.end {
                Some(_) => self.threads.iter().all(JoinHandle::is_finished),
                None => self.threads.iter().any(JoinHandle::is_finished),
            };
            if panicked {
                drop(state);
                self.stop();
                return None;
            }
            state = self
                .state
                .changed
                .wait_timeout(state, std::time::Duration::from_millis(200))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Ends the threads; a panic of one becomes a panic of this one.
    fn stop(&mut self) {
        self.state.lock().stopped = true;
        self.state.changed.notify_all();
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join()
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

impl<T, E> Drop for Ahead<T, E> {
    fn drop(&mut self) {
        self.stop();
    }
}

// Buffers that are used again.
//
// Memory fresh from the system costs a page fault for every 4 KiB; a book of gigabytes goes through
// a few buffers instead.

/// A stock of buffers. Clones share the stock.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// An empty buffer with room for at least `capacity` bytes.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        let mut buffer = self.take_used();
        buffer.clear();
        buffer.reserve(capacity);
        buffer
    }

    /// A buffer with whatever is in it, to be written over: making its bytes zeros first takes time too.
    pub fn take_used(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Returns a buffer to the pool.
    pub fn give(&self, buffer: Vec<u8>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Result};

    fn counting(end: u64) -> impl FnMut() -> Result<Option<u64>> + Send {
        let mut next = 0..end;
        move || Ok(next.next())
    }

    #[test]
    fn results_come_in_order() {
        for threads in [1, 2, 5] {
            let work = |n: u64| {
                std::thread::sleep(std::time::Duration::from_micros(n * 7919 % 300));
                Ok(n * n)
            };
            let results: Vec<_> = OrderedParallelMap::new(threads, counting(200), work)
                .map(|result| result.unwrap())
                .collect();
            assert_eq!(results, (0..200).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn work_in_place_is_done_when_its_result_is_taken() {
        let taken = Arc::new(Mutex::new(0));
        let (counter, mut numbers) = (taken.clone(), counting(5));
        let source = move || {
            *counter.lock().unwrap() += 1;
            numbers()
        };
        let mut results = OrderedParallelMap::in_place(source, |n| Ok(n * n));
        for n in 0..5 {
            assert_eq!(results.next().unwrap().unwrap(), n * n);
            assert_eq!(*taken.lock().unwrap(), n + 1);
        }
        assert!(results.next().is_none());
    }

    #[test]
    fn an_error_in_place_ends_the_stream() {
        let work = |n| if n == 3 { Err(Error::Cancelled) } else { Ok(n) };
        let results: Vec<_> = OrderedParallelMap::in_place(counting(100), work).collect();
        assert_eq!(results.len(), 4);
        assert!(results[3].is_err());
    }

    #[test]
    fn the_first_error_ends_the_stream() {
        let work = |n| {
            if n == 5 || n == 7 {
                Err(Error::Cancelled)
            } else {
                Ok(n)
            }
        };
        let results: Vec<_> = OrderedParallelMap::new(3, counting(100), work).collect();
        assert_eq!(results.len(), 6);
        assert!(results[5].is_err());
    }

    #[test]
    fn an_error_of_the_source_comes_in_its_place() {
        let mut n = 0;
        let source = move || {
            n += 1;
            if n == 4 {
                Err(Error::Cancelled)
            } else {
                Ok(Some(n))
            }
        };
        let results: Vec<_> = OrderedParallelMap::new(2, source, Ok).collect();
        assert_eq!(results.len(), 4);
        assert!(results[3].is_err());
    }

    #[test]
    #[should_panic(expected = "at 5")]
    fn a_panic_of_the_work_is_passed_on() {
        let work = |n| {
            assert!(n != 5, "at 5");
            Ok::<_, Error>(n)
        };
        OrderedParallelMap::new(3, counting(100), work).for_each(drop);
    }

    #[test]
    #[should_panic(expected = "at 5")]
    fn a_panic_at_the_end_is_passed_on() {
        let work = |n| {
            assert!(n != 5, "at 5");
            Ok::<_, Error>(n)
        };
        OrderedParallelMap::new(3, counting(7), work).for_each(drop);
    }

    #[test]
    fn dropping_it_early_stops_the_threads() {
        let mut endless = OrderedParallelMap::new(4, || Ok::<_, Error>(Some(1)), Ok);
        assert_eq!(endless.next().unwrap().unwrap(), 1);
        drop(endless);
    }
}
