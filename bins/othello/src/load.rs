//! Books of any format as one that can be worked on.

use std::path::Path;

use othello_book::convert::{self, LeafRule};
use othello_book::store::Table;
use othello_book::{Fault, Format, edax};
use yane_io::{Map, Result};

use crate::args::Reading;

/// A book in memory, and how many damaged records it lacks.
pub(crate) struct Loaded {
    pub(crate) table: Table,
    pub(crate) damaged: u64,
}

/// Reads a book.
pub(crate) fn load(path: &Path, reading: &Reading) -> Result<Loaded> {
    let map = Map::open(path)?;
    let format = Format::of_bytes(&map).map_err(|fault| fault.of(&map))?;
    let mut damaged = 0;
    let mut on_fault = |fault: Fault| {
        if reading.skip_damaged {
            damaged += 1;
            Ok(())
        } else {
            Err(fault)
        }
    };
    let table = match format {
        Format::Edax => of_edax(&map, reading, &mut on_fault)?,
        Format::Egaroucid(_) => Table::read(&map, reading.egbk_level, &mut on_fault)?,
    };
    Ok(Loaded { table, damaged })
}

fn of_edax(
    map: &Map,
    reading: &Reading,
    on_fault: &mut dyn FnMut(Fault) -> std::result::Result<(), Fault>,
) -> Result<Table> {
    let rule = if reading.leaf_positions {
        LeafRule::Position
    } else {
        LeafRule::Keep
    };
    let book = edax::Book::new(map).map_err(|fault| fault.of(map))?;
    let mut table = Table::default();
    for record in book.records() {
        match record {
            Ok(record) => convert::from_edax(&mut table, &record, rule),
            Err(fault) => on_fault(fault).map_err(|fault| fault.of(map))?,
        }
    }
    Ok(table)
}
