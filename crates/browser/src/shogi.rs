//! The services of the shogi page.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use page_messages::{
    Effort, EventSink, PageFailure, PageRequest, PageService, PageServices, StopFlag,
};
use serde::Deserialize;
use serde_json::json;
use shogi_engine::{Profile, Session};
use shogi_eval::kppt::KpptTable;
use shogi_eval::loader::NETWORK_FILE;
use shogi_eval::nnue::Network;
use shogi_page::{OwnEngine, ShogiPage};
use shogi_search::bench::{BENCH_DEPTH, bench_with};
use shogi_shelf::{PlayedBooks, ShogiBookShelf};
use yane_book::Format;
use yane_io::text_of_name;

use crate::HostSetup;
use crate::files::{FileKinds, KeptBooks, TabFiles, job};
use crate::network::EngineNetwork;

/// Memory of the solver of mates, in bytes.
const MATE_MEMORY: usize = 32 << 20;

/// What the shogi page asks, answered by an engine with the network in the module or that of a file, and with books.
pub fn shogi_services(setup: HostSetup, files: &TabFiles) -> PageServices {
    let own = OwnEngine::new(session(setup), NAME)
        .on_callers_thread()
        .with_mate_memory(MATE_MEMORY)
        .with_chosen_network();
    let played = PlayedBooks::new(Profile::Classic);
    let page = ShogiPage::new(own, Vec::new())
        .with_books(Arc::new(played.clone()))
        .seeded(setup.seed);
    let roots = Arc::new(files.clone());
    let shelf = ShogiBookShelf::new(roots, job(), None, move |open| played.set(open));
    let books = KeptBooks {
        shelf,
        path_of: |shelf: &ShogiBookShelf, book: &str| shelf.path_of(book).ok(),
        files: files.clone(),
    };
    let (taking, listed) = (page.clone(), page.clone());
    let networks = EngineNetwork {
        // A search that is on its way goes on with the network that it has.
        effort: Effort::Quick,
        take: move |file: Option<&Path>| {
            let dir = file.map(|file| text_of_name(file.as_os_str()));
            taking.take_network(dir.as_deref())
        },
        engines: move || listed.engines_value(),
    };
    PageServices::default()
        .with(page)
        .with(networks)
        .with(books)
        .with(FileKinds {
            kind: kind_of,
            expected: "a network (.nnue, .bin) or a book (.db, .ybb, .sbk, .bin)",
        })
        .with(ShogiBench(Mutex::new(session(setup))))
}

/// The kind of a file. Three-piece tables are several files and too large for a tab.
fn kind_of(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    /// Bytes of a move in a book of Apery.
    const RECORD: usize = 16;
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    if KpptTable::ALL
        .map(KpptTable::file_name)
        .contains(&path.to_str()?)
    {
        return None;
    }
    match extension.as_str() {
        "nnue" | "params" => Some("network"),
        "db" | "ybb" | "sbk" => Some("book"),
        "bin" => {
            let is_network = Network::is_in(bytes) || path.file_name()? == NETWORK_FILE;
            let is_book = !is_network && bytes.len().is_multiple_of(RECORD);
            Some(if is_book { "book" } else { "network" })
        }
        _ => None,
    }
}

/// Returns whether a file is a book that is looked up in slices.
pub(crate) fn is_sliced_book(path: &Path, head: &[u8]) -> bool {
    match Format::of_path(path) {
        Ok(Format::Db | Format::Ybb) => true,
        Ok(Format::Apery) => {
            !Network::is_in(head) && path.file_name() != Some(NETWORK_FILE.as_ref())
        }
        Ok(Format::Sbk) | Err(_) => false,
    }
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
