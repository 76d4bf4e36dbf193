//! The service of the page: each operation to its handler.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use othello_engine::{PlayBook, Session};
use othello_eval::Weights;
use othello_record::OpeningNames;
use page_messages::{Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde_json::{Value, json};

use crate::engines::{self, EngineNames};
use crate::export::export;
use crate::fields::send;
use crate::import::import;
use crate::position::position;
use crate::{search, tables};

/// Answers what the othello page asks.
#[derive(Clone, Debug)]
pub struct OthelloPage {
    session: Arc<RwLock<Session>>,
    openings: Arc<OpeningNames>,
    names: Arc<RwLock<EngineNames>>,
    /// Where the seeds of requests without one come from.
    seeds: Arc<AtomicU64>,
}

impl OthelloPage {
    /// A service with an engine, whose level and book count where requests say nothing else, and names of openings.
    pub fn new(session: Session, openings: OpeningNames, names: EngineNames) -> Self {
        Self {
            session: Arc::new(RwLock::new(session)),
            openings: Arc::new(openings),
            names: Arc::new(RwLock::new(names)),
            seeds: Arc::default(),
        }
    }

    /// Sets the book that requests ask from now on; those that run go on with the one that they have.
    pub fn set_book(&self, book: Option<PlayBook>) {
        let session = self.session.write();
        session
            .unwrap_or_else(PoisonError::into_inner)
            .set_book(book);
    }

    /// Has the engine play with other weights, which people are told by a name. It waits for a search that runs.
    pub fn set_weights(&self, weights: Weights, name: impl Into<String>) {
        self.session().set_weights(Arc::new(weights));
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        names.weights = name.into();
    }

    /// The engine and its settings in messages, as the event `engine` tells them.
    pub fn engines(&self) -> Value {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        engines::engines(&names, &self.session())
    }

    /// The engine as it is at the moment.
    fn session(&self) -> Session {
        let session = self.session.read();
        session.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same with other random choices where requests have no seed: they are alike each time for the same number.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        self.seeds.store(seed, Ordering::Relaxed);
        self
    }

    /// A seed for a request without one, another each time.
    fn next_seed(&self) -> u64 {
        // The step of SplitMix64: no number comes twice.
        self.seeds
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)
    }
}

impl PageService for OthelloPage {
    fn capabilities(&self) -> Vec<String> {
        ["othello", "search"].map(ToOwned::to_owned).to_vec()
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        match op {
            "position" | "import" | "export" | "openings" | "levels" => Some(Effort::Quick),
            // Those of the engine wait for a search that runs.
            "play" | "analyze" | "random" | "engines" | "engine.set" | "engine.clear" => {
                Some(Effort::Search)
            }
            "hint" | "focus" => Some(Effort::Watched),
            _ => None,
        }
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let names = &*self.openings;
        match request.op.as_str() {
            "position" => send(sink, "position", &position(&request.read()?, names)?),
            "import" => send(sink, "import", &import(&request.read()?)?),
            "export" => send(sink, "export", &export(&request.read()?)?),
            "openings" => {
                let openings = json!({ "openings": tables::openings(names) });
                sink.event("openings", openings);
            }
            "levels" => send(sink, "levels", &tables::levels(self.session().level)),
            "engines" => sink.event("engines", self.engines()),
            "engine.set" => {
                engines::set(request.read()?, &self.session())?;
                sink.broadcast("engine", self.engines());
            }
            "engine.clear" => self.session().clear(),
            "hint" => search::hint(&request.read()?, &self.session(), sink, stop)?,
            "focus" => search::focus(&request.read()?, &self.session(), sink, stop)?,
            "play" => {
                let request = request.read()?;
                search::play(&request, &self.session(), self.next_seed(), sink, stop)?;
            }
            "analyze" => search::analyze(&request.read()?, &self.session(), sink, stop)?,
            "random" => {
                let request = request.read()?;
                search::random(&request, &self.session(), self.next_seed(), sink, stop)?;
            }
            op => return Err(PageFailure::new(format!("'{op}' is no operation"))),
        }
        Ok(())
    }
}
