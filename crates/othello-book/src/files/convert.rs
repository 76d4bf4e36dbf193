//! Books put together and written in any format, sorted outside of memory.

use std::path::Path;

use yane_io::external::{Sorted, Sorter};
use yane_io::{Error, Job, Map, Result};

use super::Writing;
use super::outcome::{self, Outcome, Tally};
use super::read::{Input, Reading};
use super::sink::{EdaxFile, EgaroucidFile, SideCar};
use super::temporary::Temporary;
use super::told::Told;
use crate::Format;
use crate::convert::links::relink;
use crate::convert::{LeafRule, Passes, imported};
use crate::edax::{Book, Header};
use crate::egaroucid::{Leaf, Version};
use crate::store::{Index, IndexOptions};

/// What was done, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Positions that the book has.
    pub positions: u64,
    /// Positions that the first of the books that were read lacks.
    pub new: u64,
    /// Positions of the first book of which others know something better.
    pub changed: u64,
    /// Records of boards that an earlier record of the same book has.
    pub repeated: u64,
    /// Damaged records that were left out.
    pub damaged: u64,
    /// Positions that have no room in the format.
    pub left_out: u64,
    /// Positions of which something else has no room in the format, nor in a side-car.
    pub shortened: u64,
    /// Positions that a side-car of a book that was read tells as they were.
    pub restored: u64,
    /// Positions in the side-car.
    pub side_car: u64,
}

impl Report {
    /// Names and numbers.
    pub const fn counts(&self) -> [(&'static str, u64); 9] {
        [
            ("positions", self.positions),
            ("new", self.new),
            ("changed", self.changed),
            ("repeated", self.repeated),
            ("damaged", self.damaged),
            ("left_out", self.left_out),
            ("shortened", self.shortened),
            ("restored", self.restored),
            ("side_car", self.side_car),
        ]
    }
}

/// Writes a book with the positions of all books, the older ones first: what a newer one knows counts if its level is
/// not lower. In the output positions are in the order of their boards. One book alone is only written anew. With
/// `dry_run` all is done but writing `output`.
///
/// Memory is a setting of the job; where links are made for Edax, 5.5 bytes a position come on top. Temporary files
/// take as much room as the books do.
///
/// # Errors
///
/// Damage, if it is not to be left out, files that cannot be read or written, [`Error::Cancelled`].
pub fn convert(
    inputs: &[Input],
    output: &Path,
    dry_run: bool,
    reading: Reading,
    writing: Writing,
    job: &Job,
) -> Result<Report> {
    let mut report = Report::default();
    let folder = job.temp_dir_for(output);
    let sorted = sort(inputs, &folder, reading, job, &mut report)?;
    let header = inputs.iter().find_map(Input::header);
    let work = Work {
        inputs,
        output,
        dry_run,
        header,
        // Positions of leaves are not what a book had.
        with_side_car: writing.side_car && reading.leaf_rule == LeafRule::Keep,
        writing,
        job,
    };
    let tally = match writing.format {
        Format::Edax => work.to_edax(sorted, &mut report)?,
        Format::Egaroucid(version) => work.to_egaroucid(sorted, version, &mut report)?,
    };
    report.new = tally.new;
    report.changed = tally.changed;
    report.repeated = tally.repeated;
    report.restored = tally.restored;
    Ok(report)
}

/// All positions of all books, by board.
pub(super) fn sort(
    inputs: &[Input],
    folder: &Path,
    reading: Reading,
    job: &Job,
    report: &mut Report,
) -> Result<Sorted> {
    let mut sorter = Sorter::new(job, folder);
    let mut body = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let number = u16::try_from(number)
            .map_err(|_| Error::file(input.map.path(), "too many books at once"))?;
        let mut push = |told: Told, aside: bool| {
            let key = outcome::encode(number, aside, &told.canonical(), &mut body);
            sorter.push(&key, &body)
        };
        report.damaged += input.each(reading, job, &mut |told| match told {
            Told::Edax(record) if reading.leaf_rule == LeafRule::Position => imported(&record)
                .try_for_each(|(board, known)| push(Told::Egaroucid(known.entry(board)), false)),
            told => push(told, false),
        })?;
        if reading.leaf_rule == LeafRule::Keep {
            input.each_aside(job, &mut |told| push(told, true))?;
        }
    }
    sorter.finish()
}

