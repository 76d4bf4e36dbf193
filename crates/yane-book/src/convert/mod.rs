//! Conversion between formats.
//!
//! Positions are read and checked on several threads, sorted outside of memory in the order of the
//! output, and written as a stream, so a book may be larger than memory.
//!
//! Data that a format cannot hold are lost or take a default:
//!
//! * `.ybb` has no replies and no counts. Read from it, a count is 1. `.db` files made from it have
//!   four fields a move, best value first, and tell their number of positions (`# NOE:`).
//! * Apery's format has no plies, no depths and no replies, and knows positions by keys only. Read
//!   from it, positions are those that can be reached from the roots by legal moves, where at most
//!   one position between two of the book may be missing; the ply is that of the shortest way. A
//!   depth is 256, and the reply is the best move of the next position if that has the next ply.
//! * `.sbk` of `ShogiGUI` can only be read. It has no values of moves; weights become counts, and comments, marks of moves
//!   and evaluations of positions become comments of a `.db` book.
//! * No format but `.db` has comments: they are counted.
//! * Both binary formats know a position whatever its ply, `.db` does not: see [`OtherPlies`].
//!
//! Moves must be legal. Several lines of a `.db` position about one move become one move of an Apery
//! book ([`crate::add_move`]) and stay several in a `.ybb` book, as in the field's tools.

mod batch;
mod collect;
mod from_apery;
mod from_sbk;
mod options;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use yane_io::{Chunk, OrderedParallelMap, Pool};

use crate::db::{
    Comments, LineProblem, Record, Records, comments_of_books, map_chunks, open_chunks,
};
use crate::ybb::{Ybb, YbbEntry};
use crate::{BookError, BookMove, Format, Job, Result, Unit};

use batch::{Batch, ConvertRules, Done, Input, OutputRules, PositionItem};
use collect::{Collector, Output};
use options::never_written;
pub use options::{ConvertOptions, ConvertReport, LostPosition, OtherPlies, OutOfRange};

/// Converts `input` to `output`; the extensions tell the formats ([`Format::of_path`]).
///
/// # Errors
/// When the formats are the same and not `.ybb` (whose moves may get or lose their depths), the
/// input cannot be read or is refused by `options`, or the output cannot be written.
pub fn convert(
    input: &Path,
    output: &Path,
    options: &ConvertOptions,
    job: &Job,
) -> Result<ConvertReport> {
    let (source, format) = (Format::of_path(input)?, Format::of_path(output)?);
    if source == format && format != Format::Ybb {
        let reason = format!("expected another format than the input's ({format})");
        return Err(BookError::file(output, reason));
    }
    if format == Format::Sbk {
        return Err(never_written(output));
    }
    let _claim = options.overwrite.claim(output, &[input])?;
    let rules = ConvertRules {
        input: Input::new(input, source),
        target: OutputRules {
            format,
            depths: options.depths,
            out_of_range: options.out_of_range,
        },
        bad_lines: options.bad_lines,
    };
    let mut collector = Collector::new(job, &job.temp_for(output), source);
    let mut comments = from_sbk::SbkComments::default();
    // Comments about a text book, which no other format has.
    let mut about = 0;
    match source {
        Format::Db => {
            about = comments_of_books([input])?.len() as u64;
            read_db(&rules, &mut collector)?;
        }
        Format::Ybb => read_ybb(&rules, &mut collector)?,
        Format::Apery => from_apery::read(&rules, options, &mut collector)?,
        Format::Sbk => comments = from_sbk::read(&rules, &mut collector)?,
    }
    let mut report = collector.report(&rules.input)?;
    let positions = collector.positions();
    if positions == 0 {
        let reason = nothing(input, &report);
        return Err(BookError::nothing(output, reason));
    }
    let mut output = Output::create(output, source, positions, options, job)?;
    report.comments.left_out += about;
    report.comments.add(comments.give_to(&mut output)?);
    collector.write(&rules.input, options.other_plies, output, &mut report)?;
    Ok(report)
}

/// Returns the reason why no position is written.
fn nothing(input: &Path, report: &ConvertReport) -> String {
    let input = input.display();
    let first = report
        .left_out
        .first()
        .map(|error| format!("; the first left out: {error}"));
    let first = first.or_else(|| {
        report
            .lost
            .first()
            .map(|lost| format!("; the first left out: {lost}"))
    });
    format!(
        "no position with a move can be taken from {input}{}",
        first.unwrap_or_default()
    )
}

// Reading `.db` and `.ybb` books.

/// Limits of the size of a chunk, in bytes.
const CHUNKS: std::ops::RangeInclusive<u64> = 64 << 10..=4 << 20;

/// Reads the whole book.
fn read_db(rules: &ConvertRules, collector: &mut Collector) -> Result<()> {
    let job = collector.job.clone();
    let reader = open_chunks(&rules.input.path, chunk_size(&job))?;
    let total = Some(reader.file_len());
    job.progress.stage("read", total, Unit::Bytes);
    let (rules, pool) = (rules.clone(), collector.pool.clone());
    let work = move |chunk: &Chunk| read_chunk(chunk, &rules, &pool);
    for done in map_chunks(reader, &job, work) {
        collector.take(done?)?;
    }
    Ok(())
}

/// Two chunks a thread are in flight, each with about twice its size of sorted records.
fn chunk_size(job: &Job) -> usize {
    let shares = job.threads.max(1) as u64 * 16;
    (job.memory / shares).clamp(*CHUNKS.start(), *CHUNKS.end()) as usize
}

fn read_chunk(chunk: &Chunk, rules: &ConvertRules, pool: &Pool) -> Result<Done> {
    let mut batch = Batch::new(rules, pool, chunk.bytes.len());
    let mut item = PositionItem::default();
    for record in Records::new(&chunk.bytes, chunk.offset) {
        read_record(&record, &mut item, &mut batch)?;
    }
    Ok(batch.done(chunk.bytes.len() as u64))
}

fn read_record(record: &Record<'_>, item: &mut PositionItem, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(record.offset);
    batch.leave_out_comments(Comments::count_in(record));
    let position = match record.position() {
        Ok(position) => position,
        Err(problem) => return batch.bad_position(record.offset, problem),
    };
    for (at, line) in record.moves() {
        match line {
            Ok(book_move) => batch.add_move(item, &position, book_move, at)?,
            Err(problem) => batch.bad_move(item, at, problem)?,
        }
    }
    batch.add(&position, item)
}

/// Positions that a worker takes at once.
const SHARE: u64 = 8192;

/// Reads the whole book.
fn read_ybb(rules: &ConvertRules, collector: &mut Collector) -> Result<()> {
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

fn read_share(book: &Ybb, share: Range<u64>, rules: &ConvertRules, pool: &Pool) -> Result<Done> {
    book.verify_range(share.clone())?;
    let mut batch = Batch::new(rules, pool, 0);
    let mut item = PositionItem::default();
    for index in share.clone() {
        if let Some(entry) = book.get(index)? {
            read_entry(&entry, &mut item, &mut batch)?;
        }
    }
    Ok(batch.done(share.end - share.start))
}

fn read_entry(entry: &YbbEntry<'_>, item: &mut PositionItem, batch: &mut Batch<'_>) -> Result<()> {
    item.begin(entry.offset());
    let position = match entry.position() {
        Ok(position) => position,
        Err(error) => {
            let problem = LineProblem::Expected {
                expected: "a packed position",
                found: error.to_string(),
            };
            return batch.bad_position(entry.offset(), problem);
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
