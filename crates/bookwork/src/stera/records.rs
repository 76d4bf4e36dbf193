//! The positions of game records.

use std::path::Path;

use hashbrown::HashSet;
use yane_book::db::Lines;
use yane_book::records::Replay;
use yane_book::sniff::RECORDS;
use yane_io::read_text;

use crate::Result;

/// The keys of all positions of the games in the record file at `path`. A game that cannot be followed to its
/// end counts as far as it can.
pub(super) fn keys(path: &Path) -> Result<HashSet<u128>> {
    let text = read_text(path, &RECORDS)?;
    let mut keys = HashSet::new();
    for (_, line) in Lines::new(&text, 0) {
        let Ok(mut game) = Replay::new(line) else {
            continue;
        };
        keys.insert(game.position().key128());
        while let Ok(Some(_)) = game.play_next() {
            keys.insert(game.position().key128());
        }
    }
    Ok(keys)
}
