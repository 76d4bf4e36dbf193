//! The services of the othello page.

use std::path::Path;
use std::sync::Arc;

use othello_book::BookFormat;
use othello_core::Position;
use othello_engine::Session;
use othello_eval::Weights;
use othello_page::{EngineNames, OthelloPage};
use othello_record::OpeningNames;
use othello_search::{Control, Goal, Limits, PlayLevel, SearchSettings, Searcher};
use othello_shelf::BookShelf;
use page_messages::{
    Effort, EventSink, PageFailure, PageRequest, PageService, PageServices, StopFlag,
};
use serde::Deserialize;
use serde_json::json;

use crate::HostSetup;
use crate::files::{FileKinds, KeptBooks, TabFiles, job};
use crate::network::EngineNetwork;

/// How the weights in the module are called.
const BUILT_IN: &str = "built in";

/// What the othello page asks, answered by an engine with the weights in the module or those of a file, and with books.
pub fn othello_services(setup: HostSetup, files: &TabFiles) -> PageServices {
    let settings = SearchSettings {
        hash_bytes: setup.hash_mib.max(1).saturating_mul(1 << 20),
        threads: setup.threads.max(1),
    };
    let weights = Arc::new(Weights::built_in());
    let searcher = Searcher::new(settings, Arc::clone(&weights));
    let session = Session::new(searcher, PlayLevel::default());
    let names = EngineNames {
        engine: concat!("yaneura ", env!("CARGO_PKG_VERSION")).to_owned(),
        weights: BUILT_IN.to_owned(),
    };
    let page =
        OthelloPage::new(session, OpeningNames::built_in().clone(), names).seeded(setup.seed);
    let playing = page.clone();
    let roots = Arc::new(files.clone());
    let books = KeptBooks {
        shelf: BookShelf::new(roots, job(), move |book| playing.set_book(book)),
        path_of: |shelf: &BookShelf, book: &str| shelf.path_of(book).ok(),
        files: files.clone(),
    };
    let (taking, listed) = (page.clone(), page.clone());
    let networks = EngineNetwork {
        // It waits for a search that runs, which has the weights.
        effort: Effort::Search,
        take: move |file: Option<&Path>| take_weights(&taking, file),
        engines: move || listed.engines(),
    };
    PageServices::default()
        .with(page)
        .with(networks)
        .with(books)
        .with(FileKinds {
            kind: kind_of,
            expected: "weights (.yev, eval.dat, .egev2) or a book (.egbk3, .egbk2, .egbk, .dat, Edax's text)",
        })
        .with(OthelloBench { settings, weights })
}

/// The kind of a file.
fn kind_of(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    if Weights::are_in(bytes) {
        return Some("network");
    }
    let named = || {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(["egbk3", "egbk2", "egbk", "dat"].contains(&extension.as_str()))
    };
    let is_book = match BookFormat::of_bytes(bytes) {
        Ok(_) => true,
        // What is named like a book and is none is told by who opens it.
        Err(_) => named() == Some(true),
    };
    is_book.then_some("book")
}

/// Has the engine play with the weights of a file; without one, with those in the module.
fn take_weights(page: &OthelloPage, file: Option<&Path>) -> Result<(), PageFailure> {
    match file {
        Some(file) => {
            let weights = Weights::load(file).map_err(|error| PageFailure::of(&error))?;
            page.set_weights(weights, file.display().to_string());
        }
        None => page.set_weights(Weights::built_in(), BUILT_IN),
    }
    Ok(())
}

/// Searches boards with a table of its own, for tests and measurements.
struct OthelloBench {
    settings: SearchSettings,
    weights: Arc<Weights>,
}

/// The fields of the request.
#[derive(Deserialize)]
struct BenchRequest {
    /// 64 squares and the side to move.
    boards: Vec<String>,
    /// The depth in plies; without it, exactly to the end.
    #[serde(default)]
    depth: Option<u32>,
}

impl PageService for OthelloBench {
    fn effort(&self, op: &str) -> Option<Effort> {
        (op == "othello.bench").then_some(Effort::Search)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let request: BenchRequest = request.read()?;
        let control = Control::with_stop(stop.shared());
        for board in &request.boards {
            let position: Position = board.parse().map_err(|error| PageFailure::of(&error))?;
            let goal = match request.depth {
                None => Goal::exact(1),
                Some(depth) => Goal {
                    depth,
                    ..Goal::exact(1)
                },
            };
            let mut searcher = Searcher::new(self.settings, Arc::clone(&self.weights));
            let found =
                searcher.search(position.board(), goal, Limits::default(), &control, &mut ());
            let fields = json!({
                "score": found.score,
                "nodes": found.nodes.to_string(),
                "ms": found.elapsed.as_secs_f64() * 1e3,
            });
            sink.event("bench", fields);
        }
        Ok(())
    }
}
