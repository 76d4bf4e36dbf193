//! Sorted records of an input: streamed, or from runs.

use std::path::{Path, PathBuf};

use yane_io::external::{RecordBytes, RunReader, SortedSource, Sorter};
use yane_io::{OrderedParallelMap, Pool};

use super::normalise::{Normalised, Normaliser};
use super::{Early, MergeReport};
use crate::db::{LineProblem, SkippedLine, line_error, map_chunks, open_chunks};
use crate::{BookError, Job, Result, Unit};

/// Bytes of a sorted book that one thread works on at a time: small enough for its cache.
const STREAM_CHUNK: usize = 1 << 20;
/// Runs are not smaller than this, in bytes of input, unless memory is.
const MIN_RUN: u64 = 8 << 20;
/// Larger books are cut into this many runs, unless memory asks for more.
const RUNS: u64 = 64;

/// One sorted stream of records.
pub(super) enum SortedInput {
    /// A book that is sorted.
    InputStream(InputStream),
    /// A run of a book that is not.
    Run(RunReader),
}

/// The records of a sorted book, made ready ahead by other threads.
pub(super) struct InputStream {
    chunks: OrderedParallelMap<Normalised, BookError>,
    pool: Pool,
    /// Number of the input.
    input: usize,
    path: PathBuf,
    current: RecordBytes,
    /// Key of the last record of the chunk before.
    last_key: Vec<u8>,
    read: u64,
    skipped: Vec<(u64, LineProblem)>,
}

impl SortedInput {
    /// Streams a sorted book, which is input number `input`.
    pub(super) fn stream(
        normaliser: &Normaliser,
        input: usize,
        job: &Job,
    ) -> std::result::Result<Self, Early> {
        let pool = Pool::default();
        let mut stream = InputStream {
            chunks: chunks(normaliser, STREAM_CHUNK, job, &pool, Ok)?,
            pool,
            input,
            path: normaliser.path.clone(),
            current: RecordBytes::default(),
            last_key: Vec::new(),
            read: 0,
            skipped: Vec::new(),
        };
        stream.next_chunk()?;
        Ok(Self::InputStream(stream))
    }

    /// Sorts a book into runs. `number` is that of the input, one `of` so many.
    pub(super) fn runs(
        normaliser: &Normaliser,
        number: usize,
        of: usize,
        output: &Path,
        job: &Job,
        report: &mut MergeReport,
    ) -> Result<Vec<Self>> {
        let path = normaliser.path.as_path();
        let len = std::fs::metadata(path).map_err(BookError::io(path))?.len();
        // A thread holds a chunk and the run made of it; twice as many runs may be waiting.
        let most = job.memory / (4 * job.threads.max(1) as u64 + 2);
        let size = (len / RUNS).max(MIN_RUN).min(most).min(1 << 30);
        job.progress.stage("sort", Some(len), Unit::Bytes);
        let progress = job.progress.clone();
        let pool = Pool::default();
        let runs_pool = pool.clone();
        let sorted = move |mut chunk: Normalised| {
            let records = std::mem::take(&mut chunk.records);
            progress.advance(records.size() as u64);
            Ok((chunk, records.into_run_with(&runs_pool)))
        };
        let mut sorter = Sorter::new(job, job.temp_for(output));
        for chunk in chunks(normaliser, size as usize, job, &pool, sorted)? {
            let (chunk, run) = chunk?;
            sorter.add_run(run, &pool)?;
            report.read[number] += chunk.read;
            let skipped = chunk.skipped.into_iter();
            report
                .skipped
                .extend(skipped.map(|(offset, problem)| SkippedLine::new(path, offset, problem)));
        }
        let readers = sorter.into_readers(of)?;
        Ok(readers.into_iter().map(Self::Run).collect())
    }

    /// Adds what is known at the end to the report.
    pub(super) fn report(&self, number: usize, report: &mut MergeReport) {
        let Self::InputStream(stream) = self else {
            return;
        };
        report.read[number] += stream.read;
        let path = &stream.path;
        let skipped = stream.skipped.iter().cloned();
        report
            .skipped
            .extend(skipped.map(|(offset, problem)| SkippedLine::new(path, offset, problem)));
    }
}

/// The chunks of a book, normalised and then given to `and_then`, on all threads.
fn chunks<T: Send + 'static>(
    normaliser: &Normaliser,
    size: usize,
    job: &Job,
    pool: &Pool,
    and_then: impl Fn(Normalised) -> Result<T> + Send + Sync + 'static,
) -> Result<OrderedParallelMap<T, BookError>> {
    let reader = open_chunks(&normaliser.path, size)?;
    let (normaliser, pool) = (normaliser.clone(), pool.clone());
    Ok(map_chunks(reader, job, move |chunk| {
        let normalised = normaliser
            .normalise(chunk, &pool)
            .map_err(|(offset, problem)| line_error(&normaliser.path, offset, problem))?;
        and_then(normalised)
    }))
}

impl InputStream {
    /// Goes on with the next chunk that has records.
    #[cold]
    fn next_chunk(&mut self) -> std::result::Result<(), Early> {
        while self.current.is_at_end() {
            let Some(chunk) = self.chunks.next() else {
                return Ok(());
            };
            let chunk = chunk?;
            self.read += chunk.read;
            self.skipped.extend(chunk.skipped);
            if let Some((first, last)) = chunk.records.ends() {
                if !chunk.records.is_sorted() || *self.last_key > *first {
                    return Err(Early::NeedsSorting(self.input));
                }
                self.last_key.clear();
                self.last_key.extend_from_slice(last);
            }
            let next = RecordBytes::new(chunk.records.into_unsorted_run());
            let done = std::mem::replace(&mut self.current, next);
            self.pool.give(done.into_buffer());
        }
        Ok(())
    }
}

impl SortedSource for SortedInput {
    type Error = Early;

    #[inline(always)]
    fn current(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Self::InputStream(stream) => stream.current.record(),
            Self::Run(run) => run.current(),
        }
    }

    #[inline(always)]
    fn advance(&mut self) -> std::result::Result<(), Early> {
        match self {
            Self::InputStream(stream) => {
                stream.current.advance();
                if stream.current.is_at_end() {
                    stream.next_chunk()?;
                }
                Ok(())
            }
            Self::Run(run) => Ok(run.advance()?),
        }
    }
}
