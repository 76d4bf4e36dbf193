//! The searched book, of any format.

use std::path::Path;

use othello_book::convert::{self, LeafPolicy};
use othello_book::files::BookInput;
use othello_book::store::{EdaxIndex, MemoryBook, OnDamage};
use othello_book::{BookFormat, FormatError};
use yane_io::{Job, Map, Result};

/// The file of an Edax book; another book converted to one in memory.
pub(crate) struct Source {
    pub(crate) map: Map,
    /// Damaged records of a converted book.
    damaged: u64,
}

impl Source {
    pub(crate) fn open(path: &Path, damage: OnDamage) -> Result<Self> {
        let map = Map::open(path)?;
        match BookFormat::of_file(&map)? {
            BookFormat::Edax => Ok(Self { map, damaged: 0 }),
            BookFormat::EdaxText => Self::of_text(map, damage),
            BookFormat::Egaroucid(_) => Self::of_egaroucid(&map, damage),
        }
    }

    fn of_text(map: Map, damage: OnDamage) -> Result<Self> {
        let path = map.path().to_owned();
        let input = BookInput::of(map)?;
        Ok(Self {
            damaged: input.damaged_lines(damage)?,
            map: Map::from_bytes(&path, input.map.to_vec()),
        })
    }

    fn of_egaroucid(map: &Map, damage: OnDamage) -> Result<Self> {
        let mut damaged = 0;
        // Old books have no levels; only values count here.
        let table = MemoryBook::read(map, 1, &mut |error: FormatError| match damage {
            OnDamage::Stop => Err(error),
            OnDamage::Skip => {
                damaged += 1;
                Ok(())
            }
        })?;
        let records = convert::to_edax(&table, None, LeafPolicy::Keep);
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

    pub(crate) fn index(&self, damage: OnDamage, job: &Job) -> Result<EdaxIndex<'_>> {
        EdaxIndex::new(&self.map, damage, job)
    }

    /// The number of damaged records.
    pub(crate) fn damaged(&self, index: &EdaxIndex<'_>) -> u64 {
        self.damaged + index.damaged()
    }
}
