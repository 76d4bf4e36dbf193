//! Whether a book seems to be sorted already.

use std::path::Path;

use yane_io::Chunk;

use crate::db::{Records, map_chunks, open_chunks};
use crate::{Job, Result, Unit};

/// Bytes looked at by one thread at a time.
const CHUNK: usize = 1 << 20;

/// The first and the last SFEN of a chunk, if all are in order.
type Range = Option<(Vec<u8>, Vec<u8>)>;

/// Whether all `sfen` lines stand in the order of their bytes. Reads no further than the first that
/// does not.
pub(super) fn is_sorted(path: &Path, job: &Job) -> Result<bool> {
    let reader = open_chunks(path, CHUNK)?;
    job.progress
        .stage("check the order", Some(reader.file_len()), Unit::Bytes);
    let progress = job.progress.clone();
    let ranges = map_chunks(reader, job, move |chunk| {
        progress.advance(chunk.bytes.len() as u64);
        Ok(range(chunk))
    });
    let mut last = Vec::new();
    for range in ranges {
        job.check()?;
        match range? {
            Some((first, _)) if first.is_empty() => {}
            Some((first, end)) if last <= first => last = end,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn range(chunk: &Chunk) -> Range {
    let mut ends: Option<(&[u8], &[u8])> = None;
    for record in Records::new(&chunk.bytes, chunk.offset) {
        match &mut ends {
            None => ends = Some((record.sfen, record.sfen)),
            Some((_, last)) if *last <= record.sfen => *last = record.sfen,
            Some(_) => return None,
        }
    }
    let (first, last) = ends.unwrap_or_default();
    Some((first.to_vec(), last.to_vec()))
}
