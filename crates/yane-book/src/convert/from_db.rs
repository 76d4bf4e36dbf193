//! Reading text books.

use yane_io::{Chunk, Pool};

use super::batch::{Batch, Done, Item, Rules};
use super::collect::Collector;
use crate::db::{Record, Records, map_chunks, open_chunks};
use crate::{Job, Result, Unit};

/// Limits of the size of a chunk, in bytes.
const CHUNKS: std::ops::RangeInclusive<u64> = 64 << 10..=4 << 20;

/// Reads the whole book.
pub(super) fn read(rules: &Rules, collector: &mut Collector) -> Result<()> {
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

fn read_chunk(chunk: &Chunk, rules: &Rules, pool: &Pool) -> Result<Done> {
    let mut batch = Batch::new(rules, pool, chunk.bytes.len());
    let mut item = Item::default();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        read_record(&record, &mut item, &mut batch)?;
    }
    Ok(batch.done(chunk.bytes.len() as u64))
}

fn read_record(record: &Record<'_>, item: &mut Item, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(record.offset);
    let position = match record.position() {
        Ok(position) => position,
        Err(fault) => return batch.bad_position(record.offset, fault),
    };
    for (at, line) in record.moves() {
        match line {
            Ok(book_move) => batch.add_move(item, &position, book_move, at)?,
            Err(fault) => batch.bad_move(item, at, fault)?,
        }
    }
    batch.add(&position, item)
}
