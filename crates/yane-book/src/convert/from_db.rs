//! Reading text books.

use shogi_core::Position;
use yane_io::{Chunk, OrderedParallelMap, Pool};

use super::batch::{Batch, Done, Item, Rules};
use super::collect::Collector;
use crate::db::{Fault, MoveLine, Record, Records, open_chunks};
use crate::{Job, Result, Unit};

/// Limits of the size of a chunk, in bytes.
const CHUNKS: std::ops::RangeInclusive<u64> = 64 << 10..=4 << 20;

/// Reads the whole book.
pub(super) fn read(rules: &Rules, collector: &mut Collector) -> Result<()> {
    let job = collector.job.clone();
    let mut reader = open_chunks(&rules.input.path, chunk_size(&job))?;
    let total = Some(reader.file_len());
    job.progress.stage("read", total, Unit::Bytes);
    let rules = rules.clone();
    let (check, texts, pool) = (job.clone(), reader.pool(), collector.pool.clone());
    let chunks = move || {
        check.check()?;
        Ok(reader.next_chunk()?)
    };
    let work = move |chunk: Chunk| {
        let done = read_chunk(&chunk, &rules, &pool);
        texts.give(chunk.bytes);
        done
    };
    for done in OrderedParallelMap::new(job.threads, chunks, work) {
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
    let position = match std::str::from_utf8(record.sfen) {
        Ok(text) => Position::from_sfen(text),
        Err(_) => Position::from_sfen(&String::from_utf8_lossy(record.sfen)),
    };
    let position = match position {
        Ok(position) => position,
        Err(error) => return batch.bad_position(record.offset, Fault::Sfen(error)),
    };
    for (at, line) in record.lines() {
        match MoveLine::parse(line) {
            Ok(parsed) => batch.add_move(item, &position, parsed.book_move, at)?,
            Err(fault) => batch.bad_move(item, at, fault)?,
        }
    }
    batch.add(&position, item)
}
