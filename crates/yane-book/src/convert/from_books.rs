//! Reading `.db` and `.ybb` books.

use std::ops::Range;
use std::sync::Arc;

use yane_io::{Chunk, OrderedParallelMap, Pool};

use super::batch::{Batch, ConvertRules, Done, PositionItem};
use super::collect::Collector;
use crate::db::{LineProblem, Record, Records, map_chunks, open_chunks};
use crate::ybb::{Ybb, YbbEntry};
use crate::{BookMove, Job, Result, Unit};

/// Limits of the size of a chunk, in bytes.
const CHUNKS: std::ops::RangeInclusive<u64> = 64 << 10..=4 << 20;

/// Reads the whole book.
pub(super) fn read_db(rules: &ConvertRules, collector: &mut Collector) -> Result<()> {
    let job = collector.job.clone();
    let reader = open_chunks(&rules.input.path, chunk_size(&job))?;
    let total = Some(reader.file_len());
    job.progress.stage("read", total, Unit::Bytes);
    let (rules, pool) = (rules.clone(), collector.pool.clone());
    let work = move |chunk: &Chunk| read_chunk(chunk, &rules, &pool);
    for done in map_chunks(reader, &job, work) {
        collector.take(done?)?;
    }
    Ok(())
}

/// Two chunks a thread are in flight, each with about twice its size of sorted records.
fn chunk_size(job: &Job) -> usize {
    let shares = job.threads.max(1) as u64 * 16;
    (job.memory / shares).clamp(*CHUNKS.start(), *CHUNKS.end()) as usize
}

fn read_chunk(chunk: &Chunk, rules: &ConvertRules, pool: &Pool) -> Result<Done> {
    let mut batch = Batch::new(rules, pool, chunk.bytes.len());
    let mut item = PositionItem::default();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        read_record(&record, &mut item, &mut batch)?;
    }
    Ok(batch.done(chunk.bytes.len() as u64))
}

fn read_record(record: &Record<'_>, item: &mut PositionItem, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(record.offset);
    let position = match record.position() {
        Ok(position) => position,
        Err(problem) => return batch.bad_position(record.offset, problem),
    };
    for (at, line) in record.moves() {
        match line {
            Ok(book_move) => batch.add_move(item, &position, book_move, at)?,
            Err(problem) => batch.bad_move(item, at, problem)?,
        }
    }
    batch.add(&position, item)
}

/// Positions that a worker takes at once.
const SHARE: u64 = 8192;

/// Reads the whole book.
pub(super) fn read_ybb(rules: &ConvertRules, collector: &mut Collector) -> Result<()> {
    let job = collector.job.clone();
    let book = Arc::new(Ybb::open(&rules.input.path)?);
    let total = book.len();
    job.progress.stage("read", Some(total), Unit::Positions);
    let rules = rules.clone();
    let (check, pool) = (job.clone(), collector.pool.clone());
    let mut next = 0;
    let shares = move || {
        check.check()?;
        let start = next;
        next = total.min(start + SHARE);
        Ok((start < next).then_some(start..next))
    };
    let work = move |share| read_share(&book, share, &rules, &pool);
    for done in OrderedParallelMap::new(job.threads, shares, work) {
        collector.take(done?)?;
    }
    Ok(())
}

fn read_share(book: &Ybb, share: Range<u64>, rules: &ConvertRules, pool: &Pool) -> Result<Done> {
    book.verify_range(share.clone())?;
    let mut batch = Batch::new(rules, pool, 0);
    let mut item = PositionItem::default();
    for index in share.clone() {
        if let Some(entry) = book.get(index)? {
            read_entry(&entry, &mut item, &mut batch)?;
        }
    }
    Ok(batch.done(share.end - share.start))
}

fn read_entry(entry: &YbbEntry<'_>, item: &mut PositionItem, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(entry.offset());
    let position = match entry.position() {
        Ok(position) => position,
        Err(error) => {
            let problem = LineProblem::Expected {
                expected: "a packed position",
                found: error.to_string(),
            };
            return batch.bad_position(entry.offset(), problem);
        }
    };
    for (place, book_move) in entry.moves().enumerate() {
        let at = entry.move_offset(place);
        let book_move = BookMove {
            count: 1,
            ..book_move
        };
        batch.add_move(item, &position, book_move, at)?;
    }
    batch.add(&position, item)
}
