//! `engines`: the engine and its settings.

use othello_engine::Session;
use othello_search::SearchSettings;
use page_messages::PageFailure;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fields::within;

/// How the engine is told to people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineNames {
    /// The program and its version.
    pub engine: String,
    /// Where the weights come from.
    pub weights: String,
}

/// The most memory for the table that a page may ask for, in MiB. Modules in a tab have 4 GiB for all.
const MOST_HASH: usize = if usize::BITS > 32 { 16 << 10 } else { 1 << 10 };

/// The most threads that a page may ask for.
const MOST_THREADS: usize = 256;

/// The fields of `engine.set`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct EngineRequest {
    #[serde(default)]
    threads: Option<usize>,
    #[serde(default)]
    hash_mib: Option<usize>,
}

/// The engines.
pub(crate) fn engines(names: &EngineNames, session: &Session) -> Value {
    let settings = session.search_settings();
    json!({ "engines": [{
        "engine": "own",
        "name": names.engine,
        "weights": names.weights,
        "threads": settings.threads,
        "hash_mib": settings.hash_bytes >> 20,
    }] })
}

/// Changes the settings of the engine.
pub(crate) fn set(request: EngineRequest, session: &Session) -> Result<(), PageFailure> {
    let mut settings: SearchSettings = session.search_settings();
    if let Some(threads) = request.threads {
        settings.threads = within("threads", threads, 1..=MOST_THREADS)?;
    }
    if let Some(hash) = request.hash_mib {
        settings.hash_bytes = within("hash_mib", hash, 1..=MOST_HASH)? << 20;
    }
    session.set_search(settings);
    Ok(())
}
