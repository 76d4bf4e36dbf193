//! Files in batches of whole games or records, worked on by several threads, results in order.
//!
//! Memory does not depend on the size of the file. A batch is cut by looking at lengths only; what
//! is wrong inside is found by whoever works on it, and anything at which cutting stops (an unknown
//! start, the end of the file inside a game) is left at the end of the last batch for the same
//! reason.

mod batches;
mod input;

use std::sync::Arc;

use yane_io::{Job, OrderedParallelMap, Unit};

use crate::games::{FileGame, GameProblem, frames_len};
use crate::move_codes::MoveCodes;
use crate::{Hcpe3Game, InvalidData, Result, TeacherFormat, pack};

pub use batches::{Batch, Batches};
pub use input::{Input, StreamOutput};

/// Result of a batch.
#[derive(Debug)]
pub struct Done<T> {
    /// Value that the work function returned.
    pub value: T,
    /// The first damage, with its place in the file. The batches after this one are still worked on:
    /// whoever cannot go on stops taking them.
    pub invalid: Option<InvalidData>,
    /// Offset of the batch in the file.
    pub offset: u64,
    /// Games, records or lines before the batch.
    pub before: u64,
    /// Bytes of the batch.
    pub len: u64,
}

/// The results of `work` on the batches of a file, in the order of the file.
pub type StreamResults<T> = OrderedParallelMap<Done<T>, crate::TeacherError>;

/// Start of a stream in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStart {
    /// Offset in bytes.
    pub offset: u64,
    /// Games, records or lines that count as being before it.
    pub before: u64,
}

/// Reads `input` and calls `work` with each batch on `job.threads` threads, if it is one on that of whoever
/// takes the results. Invalid data that `work`
/// returns has its place in the batch; the result has it in the file.
///
/// # Errors
/// When the file cannot be opened. Errors in reading come in their place.
pub fn process<T: Send + 'static>(
    input: &Input,
    format: TeacherFormat,
    job: &Job,
    work: impl Fn(&Batch) -> (T, Option<InvalidData>) + Send + Sync + 'static,
) -> Result<StreamResults<T>> {
    let codes = MoveCodes::default();
    process_from(input, format, StreamStart::default(), codes, job, work)
}

/// As [`process`], from a place in the middle of a file, whose moves (of PSV) have these codes.
///
/// # Errors
/// See [`process`].
pub(crate) fn process_from<T: Send + 'static>(
    input: &Input,
    format: TeacherFormat,
    start: StreamStart,
    codes: MoveCodes,
    job: &Job,
    work: impl Fn(&Batch) -> (T, Option<InvalidData>) + Send + Sync + 'static,
) -> Result<StreamResults<T>> {
    let mut batches = Batches::open_at(input, format, start)?;
    let size = batches.size().map(|size| size.saturating_sub(start.offset));
    job.progress
        .stage(&format!("reading {input}"), size, Unit::Bytes);
    let source_job = job.clone();
    let pool = batches.pool();
    let progress = Arc::clone(&job.progress);
    let source = move || {
        source_job.check()?;
        batches.next_batch()
    };
    let work = move |mut batch: Batch| {
        if format == TeacherFormat::Psv {
            codes.translate(&mut batch.bytes);
        }
        let (value, invalid) = work(&batch);
        let len = batch.bytes.len() as u64;
        progress.advance(len);
        let done = Done {
            value,
            invalid: invalid.map(|invalid| invalid.moved(batch.offset, batch.before)),
            offset: batch.offset,
            before: batch.before,
            len,
        };
        pool.give(batch.bytes);
        Ok(done)
    };
    Ok(match job.threads {
        0 | 1 => OrderedParallelMap::in_place(source, work),
        threads => OrderedParallelMap::new(threads, source, work),
    })
}

// Cutting bytes at the borders of games and records.

/// Complete part of a piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Complete games, records or lines at the start.
    pub units: u64,
    /// The bytes they take.
    pub len: usize,
    /// True if the bytes that follow the complete ones cannot begin another unit, whatever comes
    /// next.
    pub stuck: bool,
}

/// The complete units at the start of `bytes`.
pub fn split(format: TeacherFormat, bytes: &[u8]) -> Split {
    match format {
        TeacherFormat::Pack => split_games::<pack::Game>(bytes),
        TeacherFormat::Hcpe3 => split_games::<Hcpe3Game>(bytes),
        TeacherFormat::Hcpe | TeacherFormat::Psv => {
            let record = format.record_len().unwrap_or(1);
            let units = bytes.len() / record;
            Split {
                units: units as u64,
                len: units * record,
                stuck: false,
            }
        }
        TeacherFormat::Jsonl | TeacherFormat::Csv => {
            let len = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
            let units = memchr::memchr_iter(b'\n', &bytes[..len]).count();
            Split {
                units: units as u64,
                len,
                stuck: false,
            }
        }
    }
}

fn split_games<G: FileGame>(bytes: &[u8]) -> Split {
    let (games, len) = frames_len::<G>(bytes);
    let rest = &bytes[len..];
    let more_may_come = || G::frame(rest).is_err_and(|problem| problem.is_truncated());
    Split {
        units: games as u64,
        len,
        stuck: !rest.is_empty() && !more_may_come(),
    }
}
