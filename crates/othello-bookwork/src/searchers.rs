//! Who searches on this machine: threads, and programs that answer lines, also over ssh.

use std::sync::Arc;
use std::time::Duration;

use farm::{Both, LineWorkers, RetryPolicy, Stop, WorkError, Worker, Workers, threads};
use othello_eval::Weights;
use othello_search::Control;

use crate::item::{BookSearcher, FoundAnswer, SearchItem};

/// `count` threads that search with an evaluation.
pub fn search_threads(
    count: usize,
    weights: &Arc<Weights>,
) -> impl Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>> + use<> {
    let weights = Arc::clone(weights);
    let make = move |_| BookSearcher::new(Arc::clone(&weights));
    let search = |searcher: &mut BookSearcher, item: &SearchItem, stop: &Stop| {
        let control = Control::with_stop(Arc::clone(stop.flag()));
        let found = searcher.search(item, &control);
        found.map(Into::into).ok_or(WorkError::Stopped)
    };
    threads(count, make, search).named("search")
}

/// A process of each of `programs`: a command that reads items as lines and writes an answer for each.
pub fn search_programs(
    programs: Vec<String>,
) -> impl Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>> {
    LineWorkers::new(programs, SearchItem::to_string, |item, line| {
        FoundAnswer::parse(line, item)
    })
}

/// Threads and programs together: [`search_threads`], [`search_programs`].
pub fn searchers(
    threads: usize,
    weights: &Arc<Weights>,
    programs: Vec<String>,
) -> impl Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>> + use<> {
    Both(search_threads(threads, weights), search_programs(programs))
}

/// How often searches of a book are tried: a book without one of them would be another one. A program may take `time_limit` for a search.
pub fn search_retries(time_limit: Duration) -> RetryPolicy {
    RetryPolicy {
        time_limit,
        tries: 8,
        ..RetryPolicy::default()
    }
}
