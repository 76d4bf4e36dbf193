//! Books put together and written in any format, sorted outside of memory.

use std::path::Path;

use yane_io::external::{Sorted, Sorter};
use yane_io::{Error, Job, Map, Result, ScratchWriter};

use super::Writing;
use super::outcome::{self, Outcome, Tally};
use super::read::{Input, Reading};
use super::side::{Aside, SideCar};
use super::sink::{EdaxFile, EgaroucidFile};
use super::temporary::Temporary;
use super::told::Told;
use crate::convert::links::{LeftOut, Linked, Values as _, edax_searches, knows_no_move, relink};
use crate::convert::{LeafRule, Leaves, Passes, imported, may_be_left_out};
use crate::edax::{Book, Header};
use crate::egaroucid::{Entry, Leaf, Version};
use crate::store::{Index, IndexOptions};
use crate::{Fault, Format};

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
    /// Damaged records that were left out, those of side-cars too.
    pub damaged: u64,
    /// Positions that have no room in the format, or, in a book for Edax, of which no move is known.
    pub left_out: u64,
    /// Positions of which something else has no room in the format, nor in a side-car.
    pub shortened: u64,
    /// Positions that a side-car of a book that was read tells as they were.
    pub restored: u64,
    /// Positions in the side-car.
    pub side_car: u64,
    /// What only a book for Edax has.
    pub for_edax: Option<ForEdax>,
}

/// What became of moves in a book for Edax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForEdax {
    /// Positions whose leaf is a move to another position of the book or to one that was left out.
    pub made_leaves: u64,
    /// Positions that Edax's own `book fix` will search.
    pub searches: u64,
}

impl ForEdax {
    pub(super) fn add(&mut self, linked: Linked) {
        self.made_leaves += u64::from(linked.made_leaf);
        self.searches += u64::from(linked.searches);
    }

    /// Names and numbers.
    pub const fn counts(&self) -> [(&'static str, u64); 2] {
        [
            ("made_leaves", self.made_leaves),
            ("edax_searches", self.searches),
        ]
    }
}

impl Report {
    /// Names and numbers.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        let mut counts = vec![
            ("positions", self.positions),
            ("new", self.new),
            ("changed", self.changed),
            ("repeated", self.repeated),
            ("damaged", self.damaged),
            ("left_out", self.left_out),
            ("shortened", self.shortened),
            ("restored", self.restored),
            ("side_car", self.side_car),
        ];
        counts.extend(self.for_edax.iter().flat_map(ForEdax::counts));
        counts
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
    let is_text = writing.format == Format::EdaxText;
    let work = Work {
        inputs,
        output,
        dry_run,
        header,
        // Positions of leaves are not what a book had.
        with_side_car: writing.side_car && reading.leaf_rule == LeafRule::Keep && !is_text,
        writing,
        job,
    };
    let tally = match writing.format {
        Format::Edax | Format::EdaxText => work.to_edax(sorted, &mut report)?,
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
        let mut push = |told: Told, aside: Option<&Aside>| {
            let key = outcome::encode(number, aside, &told.canonical(), &mut body);
            sorter.push(&key, &body)
        };
        report.damaged += input.each(reading, job, &mut |told| match told {
            Told::Edax(record) if reading.leaf_rule == LeafRule::Position => imported(&record)
                .try_for_each(|(board, known)| push(Told::Egaroucid(known.entry(board)), None)),
            told => push(told, None),
        })?;
        if reading.leaf_rule == LeafRule::Keep {
            report.damaged += input.each_aside(reading, job, &mut |aside| {
                push(aside.told.clone(), Some(&aside))
            })?;
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
        side.finish(file.fingerprint())?;
        file.finish(None)?;
        Ok(tally)
    }

    fn side_car(&self) -> SideCar {
        SideCar::new(self.output, self.writing.format, !self.dry_run, self.header)
    }

    fn to_edax(&self, sorted: Sorted, report: &mut Report) -> Result<Tally> {
        let folder = self.job.temp_dir_for(self.output);
        let mut temporary = Temporary::create(&folder, Header::default())?;
        let mut sources = ScratchWriter::new(&folder, self.job.memory / 4);
        // Links of one book that nothing was done to are what they were.
        let mut as_it_was = matches!(self.inputs, [book] if !book.is_text());
        let tally = outcome::each(sorted, &mut |outcome: Outcome| {
            as_it_was &= outcome.is_as_it_was();
            let source = Source {
                is_of_edax: outcome.is_of_edax(),
                entry: outcome.entry.clone().filter(|_| self.with_side_car),
            };
            report.shortened += u64::from(outcome.entry.is_some() && !self.with_side_car);
            sources.put(&source.to_bytes())?;
            temporary.put(&outcome.to_record(self.writing.level))
        })?;
        let made = temporary.finish()?;
        let is_text = self.writing.format == Format::EdaxText;
        let path = (!self.dry_run).then_some(self.output);
        let mut linking = Linking {
            file: EdaxFile::create(path, is_text, self.header)?,
            side: self.side_car(),
            for_edax: ForEdax::default(),
            left_out: 0,
        };
        linking.run(&made.map, &sources.finish()?, as_it_was, self)?;
        let Linking { file, side, .. } = linking;
        report.left_out = linking.left_out;
        if linking.left_out > 0 && file.len() == 0 {
            let output = self.output.display();
            let remark = format!("{output}: no move of any position is known, so it has none");
            self.job.progress.note(&remark);
        }
        report.for_edax = Some(linking.for_edax);
        report.positions = file.len();
        report.side_car = side.len();
        if is_text {
            report.shortened = file.len();
        } else {
            side.finish(file.fingerprint())?;
        }
        file.finish(None)?;
        Ok(tally)
    }
}

/// Where a record for Edax comes from.
struct Source {
    is_of_edax: bool,
    /// As Egaroucid has it, for the side-car.
    entry: Option<Entry>,
}

impl Source {
    const LEN: usize = 26;

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_of_edax) | u8::from(self.entry.is_some()) << 1];
        if let Some(entry) = &self.entry {
            entry.write_to(Version::Egbk3, &mut bytes);
        }
        bytes.resize(Self::LEN, 0);
        bytes
    }

    fn read(bytes: &[u8]) -> Self {
        let flags = bytes[0];
        let entry = Entry::read(Version::Egbk3, &bytes[1..]).ok();
        Self {
            is_of_edax: flags & 1 != 0,
            entry: entry.filter(|_| flags & 2 != 0),
        }
    }
}

