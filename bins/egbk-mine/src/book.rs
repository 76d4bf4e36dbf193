//! The book that is looked through, whatever its format.

use std::path::Path;

use othello_book::convert::{self, Leaves};
use othello_book::files::Input;
use othello_book::store::{Damage, Index, IndexOptions, Table};
use othello_book::{Fault, Format};
use yane_io::{Job, Map, Result};

/// The file of an Edax book; for one of Egaroucid's, what Edax would have in its place, in memory.
pub(crate) struct Source {
    pub(crate) map: Map,
    /// Damaged records of a book of Egaroucid's that were left out.
    damaged: u64,
}

impl Source {
    pub(crate) fn open(path: &Path, damage: Damage) -> Result<Self> {
        let map = Map::open(path)?;
        match Format::of_file(&map)? {
            Format::Edax => Ok(Self { map, damaged: 0 }),
            Format::EdaxText => Self::of_text(map, damage),
            Format::Egaroucid(_) => Self::of_egaroucid(&map, damage),
        }
    }

    fn of_text(map: Map, damage: Damage) -> Result<Self> {
        let path = map.path().to_owned();
        let input = Input::of(map)?;
        Ok(Self {
            damaged: input.damaged_lines(damage)?,
            map: Map::from_bytes(&path, input.map.to_vec()),
        })
    }

    fn of_egaroucid(map: &Map, damage: Damage) -> Result<Self> {
        let mut damaged = 0;
        // Old books have no levels; any is as good where only values count.
        let table = Table::read(map, 1, &mut |fault: Fault| match damage {
            Damage::Stop => Err(fault),
            Damage::Skip => {
                damaged += 1;
                Ok(())
            }
        })?;
        let records = convert::to_edax(&table, None, Leaves::AsTheyAre);
        drop(table);
        let mut bytes = convert::header_for(&records).to_bytes().to_vec();
        for record in &records {
            record.write_to(&mut bytes);
        }
        Ok(Self {
            map: Map::from_bytes(map.path(), bytes),
            damaged,
        })
    }

    pub(crate) fn index(&self, damage: Damage, job: &Job) -> Result<Index<'_>> {
        Index::new(&self.map, IndexOptions { damage }, job)
    }

    /// Records that were left out because they are damaged.
    pub(crate) fn damaged(&self, index: &Index<'_>) -> u64 {
        self.damaged + index.damaged()
    }
}
