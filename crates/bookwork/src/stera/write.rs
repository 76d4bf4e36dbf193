//! Writing the book of a run.

use std::path::Path;

use farm::SharedBacklog;
use hashbrown::HashSet;
use yane_book::db::{HEADER, LineEnd, push_move_line};
use yane_io::AtomicFile;

use crate::Result;
use crate::stera::choice::Choice;

/// Writes the book of `choice` as far as the journal has it, sorted by SFEN, as `path`; workers choose leaves
/// meanwhile.
pub(super) fn write(shared: &SharedBacklog<Choice>, path: &Path, line_end: LineEnd) -> Result<u64> {
    let choice = shared.lock();
    let graph = &choice.store.graph;
    let len = graph.len() as u32;
    let unsaved = choice.unsaved.iter().filter_map(|&key| graph.find(key));
    let unsaved: HashSet<u32> = unsaved.collect();
    drop(choice);
    let mut order = Vec::with_capacity(len as usize);
    for batch in batches(0..len) {
        let choice = shared.lock();
        let saved = batch.filter(|node| !unsaved.contains(node));
        order.extend(saved.map(|node| (choice.store.position(node).to_sfen(), node)));
    }
    order.sort_unstable();
    let mut file = AtomicFile::create(path)?;
    file.put(HEADER.as_bytes())?;
    file.put(line_end.bytes())?;
    let mut text = Vec::new();
    for batch in order.chunks(BATCH) {
        text.clear();
        let choice = shared.lock();
        for (sfen, node) in batch {
            text.extend_from_slice(b"sfen ");
            text.extend_from_slice(sfen.as_bytes());
            text.extend_from_slice(line_end.bytes());
            for known in choice.store.moves(*node) {
                push_move_line(&mut text, &known);
                text.extend_from_slice(line_end.bytes());
            }
        }
        drop(choice);
        file.put(&text)?;
    }
    file.commit()?;
    Ok(order.len() as u64)
}

pub(super) fn batches(range: std::ops::Range<u32>) -> impl Iterator<Item = std::ops::Range<u32>> {
    let end = range.end;
    range
        .step_by(BATCH)
        .map(move |start| start..end.min(start + BATCH as u32))
}

/// Positions read or written between two checks for cancellation.
pub(super) const BATCH: usize = 1 << 10;
