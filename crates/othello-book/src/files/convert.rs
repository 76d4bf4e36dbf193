//! Merging and conversion of books by external sorting.

use std::path::Path;

use yane_io::external::{Sorted, Sorter};
use yane_io::{Error, Job, Map, Result, ScratchWriter, TempFolder};

use crate::convert::links::{
    OmittedPositions, PositionValues as _, edax_searches, has_no_known_move, relink,
};
use crate::convert::{LeafImport, LeafPolicy, PassRecords, imported, may_be_left_out};
use crate::edax::{EdaxBook, EdaxHeader};
use crate::egaroucid::{BookLeaf, EgaroucidRecord, EgaroucidVersion};
use crate::files::BookWriteOptions;
use crate::files::input::BookInput;
use crate::files::merge::{self, MergeCounts, MergedPosition};
use crate::files::options::{BookOutputMode, BookReadOptions};
use crate::files::output::{EdaxWriter, EgaroucidWriter};
use crate::files::position::BookPosition;
use crate::files::report::{BookMergeReport, EdaxLeafReport};
use crate::files::side_car::{SideCarPosition, SideCarWriter};
use crate::files::temp_book::TempBookWriter;
use crate::store::{EdaxIndex, OnDamage};
use crate::{BookFormat, FormatError};

/// Merges books, the older ones first, and writes them in the order of their boards. A newer value wins if its level is
/// not lower. A single book is converted. In a dry run everything but writing is done.
///
/// Memory is a setting of the job; links for Edax need 5.5 bytes a position on top. Temporary files are as large as the
/// books.
///
/// # Errors
///
/// Damage that is not to be skipped, files that cannot be read or written, [`Error::Cancelled`].
pub fn convert(
    inputs: &[BookInput],
    output: &Path,
    mode: BookOutputMode,
    reading: BookReadOptions,
    writing: BookWriteOptions,
    job: &Job,
) -> Result<BookMergeReport> {
    let mut report = BookMergeReport::default();
    let folder = job.temp_for(output);
    let sorted = sort(inputs, &folder, reading, job, &mut report)?;
    let header = inputs.iter().find_map(BookInput::header);
    let is_text = writing.format == BookFormat::EdaxText;
    let work = ConvertJob {
        inputs,
        output,
        mode,
        header,
        // Positions made of leaves are not those of the input.
        with_side_car: writing.side_car && reading.leaf_import == LeafImport::Keep && !is_text,
        writing,
        job,
    };
    let counts = match writing.format {
        BookFormat::Edax | BookFormat::EdaxText => work.to_edax(sorted, &mut report)?,
        BookFormat::Egaroucid(version) => work.to_egaroucid(sorted, version, &mut report)?,
    };
    report.new = counts.new;
    report.changed = counts.changed;
    report.repeated = counts.repeated;
    report.restored = counts.restored;
    Ok(report)
}

/// Sorts the positions of all books by board.
pub(super) fn sort(
    inputs: &[BookInput],
    folder: &TempFolder,
    reading: BookReadOptions,
    job: &Job,
    report: &mut BookMergeReport,
) -> Result<Sorted> {
    let mut sorter = Sorter::new(job, folder);
    let mut body = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let number = u16::try_from(number)
            .map_err(|_| Error::file(input.file.map.path(), "too many books at once"))?;
        let mut push = |position: BookPosition, original: Option<&SideCarPosition>| {
            let key = merge::encode(number, original, &position.canonical(), &mut body);
            sorter.push(&key, &body)
        };
        report.damaged += input
            .file
            .for_each(reading, job, &mut |position| match position {
                BookPosition::Edax(record) if reading.leaf_import == LeafImport::AsPosition => {
                    imported(&record).try_for_each(|(board, known)| {
                        push(BookPosition::Egaroucid(known.entry(board)), None)
                    })
                }
                position => push(position, None),
            })?;
        if reading.leaf_import == LeafImport::Keep {
            report.damaged += input.for_each_side_car(reading, job, &mut |original| {
                push(original.position.clone(), Some(&original))
            })?;
        }
    }
    sorter.finish()
}

struct ConvertJob<'a> {
    inputs: &'a [BookInput],
    output: &'a Path,
    mode: BookOutputMode,
    header: Option<EdaxHeader>,
    with_side_car: bool,
    writing: BookWriteOptions,
    job: &'a Job,
}