/// A book for Edax that gets links, and its side-car.
struct Linking {
    file: EdaxFile,
    side: SideCar,
    for_edax: ForEdax,
    left_out: u64,
}

impl Linking {
    /// Writes the records of a book with links to one another; those of one that is as it was as they are.
    fn run(&mut self, map: &Map, sources: &[u8], as_it_was: bool, work: &Work<'_>) -> Result<()> {
        let index = Index::new(map, IndexOptions::default(), work.job)?;
        let fault = |fault: Fault| fault.of(map);
        let sources = || sources.chunks_exact(Source::LEN).map(Source::read);
        let records = || Book::new(map).map_err(fault).map(|book| book.records());
        let mut left_out = LeftOut::new(index.len());
        let completes = work.writing.leaves == Leaves::Complete && !as_it_was;
        for (record, source) in records()?.zip(sources()).filter(|_| completes) {
            let record = record.map_err(fault)?.to_record();
            if may_be_left_out(&record, source.is_of_edax) && knows_no_move(&record, &index) {
                left_out.extend(index.number(record.board));
            }
        }
        self.left_out = left_out.count();
        let left_out = (work.writing.leaves == Leaves::Complete).then_some(&left_out);
        let mut passes = Passes::default();
        for (n, (record, source)) in records()?.zip(sources()).enumerate() {
            if n.is_multiple_of(1 << 16) {
                work.job.check()?;
            }
            let mut record = record.map_err(fault)?.to_record();
            let number = index.number(record.board);
            if number.is_some_and(|number| left_out.is_some_and(|left_out| left_out.has(number))) {
                if let Some(entry) = &source.entry {
                    self.side.put_entry(entry, None)?;
                }
                continue;
            }
            if as_it_was {
                self.for_edax.searches += u64::from(edax_searches(&record, &index));
            } else {
                self.for_edax.add(relink(&mut record, &index, left_out));
                let Self { file, .. } = self;
                passes.each_behind(&record, &index, left_out, &mut |pass| file.put(&pass))?;
            }
            if let Some(entry) = &source.entry {
                self.side.put_entry(entry, Some(&record))?;
            }
            self.file.put(&record)?;
        }
        Ok(())
    }
}
