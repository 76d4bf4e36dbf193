//! Books in memory, and their numbers.

use othello_core::Board;
use yane_io::{Job, Result};

use super::read::{Input, Reading};
use super::side::Aside;
use super::told::Told;
use crate::Format;
use crate::convert::links::{edax_searches, links};
use crate::convert::{LeafRule, from_edax, record_of};
use crate::egaroucid::Entry;
use crate::ops::Info;
use crate::store::{Index, IndexOptions, Known, Table};

/// A book in memory.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The positions.
    pub table: Table,
    /// Damaged records that were left out.
    pub damaged: u64,
    /// Positions that the side-car tells as they were.
    pub restored: u64,
}

/// Reads a book, with its side-car. Of records of one board, the first counts in a book of Edax, and the one of the
/// highest level, then the last, in one of Egaroucid.
///
/// # Errors
///
/// Damage, if it is not to be left out, a file that cannot be read, [`yane_io::Error::Cancelled`].
pub fn load(input: &Input, reading: Reading, job: &Job) -> Result<Loaded> {
    load_some(input, reading, &|_| true, job)
}

/// As [`load`], but only positions whose canonical board `wanted` says yes to.
///
/// # Errors
///
/// As [`load`].
pub fn load_some(
    input: &Input,
    reading: Reading,
    wanted: &dyn Fn(Board) -> bool,
    job: &Job,
) -> Result<Loaded> {
    let mut loaded = Loaded::default();
    let table = &mut loaded.table;
    loaded.damaged = input.each(reading, job, &mut |told| {
        if !wanted(told.board().canonical().board) && reading.leaf_rule == LeafRule::Keep {
            return Ok(());
        }
        match told {
            Told::Edax(record) if reading.leaf_rule == LeafRule::Keep => {
                if table.get(record.board).is_none() {
                    table.insert(record.board, Known::from(&record));
                }
            }
            Told::Edax(record) => from_edax(table, &record, reading.leaf_rule),
            Told::Egaroucid(entry) => {
                table.merge(entry.board, Known::from(&entry));
            }
        }
        Ok(())
    })?;
    if reading.leaf_rule == LeafRule::Keep {
        loaded.damaged += input.each_aside(reading, job, &mut |aside| {
            if wanted(aside.told.board()) {
                loaded.restored += u64::from(restore(table, &aside));
            }
            Ok(())
        })?;
    }
    table.header = input.header();
    Ok(loaded)
}

/// Puts back what a side-car tells of a position, if the table has what was made of it.
fn restore(table: &mut Table, aside: &Aside) -> bool {
    let side = &aside.told;
    let board = side.board();
    let Some(known) = table.get(board).copied() else {
        if aside.comes_back {
            table.insert(board, side.known());
        }
        return aside.comes_back;
    };
    let now = match side {
        Told::Edax(_) => Told::Egaroucid(known.entry(board)),
        Told::Egaroucid(_) => {
            let mut record = record_of(board, &known, None);
            record.links = links(table, board);
            record
                .links
                .retain(|link| link.number != record.leaf.number);
            Told::Edax(record)
        }
    };
    let is_back = now.is_made_of(aside);
    if is_back {
        table.insert(board, side.known());
    }
    is_back
}

/// Counts what a book holds, one position after the other; and how many damaged records were left out. Records of one
/// board are counted each. For a book of Edax that takes an index, 5.5 bytes a position, as what Edax will search depends
/// on which positions are there.
///
/// # Errors
///
/// As [`load`].
pub fn info(input: &Input, reading: Reading, job: &Job) -> Result<(Info, u64)> {
    let mut info = Info::default();
    let damaged = input.each(reading, job, &mut |told| {
        info.add(told.board(), &told.known());
        if let Told::Edax(record) = &told {
            *info.links.entry(record.links.len()).or_default() += 1;
        } else if let Told::Egaroucid(Entry { links, .. }) = &told
            && !links.is_empty()
        {
            *info.links.entry(links.len()).or_default() += 1;
        }
        Ok(())
    })?;
    if input.format == Format::Edax && input.map.len() as u64 <= Index::MAX_FILE {
        info.edax_searches = Some(searches(input, reading, job)?);
    }
    Ok((info, damaged))
}

/// How many positions Edax's own `book fix` will search.
fn searches(input: &Input, reading: Reading, job: &Job) -> Result<u64> {
    let damage = reading.damage;
    let index = Index::new(&input.map, IndexOptions { damage }, job)?;
    let mut count = 0;
    input.each(reading, job, &mut |told| {
        if let Told::Edax(record) = told {
            count += u64::from(edax_searches(&record, &index));
        }
        Ok(())
    })?;
    Ok(count)
}
