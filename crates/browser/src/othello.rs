//! The services of the othello page.

use std::sync::Arc;

use othello_core::Position;
use othello_engine::Session;
use othello_eval::Weights;
use othello_page::{EngineNames, OthelloPage};
use othello_record::OpeningNames;
use othello_search::{Control, Goal, Limits, PlayLevel, SearchSettings, Searcher};
use page_messages::{
    Effort, EventSink, PageFailure, PageRequest, PageService, PageServices, StopFlag,
};
use serde::Deserialize;
use serde_json::json;

use crate::HostSetup;

/// What the othello page asks, answered by an engine with the weights in the module.
pub fn othello_services(setup: HostSetup) -> PageServices {
    let settings = SearchSettings {
        hash_bytes: setup.hash_mib.max(1).saturating_mul(1 << 20),
        threads: setup.threads.max(1),
    };
    let weights = Arc::new(Weights::built_in());
    let searcher = Searcher::new(settings, Arc::clone(&weights));
    let session = Session::new(searcher, PlayLevel::default());
    let names = EngineNames {
        engine: concat!("yaneura ", env!("CARGO_PKG_VERSION")).to_owned(),
        weights: "built in".to_owned(),
    };
    let page = OthelloPage::new(session, OpeningNames::built_in().clone(), names);
    PageServices::default()
        .with(page.seeded(setup.seed))
        .with(OthelloBench { settings, weights })
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
