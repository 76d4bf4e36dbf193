//! A stream handled by threads: batches out, results back in order.

use std::sync::Arc;

use yane_io::{Job, OrderedParallelMap, Unit};

use crate::move_codes::MoveCodes;
use crate::stream::StreamStart;
use crate::stream::batches::{Batch, Batches};
use crate::stream::input::Input;
use crate::{InvalidData, Result, TeacherFormat};

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
