//! The services of the shogi page.

use std::sync::Mutex;
use std::sync::PoisonError;

use page_messages::{
    Effort, EventSink, PageFailure, PageRequest, PageService, PageServices, StopFlag,
};
use serde::Deserialize;
use serde_json::json;
use shogi_engine::Session;
use shogi_page::{OwnEngine, ShogiPage};
use shogi_search::bench::{BENCH_DEPTH, bench_with};

use crate::HostSetup;

/// Memory of the solver of mates, in bytes.
const MATE_MEMORY: usize = 32 << 20;

/// What the shogi page asks, answered by an engine with the network in the module.
pub fn shogi_services(setup: HostSetup) -> PageServices {
    let own = OwnEngine::new(session(setup), NAME)
        .on_callers_thread()
        .with_mate_memory(MATE_MEMORY);
    PageServices::default()
        .with(ShogiPage::new(own, Vec::new()).seeded(setup.seed))
        .with(ShogiBench(Mutex::new(session(setup))))
}

/// The name of the engine, for people.
const NAME: &str = concat!("yaneura ", env!("CARGO_PKG_VERSION"));

/// A session without files.
fn session(setup: HostSetup) -> Session {
    let mut session = Session::new();
    session.set_seed(setup.seed);
    for (name, value) in [
        ("USI_Hash", setup.hash_mib.max(1).to_string()),
        ("Threads", setup.threads.max(1).to_string()),
        ("Evaluation", "embedded".to_owned()),
        ("BookFile", "no_book".to_owned()),
    ] {
        // The options are there, and the values fit: the tests set them.
        let _set = session.set_option(name, Some(&value));
    }
    session
}

/// The positions of `bench`, for tests and measurements.
struct ShogiBench(Mutex<Session>);

/// The fields of the request.
#[derive(Deserialize)]
struct BenchRequest {
    /// The depth in plies.
    #[serde(default = "usual")]
    depth: u32,
}

const fn usual() -> u32 {
    BENCH_DEPTH
}

impl PageService for ShogiBench {
    fn effort(&self, op: &str) -> Option<Effort> {
        (op == "shogi.bench").then_some(Effort::Search)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let request: BenchRequest = request.read()?;
        let session = self.0.lock();
        let mut session = session.unwrap_or_else(PoisonError::into_inner);
        let mut evaluator = session.evaluator();
        let (nodes, time) = bench_with(request.depth, &mut evaluator, &stop.shared());
        let fields = json!({ "nodes": nodes.to_string(), "ms": time.as_secs_f64() * 1e3 });
        sink.event("bench", fields);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_a_session_without_files_are_there() {
        let setup = HostSetup {
            threads: 2,
            hash_mib: 7,
            seed: 1,
        };
        let session = session(setup);
        let value = |wanted: &str| {
            let mut options = session.options().iter();
            let found = options.find(|(spec, _)| spec.name == wanted);
            found.map(|(_, value)| value.to_string()).unwrap()
        };
        let names = ["USI_Hash", "Threads", "Evaluation", "BookFile"];
        assert_eq!(names.map(value), ["7", "2", "embedded", "no_book"]);
    }
}
