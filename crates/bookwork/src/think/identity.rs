//! What a run is about: which positions, engines and settings.

use std::collections::{BTreeMap, BTreeSet};

use farm::queue::Queue;
use shogi_core::Position;
use shogi_farm::Engine;
use xxhash_rust::xxh3::Xxh3;

use crate::think::options::Think;

/// The same for positions of this [`fingerprint`].
pub(super) fn queue_of(options: &Think, engines: &[Engine], fingerprint: u64, url: &str) -> Queue {
    let how = search_description(options, engines);
    Queue::new(url, &format!("think 2 positions {fingerprint:016x} {how}"))
}

/// Returns the description of all that results depend on besides positions.
pub(crate) fn search_description(options: &Think, engines: &[Engine]) -> String {
    format!(
        "depth {} nodes {:?} time {:?} lines {} told {:?} count {:?} engines {:?}{}",
        options.depth,
        options.nodes,
        options.time,
        options.lines,
        options.depth_source,
        options.count,
        engine_kinds(engines),
        if options.keeps_hash {
            " remembering"
        } else {
            ""
        },
    )
}

/// Returns the properties of engines that results depend on, whatever their place and number.
pub(crate) fn engine_kinds(engines: &[Engine]) -> BTreeSet<(bool, &BTreeMap<String, String>)> {
    engines
        .iter()
        .map(|engine| (engine.is_embedded(), &engine.options))
        .collect()
}

/// The hash of `positions` and their order.
pub(crate) fn fingerprint<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    let mut hash = Xxh3::new();
    for position in positions {
        hash.update(position.to_sfen().as_bytes());
        hash.update(b"\n");
    }
    hash.digest()
}