struct Work<'a> {
    inputs: &'a [Input],
    output: &'a Path,
    dry_run: bool,
    header: Option<Header>,
    with_side_car: bool,
    writing: Writing,
    job: &'a Job,
}

impl Work<'_> {
    fn to_egaroucid(&self, sorted: Sorted, version: Version, report: &mut Report) -> Result<Tally> {
        let mut file = EgaroucidFile::create(self.output, !self.dry_run, version)?;
        let mut side = self.side_car();
        let tally = outcome::each(sorted, &mut |outcome| {
            let entry = outcome.to_entry(self.writing.level);
            let has_room = match version {
                Version::Egbk3 => outcome.record.is_none() || self.with_side_car,
                Version::Egbk2 => entry.lines == 0 && entry.leaf == Leaf::UNDEFINED,
                Version::Egbk => false,
            };
            if let Some(record) = outcome.record.as_ref().filter(|_| self.with_side_car) {
                side.put_record(record)?;
            }
            if !Told::Egaroucid(entry.clone()).fits_egaroucid() {
                report.left_out += 1;
                return Ok(());
            }
            report.shortened += u64::from(!has_room);
            file.put(&entry)
        })?;
        report.positions = file.len();
        report.side_car = side.len();
        side.finish()?;
        file.finish()?;
        Ok(tally)
    }

    fn side_car(&self) -> SideCar {
        SideCar::new(self.output, self.writing.format, !self.dry_run, self.header)
    }

    fn to_edax(&self, sorted: Sorted, report: &mut Report) -> Result<Tally> {
        let mut side = self.side_car();
        let mut temporary = Temporary::create(&self.job.temp_dir_for(self.output))?;
        // Links of one book that nothing was done to are what they were.
        let mut as_it_was = self.inputs.len() == 1;
        let tally = outcome::each(sorted, &mut |outcome: Outcome| {
            as_it_was &= outcome.is_as_it_was();
            match &outcome.entry {
                Some(entry) if self.with_side_car => side.put_entry(entry)?,
                entry => report.shortened += u64::from(entry.is_some()),
            }
            temporary.put(&outcome.to_record(self.writing.level))
        })?;
        let made = temporary.finish()?;
        let path = (!self.dry_run).then_some(self.output);
        let mut file = EdaxFile::create(path, self.header)?;
        if as_it_was {
            let book = Book::new(&made.map).map_err(|fault| fault.of(&made.map))?;
            for record in book.records() {
                let record = record.map_err(|fault| fault.of(&made.map))?;
                file.put(&record.to_record())?;
            }
        } else {
            self.link(&made.map, &mut file)?;
        }
        report.positions = file.len();
        report.side_car = side.len();
        side.finish()?;
        file.finish()?;
        Ok(tally)
    }

    /// Writes the records of a book with links to one another.
    fn link(&self, map: &Map, file: &mut EdaxFile) -> Result<()> {
        let index = Index::new(map, IndexOptions::default(), self.job)?;
        let book = Book::new(map).map_err(|fault| fault.of(map))?;
        let mut passes = Passes::default();
        for (n, record) in book.records().enumerate() {
            if n.is_multiple_of(1 << 16) {
                self.job.check()?;
            }
            let mut record = record.map_err(|fault| fault.of(map))?.to_record();
            relink(&mut record, &index, self.writing.leaves);
            passes.each_behind(&record, &index, &mut |pass| file.put(&pass))?;
            file.put(&record)?;
        }
        Ok(())
    }
}
