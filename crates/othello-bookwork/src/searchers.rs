//! Who searches on this machine: threads, and programs that answer lines, also over ssh.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use farm::{Both, Greeting, LineWorkers, RetryPolicy, Stop, WorkError, Worker, Workers, threads};
use othello_eval::Weights;
use othello_search::Control;

use crate::item::{BookSearcher, FoundAnswer, SearchItem};

/// What answers depend on beside their items: this version of the searches, and the weights. It is written as
/// `othello-bookwork 1, weights 0123456789abcdef`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchIdentity {
    weights: String,
}

impl SearchIdentity {
    /// The line by which a program is asked for its identity.
    pub const QUESTION: &str = "identity";

    /// The identity of searches with weights that `weights` tells from others, such as the hash of their file.
    pub fn new(weights: impl Into<String>) -> Self {
        Self {
            weights: weights.into(),
        }
    }

    /// What tells the weights from others.
    pub fn weights(&self) -> &str {
        &self.weights
    }
}

impl fmt::Display for SearchIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "othello-bookwork 1, weights {}", self.weights)
    }
}

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

/// A process of each of `programs`: a command that reads items as lines and writes an answer for each. One that does not say
/// first that it is `identity` has failed.
pub fn search_programs(
    programs: Vec<String>,
    identity: &SearchIdentity,
) -> impl Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>> + use<> {
    let parse = |item: &SearchItem, line: &str| FoundAnswer::parse(line, item);
    LineWorkers::new(programs, SearchItem::to_string, parse).greeted(Greeting {
        question: SearchIdentity::QUESTION.to_owned(),
        answer: identity.to_string(),
    })
}

/// Threads and programs together: [`search_threads`], [`search_programs`].
pub fn searchers(
    threads: usize,
    weights: &Arc<Weights>,
    programs: Vec<String>,
    identity: &SearchIdentity,
) -> impl Workers<Worker: Worker<Item = SearchItem, Output = FoundAnswer>> + use<> {
    Both(
        search_threads(threads, weights),
        search_programs(programs, identity),
    )
}

/// How often searches of a book are tried: a book without one of them would be another one. A program may take `time_limit` for a search.
pub fn search_retries(time_limit: Duration) -> RetryPolicy {
    RetryPolicy {
        time_limit,
        tries: 8,
        ..RetryPolicy::default()
    }
}
