//! An othello engine that answers at once, for targets that talk to it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use othello_engine::Session;
use othello_eval::Weights;
use othello_search::{PlayLevel, SearchSettings, Searcher};

/// A session whose searches take no time.
pub fn session() -> Session {
    static WEIGHTS: OnceLock<Arc<Weights>> = OnceLock::new();
    let weights = WEIGHTS.get_or_init(|| Arc::new(Weights::untrained()));
    let settings = SearchSettings {
        hash_bytes: 1 << 20,
        threads: 1,
    };
    let searcher = Searcher::new(settings, Arc::clone(weights));
    let mut session = Session::new(searcher, PlayLevel::Egaroucid(1));
    session.move_time = Some(Duration::from_millis(1));
    session
}

/// Returns whether a line touches no file, and asks for no long work or much memory.
pub fn is_harmless(line: &str) -> bool {
    const LONG: [&str; 22] = [
        "loadsgf",
        "load",
        "open",
        "save",
        "solve",
        "obftest",
        "level",
        "l ",
        "set ",
        "st ",
        "sd ",
        "move-time",
        "genproblem",
        "randboard",
        "genrandboard",
        "mode",
        "m ",
        "memory",
        "cores",
        "hash",
        "n-tasks",
        "perft",
    ];
    let line = line.trim().to_ascii_lowercase();
    let line = line.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign.is_whitespace());
    let is_file = |name: &str| line == name || line.starts_with(&format!("{name} "));
    !LONG.iter().any(|name| line.starts_with(name))
        && !["o", "s", "analyze", "a", "analyse", "count", "book"]
            .into_iter()
            .any(is_file)
}
