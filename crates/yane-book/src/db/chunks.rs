//! Books read in pieces that end where a position ends.

use std::path::Path;

use yane_io::{Chunk, ChunkReader, OrderedParallelMap, TextFile};

use super::records::last_record_start;
use crate::sniff::expect_text_book;
use crate::{BookError, Job, Result};

/// Opens a book to be read in chunks of whole positions, about `size` bytes long, longer only when a
/// single position is.
///
/// # Errors
/// When the file cannot be opened or is no text book.
pub fn open_chunks(path: &Path, size: usize) -> Result<ChunkReader> {
    let text = TextFile::open_any(path)?;
    expect_text_book(path, text.head())?;
    Ok(ChunkReader::text(text, size, last_record_start))
}

/// What `work` makes of each chunk of `reader`, computed ahead on the job's threads, in the order of the file. Cancelling
/// the job is an error.
pub(crate) fn map_chunks<T: Send + 'static>(
    mut reader: ChunkReader,
    job: &Job,
    work: impl Fn(&Chunk) -> Result<T> + Send + Sync + 'static,
) -> OrderedParallelMap<T, BookError> {
    let buffers = reader.pool();
    let cancelled = job.clone();
    let source = move || {
        cancelled.check()?;
        Ok(reader.next_chunk()?)
    };
    OrderedParallelMap::new(job.threads, source, move |chunk: Chunk| {
        let result = work(&chunk)?;
        buffers.give(chunk.bytes);
        Ok(result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_positions_and_nothing_is_lost() {
        let record = |n| format!("sfen position {n}\r\n7g7f none {}\r\n", "9".repeat(n));
        let text = (0..50).map(record).collect::<Vec<_>>().concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        std::fs::write(&path, &text).unwrap();
        for size in [64, 100, 1000, 100_000] {
            let mut reader = open_chunks(&path, size).unwrap();
            let mut all = Vec::new();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                assert_eq!(chunk.offset, all.len() as u64);
                assert!(chunk.bytes.starts_with(b"sfen "));
                assert!(chunk.bytes.ends_with(b"\r\n"));
                all.extend_from_slice(&chunk.bytes);
            }
            assert_eq!(all, text.as_bytes());
        }
    }
}
