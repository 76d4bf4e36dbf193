//! Text books in chunks that end where a record ends.

use std::path::Path;

use yane_io::{Chunk, ChunkReader, OrderedParallelMap, TextFile};

use crate::db::records::last_record_start;
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

/// Returns the result of `work` for each chunk of `reader`, computed ahead on the job's threads, in the order of the file.
/// Cancelling the job is an error.
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
