//! Searchers of this process as workers.

use std::sync::{Mutex, PoisonError};

use farm::{Finished, Stop, WorkError, Worker, Workers, threads};
use shogi_engine::Searcher;

/// `count` threads, at least one, named after `name`, of which each does `work` with a [sibling](Searcher::sibling) of `first`.
pub fn searchers<I, O: Send>(
    first: Searcher,
    count: usize,
    name: &str,
    work: impl Fn(&mut Searcher, &I, &Stop) -> Result<Finished<O>, WorkError> + Send + Sync,
) -> impl Workers<Worker: Worker<Item = I, Output = O>> + Send {
    let first = Mutex::new(first);
    let sibling = move |_| {
        let first = first.lock().unwrap_or_else(PoisonError::into_inner);
        first.sibling()
    };
    threads(count.max(1), sibling, work)
        .named(name)
        .with_stack(Searcher::STACK_BYTES)
}
