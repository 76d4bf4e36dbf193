//! Reading `.ybb` books.

use std::ops::Range;
use std::sync::Arc;

use yane_io::{OrderedParallelMap, Pool};

use super::batch::{Batch, Done, Item, Rules};
use super::collect::Collector;
use crate::db::Fault;
use crate::ybb::{Entry, Ybb};
use crate::{BookMove, Result, Unit};

/// Positions that a worker takes at once.
const SHARE: u64 = 8192;

/// Reads the whole book.
pub(super) fn read(rules: &Rules, collector: &mut Collector) -> Result<()> {
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

fn read_share(book: &Ybb, share: Range<u64>, rules: &Rules, pool: &Pool) -> Result<Done> {
    book.verify_range(share.clone())?;
    let mut batch = Batch::new(rules, pool, 0);
    let mut item = Item::default();
    for index in share.clone() {
        if let Some(entry) = book.get(index)? {
            read_entry(&entry, &mut item, &mut batch)?;
        }
    }
    Ok(batch.done(share.end - share.start))
}

fn read_entry(entry: &Entry<'_>, item: &mut Item, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(entry.offset());
    let position = match entry.position() {
        Ok(position) => position,
        Err(error) => {
            let fault = Fault::Expected {
                expected: "a packed position",
                found: error.to_string(),
            };
            return batch.bad_position(entry.offset(), fault);
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
