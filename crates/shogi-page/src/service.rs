//! The service of the page: each operation to its handler.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use page_messages::{AllPages, Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::books::{NoBooks, PageBooks};
use crate::check::check_position;
use crate::engines::{Engines, OWN, OptionChanges, OwnEngine, PageEngine, UsiEngine};
use crate::export::export;
use crate::fields::send;
use crate::import::import;
use crate::opened::{OpenedGames, opened};
use crate::openings;
use crate::position::position;
use crate::search::{analyze, mate, play, think};

/// Answers what the shogi page asks. Clones are the same service.
#[derive(Clone)]
pub struct ShogiPage {
    engines: Engines,
    books: Arc<dyn PageBooks>,
    opened: Arc<Vec<OpenedGames>>,
    /// Where random choices come from.
    seeds: Arc<AtomicU64>,
}

impl fmt::Debug for ShogiPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.engines.iter().map(PageEngine::label).collect();
        write!(f, "ShogiPage({})", names.join(", "))
    }
}

/// The fields of requests about one engine.
#[derive(Debug, Deserialize)]
struct EngineRequest {
    #[serde(default)]
    engine: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

impl ShogiPage {
    /// A service with our engine and programs that speak USI, whose labels are not `own`.
    pub fn new(own: OwnEngine, others: Vec<UsiEngine>) -> Self {
        Self {
            engines: Engines::new(own, others),
            books: Arc::new(NoBooks),
            opened: Arc::default(),
            seeds: Arc::default(),
        }
    }

    /// The same with books, which `play` plays from and `think` shows.
    #[must_use]
    pub fn with_books(self, books: Arc<dyn PageBooks>) -> Self {
        Self { books, ..self }
    }

    /// The same with games that the command line named.
    #[must_use]
    pub fn with_opened(self, opened: Vec<OpenedGames>) -> Self {
        Self {
            opened: Arc::new(opened),
            ..self
        }
    }

    /// The same with other random choices: they are alike each time for the same number.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        self.seeds.store(seed, Ordering::Relaxed);
        self
    }

    /// Gets all engines ready, so that the first searches begin at once, and tells pages what became of it. It takes as long as the
    /// engines need; `stop` ends it.
    pub fn prepare(&self, pages: &dyn AllPages, stop: &StopFlag) {
        for engine in self.engines.iter() {
            if stop.is_stopped() {
                return;
            }
            // Its note says why it cannot be used.
            let _noted = engine.prepare(stop);
            pages.broadcast("engine", self.engines_value());
        }
    }

    /// Has our engine play with the network of a file, named as by its option `EvalDir`, in the searches that begin from now on; without a file, with
    /// the one in the program.
    ///
    /// # Errors
    ///
    /// What is wrong with the file; the engine goes on as it was then.
    pub fn take_network(&self, file: Option<&str>) -> Result<(), PageFailure> {
        self.engines.own().take_network(file)
    }

    /// All engines in messages, as the event `engine` tells them.
    pub fn engines_value(&self) -> Value {
        let engines: Vec<_> = self.engines.iter().map(PageEngine::fields).collect();
        json!({ "engines": engines })
    }

    /// Changes something of an engine, and tells it all pages.
    fn change(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let fields: EngineRequest = request.read()?;
        let engine = self.engines.get(fields.engine.as_deref())?;
        let changed = match request.op.as_str() {
            "engine.set" => engine.set_options(&OptionChanges::of(&fields.options)?),
            "engine.clear" => {
                engine.clear();
                return Ok(());
            }
            _ => engine.prepare(stop),
        };
        sink.broadcast("engine", self.engines_value());
        changed
    }

    /// A search; what became of a program that failed is told to all pages.
    fn search(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let states = || {
            self.engines
                .iter()
                .map(PageEngine::state)
                .collect::<Vec<_>>()
        };
        let before = states();
        let (engines, books) = (&self.engines, &*self.books);
        let answered = match request.op.as_str() {
            "think" => think(&request.read()?, engines, books, sink, stop),
            "mate" => mate(&request.read()?, engines, sink, stop),
            "analyze" => analyze(&request.read()?, engines, books, sink, stop),
            _ => {
                // The step of SplitMix64: no number comes twice.
                let step = 0x9e37_79b9_7f4a_7c15;
                let random = self.seeds.fetch_add(step, Ordering::Relaxed);
                play(&request.read()?, engines, books, random, sink, stop)
            }
        };
        if states() != before {
            sink.broadcast("engine", self.engines_value());
        }
        answered
    }
}

impl PageService for ShogiPage {
    fn capabilities(&self) -> Vec<String> {
        let mut capabilities = vec!["shogi".to_owned(), "search".to_owned()];
        if !self.opened.is_empty() {
            capabilities.push("opened".to_owned());
        }
        capabilities
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        match op {
            "position" | "check_position" | "import" | "export" | "opened" | "openings"
            | "opening" | "engines" | "engine.set" | "engine.clear" => Some(Effort::Quick),
            "mate" | "play" | "analyze" | "engine.start" => Some(Effort::Search),
            "think" => Some(Effort::Watched),
            _ => None,
        }
    }

    fn seat(&self, request: &PageRequest) -> String {
        let named = request.fields.get("engine").and_then(Value::as_str);
        match (named.unwrap_or(OWN), request.op.as_str()) {
            // It has a solver of its own, which searches beside it.
            (OWN, "mate") => "own mate".to_owned(),
            (name, _) => format!("engine {name}"),
        }
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        match request.op.as_str() {
            "position" => send(sink, "position", &position(&request.read()?)?),
            "check_position" => send(sink, "checked", &check_position(&request.read()?)),
            "import" => send(sink, "import", &import(&request.read()?)?),
            "export" => send(sink, "export", &export(&request.read()?)?),
            "openings" => sink.event("openings", openings::openings()),
            "opening" => send(sink, "opening", &openings::along(&request.read()?)?),
            "opened" => opened(request.read()?, &self.opened, sink),
            "engines" => sink.event("engines", self.engines_value()),
            "engine.set" | "engine.clear" | "engine.start" => {
                return self.change(request, sink, stop);
            }
            "think" | "mate" | "play" | "analyze" => return self.search(request, sink, stop),
            op => return Err(PageFailure::new(format!("'{op}' is no operation"))),
        }
        Ok(())
    }
}
