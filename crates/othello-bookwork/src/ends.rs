//! The values of the ends of a book's lines, each from a search of its own.

use std::sync::Arc;

use farm::{RetryPolicy, Stop, WorkError, Worker, Workers, map_job_in_order, threads};
use othello_core::Board;
use othello_eval::Weights;
use othello_search::{Control, Limits, PlayLevel, SearchSettings, Searcher};
use yane_io::{Job, Journal, Unit};

use crate::error::Result;

/// An end of lines: its number in a list, and its board.
pub type NumberedEnd = (u64, Board);

/// `count` threads that search boards at a level, each with a table of `hash_bytes`. A value depends on its board alone: the table
/// is emptied before each search.
pub fn end_threads(
    count: usize,
    hash_bytes: usize,
    level: PlayLevel,
    weights: &Arc<Weights>,
) -> impl Workers<Worker: Worker<Item = NumberedEnd, Output = (u64, i8)>> + use<> {
    let weights = Arc::clone(weights);
    let settings = SearchSettings {
        hash_bytes,
        threads: 1,
    };
    let make = move |_| Searcher::new(settings, Arc::clone(&weights));
    let search = move |searcher: &mut Searcher, &(number, board): &NumberedEnd, stop: &Stop| {
        let control = Control::with_stop(Arc::clone(stop.flag()));
        let goal = level.goal(board.empty().len(), 1);
        searcher.clear();
        let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
        if result.is_interrupted {
            return Err(WorkError::Stopped);
        }
        Ok((number, result.score as i8).into())
    };
    threads(count, make, search).named("search")
}

/// Has `ends` searched by `workers`, and returns their values in order. Those that are in `journal`, by their numbers, are not searched
/// again; the others go there, in order. Failures of workers are remarks of the job.
///
/// # Errors
/// A journal that cannot be read or written; an end whose search panics again and again; cancellation. What was searched by then is
/// in the journal.
pub fn search_ends<W>(
    workers: &W,
    ends: &[Board],
    journal: &mut Journal,
    job: &Job,
) -> Result<Vec<i8>>
where
    W: Workers<Worker: Worker<Item = NumberedEnd, Output = (u64, i8)>>,
{
    let progress = &*job.progress;
    progress.stage("searching", Some(ends.len() as u64), Unit::Positions);
    let mut values = vec![0; ends.len()];
    let mut missing = Vec::new();
    for ((number, &board), value) in (0..).zip(ends).zip(&mut values) {
        match journal.get(number)? {
            Some(bytes) => *value = bytes.first().map_or(0, |&byte| i8::from_le_bytes([byte])),
            None => missing.push((number, board)),
        }
    }
    progress.advance((ends.len() - missing.len()) as u64);
    let missing = missing.into_iter().map(Ok);
    let put = |(number, value): (u64, i8)| {
        journal.put(number, &value.to_le_bytes())?;
        values[number as usize] = value;
        progress.advance(1);
        Result::Ok(())
    };
    let done = map_job_in_order(workers, missing, job, RetryPolicy::default(), put);
    // What is searched is kept, however it ended.
    let flushed = journal.flush();
    done?;
    flushed?;
    Ok(values)
}
