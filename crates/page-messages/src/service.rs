//! Services: who answers requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::{PageFailure, PageRequest};

/// How much a request asks of the machine, and so when and where it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few milliseconds: answered at once.
    Quick,
    /// A search: it waits for a seat, and goes on when its tab is hidden.
    Search,
    /// A search that is of use only while somebody looks: it waits while its tab is hidden.
    Watched,
}

/// Tells a request that it is to end.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the request to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the request is to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for searches that look at it.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Receives the events of one request. It never waits for the page.
pub trait EventSink {
    /// An event that has to arrive. `fields` is a JSON object.
    fn event(&self, name: &str, fields: Value);

    /// The latest state of a stream: the page may miss those before. Streams of a request are told apart by name and key.
    fn state(&self, name: &str, key: u64, fields: Value);

    /// An event for all tabs, this one too.
    fn broadcast(&self, name: &str, fields: Value);
}

/// Tells all pages something that nobody asked: the progress of a job, a book that changed.
pub trait AllPages: Send + Sync {
    /// An event for all tabs. `fields` is a JSON object.
    fn broadcast(&self, name: &str, fields: Value);
}

/// Answers requests of pages, on threads of the caller's.
pub trait PageService: Send + Sync {
    /// Is called once, before the first request, with the way to all pages. A service that only answers does without.
    fn start(&self, pages: &Arc<dyn AllPages>) {
        let _ = pages;
    }

    /// What the service can do, as [`Hello::caps`](crate::Hello::caps) names it. Nothing that a page asks for, unless it says so.
    fn capabilities(&self) -> Vec<String> {
        Vec::new()
    }

    /// How much an operation asks for; `None` if the service does not know it.
    fn effort(&self, op: &str) -> Option<Effort>;

    /// Whose seat a search takes: those that name the same wait for each other. All searches of a service share one unless it says
    /// otherwise.
    fn seat(&self, request: &PageRequest) -> String {
        let _ = request;
        String::new()
    }

    /// Answers a request of a known operation. When it is stopped it returns soon, with what it has told so far as its answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure>;
}
