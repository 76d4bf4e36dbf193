//! Books of any format, position by position.

use std::path::Path;

use yane_io::{Job, Map, Result, Unit};

use super::side::side_car_of;
use super::told::Told;
use crate::convert::LeafRule;
use crate::egaroucid::Version;
use crate::store::Damage;
use crate::{Fault, Format, edax, egaroucid};

/// How books are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The level of the positions of an `.egbk`, which has none.
    pub egbk_level: i8,
    /// What becomes of the leaves of Edax in a book of Egaroucid, and of all else that it has no room for.
    pub leaf_rule: LeafRule,
    /// What to do about damaged records.
    pub damage: Damage,
}

/// Level 1, leaves as they are, and a stop at damage.
impl Default for Reading {
    fn default() -> Self {
        Self {
            egbk_level: 1,
            leaf_rule: LeafRule::Keep,
            damage: Damage::Stop,
        }
    }
}

/// A book that is read, with its side-car if it has one.
#[derive(Debug)]
pub struct Input {
    /// The file.
    pub map: Map,
    /// What it is.
    pub format: Format,
    side: Option<Map>,
}

impl Input {
    /// A book that is mapped or in memory, without a side-car.
    ///
    /// # Errors
    ///
    /// Bytes that are no book.
    pub fn of(map: Map) -> Result<Self> {
        let format = format_of(&map)?;
        Ok(Self {
            map,
            format,
            side: None,
        })
    }

    /// Opens a book. Its side-car is a file of its name and `.side.dat` or `.side.egbk3`.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or that is no book.
    pub fn open(path: &Path) -> Result<Self> {
        let mut input = Self::of(Map::open(path)?)?;
        let side = side_car_of(path, input.format);
        if side.exists() {
            input.side = Some(Map::open(&side)?);
        }
        Ok(input)
    }

    /// The same without its side-car.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { side: None, ..self }
    }

    pub(super) const fn has_no_side_car(&self) -> bool {
        self.side.is_none()
    }

    /// The header, if it is a book of Edax or has one for a side-car.
    pub(crate) fn header(&self) -> Option<edax::Header> {
        let header = |map: &Map| edax::Book::new(map).ok().map(|book| book.header);
        header(&self.map).or_else(|| header(self.side.as_ref()?))
    }

    /// Gives all positions in the order of the file, on the boards of the file; how many damaged records were left out.
    pub(crate) fn each(
        &self,
        reading: Reading,
        job: &Job,
        each: &mut dyn FnMut(Told) -> Result<()>,
    ) -> Result<u64> {
        let stage = "reading";
        each_of(&self.map, self.format, stage, reading, job, each)
    }

    /// Gives all positions of the side-car. Those that are damaged are left out, as nothing is lost that the book has.
    pub(crate) fn each_aside(
        &self,
        job: &Job,
        each: &mut dyn FnMut(Told) -> Result<()>,
    ) -> Result<()> {
        let Some(side) = &self.side else {
            return Ok(());
        };
        let reading = Reading {
            damage: Damage::Skip,
            ..Reading::default()
        };
        let format = format_of(side)?;
        let stage = "reading the side-car";
        each_of(side, format, stage, reading, job, each).map(drop)
    }
}

fn format_of(map: &Map) -> Result<Format> {
    Format::of_bytes(map).map_err(|fault| fault.of(map))
}

/// Gives all positions of a file, and tells how far it has come.
fn each_of(
    map: &Map,
    format: Format,
    stage: &str,
    reading: Reading,
    job: &Job,
    each: &mut dyn FnMut(Told) -> Result<()>,
) -> Result<u64> {
    /// Positions between two looks at whether to stop.
    const STEP: u64 = 1 << 16;
    let len = map.len() as u64;
    job.progress.stage(stage, Some(len), Unit::Bytes);
    let (mut damaged, mut count, mut told) = (0, 0u64, 0);
    let mut take = |position: std::result::Result<Told, Fault>, offset: u64| {
        match position {
            Ok(position) => each(position)?,
            Err(fault) if reading.damage == Damage::Stop => return Err(fault.of(map)),
            Err(_) => damaged += 1,
        }
        count += 1;
        if count.is_multiple_of(STEP) {
            job.progress.advance(offset - told);
            told = offset;
            job.check()?;
        }
        Ok(())
    };
    match format {
        Format::Edax => {
            let book = edax::Book::new(map).map_err(|fault| fault.of(map))?;
            let mut records = book.records();
            while let Some(record) = records.next() {
                let record = record.map(|record| Told::Edax(record.to_record()));
                take(record, records.offset())?;
            }
        }
        Format::Egaroucid(version) => {
            let book = egaroucid::Book::new(map).map_err(|fault| fault.of(map))?;
            let mut entries = book.entries();
            while let Some(entry) = entries.next() {
                let entry = entry.map(|mut entry| {
                    if version == Version::Egbk {
                        entry.level = reading.egbk_level;
                    }
                    Told::Egaroucid(entry)
                });
                take(entry, entries.offset())?;
            }
        }
    }
    job.progress.advance(len - told.min(len));
    Ok(damaged)
}
