//! Books of any format, position by position.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use yane_io::{Error, Job, Map, Result, Unit};

use super::side::{Aside, Belongs, SideFile, side_car_of};
use super::text_book::TextBook;
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
    /// What to do about damaged records, those of a side-car too.
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
///
/// Whether the side-car belongs to the book is found out when it is read. One that was made for another book is passed
/// over, which the job's progress hears of.
#[derive(Debug)]
pub struct Input {
    /// The file; of a book that is text, what Edax makes of it, as its file would be.
    pub map: Map,
    /// What it is; a book that is text is [`Format::Edax`] here.
    pub format: Format,
    path: PathBuf,
    side: Option<SideFile>,
    text: Option<TextBook>,
    /// Whether it was remarked that there are more records than the header counts.
    is_remarked: AtomicBool,
}

impl Input {
    /// A book that is mapped or in memory, without a side-car.
    ///
    /// # Errors
    ///
    /// Bytes that are no book, a side-car.
    pub fn of(map: Map) -> Result<Self> {
        let format = Format::of_file(&map)?;
        let path = map.path().to_owned();
        let (map, format, text) = if format == Format::EdaxText {
            let (map, text) = TextBook::read(&map)?;
            (map, Format::Edax, Some(text))
        } else {
            (map, format, None)
        };
        Ok(Self {
            map,
            format,
            path,
            side: None,
            text,
            is_remarked: AtomicBool::new(false),
        })
    }

    /// Opens a book. Its side-car is a file of its name and `.side.dat` or `.side.egbk3`.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, that is no book, or that is the side-car of one.
    pub fn open(path: &Path) -> Result<Self> {
        let mut input = Self::of(Map::open(path)?)?;
        let side = side_car_of(path, input.format);
        if side.exists() && input.text.is_none() {
            input.side = Some(SideFile::open(&side)?);
        }
        Ok(input)
    }

    /// The same without its side-car.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { side: None, ..self }
    }

    /// The file that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the book is text.
    pub const fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// Lines of a book that is text that are none, with what was expected: the first of them.
    pub fn wrong_lines(&self) -> &[(u64, String)] {
        self.text.as_ref().map_or(&[], TextBook::wrong)
    }

    /// How many lines of a book that is text are none. An error with the first, if damage is to stop the work.
    ///
    /// # Errors
    ///
    /// As said.
    pub fn damaged_lines(&self, damage: Damage) -> Result<u64> {
        match self.wrong_lines().first() {
            Some((line, reason)) if damage == Damage::Stop => {
                Err(Error::file(&self.path, format!("line {line}: {reason}")))
            }
            _ => Ok(self.text.as_ref().map_or(0, TextBook::damaged)),
        }
    }

    /// How many records of the side-car are damaged; that it was made for another book is remarked.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`].
    pub fn damaged_aside(&self, job: &Job) -> Result<u64> {
        let reading = Reading {
            damage: Damage::Skip,
            ..Reading::default()
        };
        self.each_aside(reading, job, &mut |_| Ok(()))
    }

    pub(super) const fn has_no_side_car(&self) -> bool {
        self.side.is_none()
    }

    /// The header, if it is a book of Edax or has one for a side-car, whose positions were read.
    pub(crate) fn header(&self) -> Option<edax::Header> {
        let own = edax::Book::new(&self.map).ok().map(|book| book.header);
        own.or_else(|| {
            let side = self.side.as_ref()?;
            match side.known_to_belong()? {
                Belongs::Not(_) => None,
                Belongs::Exactly | Belongs::Changed(_) => side.header(),
            }
        })
    }

    /// Gives all positions in the order of the file, on the boards of the file; how many damaged records were left out.
    pub(crate) fn each(
        &self,
        reading: Reading,
        job: &Job,
        each: &mut dyn FnMut(Told) -> Result<()>,
    ) -> Result<u64> {
        let mut damaged = self.damaged_lines(reading.damage)?;
        let mut faults = |fault: Fault| match reading.damage {
            Damage::Stop => Err(fault.of(&self.map)),
            Damage::Skip => {
                damaged += 1;
                Ok(())
            }
        };
        let stage = "reading";
        let count = each_of(
            &self.map,
            self.format,
            stage,
            reading,
            job,
            &mut faults,
            each,
        )?;
        if let Format::Edax = self.format
            && let Ok(told) = edax::Book::new(&self.map).map(|book| book.header.n_nodes)
            && i64::from(told) < count as i64
            && told < i32::MAX
            && !self.is_remarked.swap(true, Ordering::Relaxed)
        {
            let path = self.path.display();
            let remark =
                format!("{path}: the header counts {told} records, {count} are there and read");
            job.progress.note(&remark);
        }
        Ok(damaged)
    }

    /// Gives all positions of the side-car if it belongs to the book; how many damaged ones were left out.
    pub(crate) fn each_aside(
        &self,
        reading: Reading,
        job: &Job,
        each: &mut dyn FnMut(Aside) -> Result<()>,
    ) -> Result<u64> {
        let Some(side) = &self.side else {
            return Ok(0);
        };
        let back = match side.belongs(self, reading, job)? {
            Belongs::Not(damaged) => return Ok(*damaged),
            Belongs::Exactly => None,
            Belongs::Changed(back) => Some(back),
        };
        side.each(reading.damage, job, &mut |mut aside| {
            aside.told = aside.told.canonical();
            let is_wanted = back.is_none_or(|back| back.contains(&aside.told.board()));
            aside.comes_back = is_wanted && aside.has_no_room();
            each(aside)
        })
    }
}

/// Gives all positions of a file, and tells how far it has come. Damage goes to `faults`. How many records there were,
/// damaged ones among them.
pub(super) fn each_of(
    map: &Map,
    format: Format,
    stage: &str,
    reading: Reading,
    job: &Job,
    faults: &mut dyn FnMut(Fault) -> Result<()>,
    each: &mut dyn FnMut(Told) -> Result<()>,
) -> Result<u64> {
    /// Positions between two looks at whether to stop.
    const STEP: u64 = 1 << 16;
    let len = map.len() as u64;
    job.progress.stage(stage, Some(len), Unit::Bytes);
    let (mut count, mut told) = (0u64, 0);
    let mut take = |position: std::result::Result<Told, Fault>, offset: u64| {
        match position {
            Ok(position) => each(position)?,
            Err(fault) => faults(fault)?,
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
        Format::Edax | Format::EdaxText => {
            let book = edax::Book::new(map).map_err(|fault| fault.of(map))?;
            let mut records = book.records();
            while let Some(record) = records.next() {
                let record = record.map(|record| Told::Edax(record.to_record()));
                take(record, records.offset())?;
            }
        }
        Format::Egaroucid(version) => {
            let book = egaroucid::Book::of(map, version).map_err(|fault| fault.of(map))?;
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
    Ok(count)
}