impl ConvertJob<'_> {
    fn to_egaroucid(
        &self,
        sorted: Sorted,
        version: EgaroucidVersion,
        report: &mut BookMergeReport,
    ) -> Result<MergeCounts> {
        let mut file = EgaroucidWriter::create(self.output, self.mode.writes(), version)?;
        let mut side = self.side_car();
        let counts = merge::for_each_merged(sorted, &mut |merged| {
            let entry = merged.to_entry(self.writing.level);
            let has_room = match version {
                EgaroucidVersion::Egbk3 => merged.record.is_none() || self.with_side_car,
                EgaroucidVersion::Egbk2 => entry.lines == 0 && entry.leaf == BookLeaf::UNDEFINED,
                EgaroucidVersion::Egbk => false,
            };
            if let Some(record) = merged.record.as_ref().filter(|_| self.with_side_car) {
                side.put_record(record)?;
            }
            if !BookPosition::Egaroucid(entry.clone()).fits_egaroucid() {
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
        Ok(counts)
    }

    fn side_car(&self) -> SideCarWriter {
        SideCarWriter::new(
            self.output,
            self.writing.format,
            self.mode.writes(),
            self.header,
        )
    }

    fn to_edax(&self, sorted: Sorted, report: &mut BookMergeReport) -> Result<MergeCounts> {
        let folder = self.job.temp_for(self.output);
        let mut temporary = TempBookWriter::create(&folder, EdaxHeader::default())?;
        let mut sources = ScratchWriter::new(&folder, self.job.memory / 4);
        // The links of a single unchanged book stay.
        let mut unchanged = matches!(self.inputs, [book] if !book.file.is_text());
        let counts = merge::for_each_merged(sorted, &mut |merged: MergedPosition| {
            unchanged &= merged.is_unchanged();
            let source = RecordOrigin {
                is_of_edax: merged.is_of_edax(),
                entry: merged.entry.clone().filter(|_| self.with_side_car),
            };
            report.shortened += u64::from(merged.entry.is_some() && !self.with_side_car);
            sources.put(&source.to_bytes())?;
            temporary.put(&merged.to_record(self.writing.level))
        })?;
        let made = temporary.finish(self.output)?;
        let is_text = self.writing.format == BookFormat::EdaxText;
        let path = self.mode.writes().then_some(self.output);
        let mut linking = EdaxLinker {
            file: EdaxWriter::create(path, is_text, self.header)?,
            side: self.side_car(),
            for_edax: EdaxLeafReport::default(),
            left_out: 0,
        };
        linking.run(&made.map, &sources.finish()?, unchanged, self)?;
        let EdaxLinker { file, side, .. } = linking;
        report.left_out = linking.left_out;
        if linking.left_out > 0 && file.len() == 0 {
            let output = self.output.display();
            let note = format!("{output}: no move of any position is known, so it has none");
            self.job.progress.note(&note);
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
        Ok(counts)
    }
}

/// The origin of a record for Edax.
struct RecordOrigin {
    is_of_edax: bool,
    /// The record of Egaroucid, for the side-car.
    entry: Option<EgaroucidRecord>,
}

impl RecordOrigin {
    const LEN: usize = 26;

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_of_edax) | u8::from(self.entry.is_some()) << 1];
        if let Some(entry) = &self.entry {
            entry.write_to(EgaroucidVersion::Egbk3, &mut bytes);
        }
        bytes.resize(Self::LEN, 0);
        bytes
    }

    fn read(bytes: &[u8]) -> Self {
        let flags = bytes[0];
        let entry = EgaroucidRecord::read(EgaroucidVersion::Egbk3, &bytes[1..]).ok();
        Self {
            is_of_edax: flags & 1 != 0,
            entry: entry.filter(|_| flags & 2 != 0),
        }
    }
}

/// A writer of a book for Edax that adds links, with its side-car.
struct EdaxLinker {
    file: EdaxWriter,
    side: SideCarWriter,
    for_edax: EdaxLeafReport,
    left_out: u64,
}

impl EdaxLinker {
    /// Writes the records of a book with their links; those of an unchanged book as they are.
    fn run(
        &mut self,
        map: &Map,
        sources: &[u8],
        unchanged: bool,
        work: &ConvertJob<'_>,
    ) -> Result<()> {
        let index = EdaxIndex::new(map, OnDamage::Stop, work.job)?;
        let error = |error: FormatError| error.in_file(map);
        let sources = || {
            sources
                .chunks_exact(RecordOrigin::LEN)
                .map(RecordOrigin::read)
        };
        let records = || EdaxBook::new(map).map_err(error).map(|book| book.records());
        let mut left_out = OmittedPositions::new(index.len());
        let completes = work.writing.leaves == LeafPolicy::Complete && !unchanged;
        for (record, source) in records()?.zip(sources()).filter(|_| completes) {
            let record = record.map_err(error)?.to_record();
            if may_be_left_out(&record, source.is_of_edax) && has_no_known_move(&record, &index) {
                left_out.extend(index.number(record.board));
            }
        }
        self.left_out = left_out.count();
        let left_out = (work.writing.leaves == LeafPolicy::Complete).then_some(&left_out);
        let mut passes = PassRecords::default();
        for (n, (record, source)) in records()?.zip(sources()).enumerate() {
            if n.is_multiple_of(1 << 16) {
                work.job.check()?;
            }
            let mut record = record.map_err(error)?.to_record();
            let number = index.number(record.board);
            if number.is_some_and(|number| left_out.is_some_and(|left_out| left_out.has(number))) {
                if let Some(entry) = &source.entry {
                    self.side.put_entry(entry, None)?;
                }
                continue;
            }
            if unchanged {
                self.for_edax.searches += u64::from(edax_searches(&record, &index));
            } else {
                self.for_edax.add(relink(&mut record, &index, left_out));
                let Self { file, .. } = self;
                passes.for_each_child(&record, &index, left_out, &mut |pass| file.put(&pass))?;
            }
            if let Some(entry) = &source.entry {
                self.side.put_entry(entry, Some(&record))?;
            }
            self.file.put(&record)?;
        }
        Ok(())
    }
}
