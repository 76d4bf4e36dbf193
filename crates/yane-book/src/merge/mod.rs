//! Merging and sorting text books of any size.
//!
//! # What comes out
//!
//! Positions in their canonical form, sorted by the bytes of their SFEN with ply, each with its moves
//! by count and value (both falling). That is what probing on the fly and `ShogiHome`'s search on disk
//! need.
//!
//! 1. Within one book, a position that occurs again has its moves added to the first; a move that is
//!    there already takes over reply, value and depth of the later line, and the counts add up.
//! 2. Of the same position (ply included) in several books one book's moves are taken whole: those
//!    whose *first line* was searched deeper; with equal depth those with more moves; else those of
//!    the earlier book. Moves of two books are never mixed.
//! 3. Of positions that differ only in ply the one with the smallest ply is kept, the others are
//!    dropped. With [`MergeOptions::ignore_ply`] they are one position from rule 1 on instead.
//! 4. Positions without moves are dropped.
//! 5. Comments stay with their positions and moves ([`CommentPolicy`]), those of all entries of a position together;
//!    those of moves that are not written are left out and counted.
//!
//! By rule 2 entries made of records, which have depth 32 and no values ([`crate::lacks_values`]), win against searches less
//! deep, as they do in the field's tools. They are counted, and [`Preference`] can change the rule.
//!
//! # How
//!
//! A book that is sorted already (one quick pass tells) is streamed; if its positions are out of order in canonical form, the
//! merge ends early (`Early::NeedsSorting`) and begins anew with that book sorted. Any other is cut into sorted
//! runs that go to a temporary file ([`yane_io::external`]). A k-way merge with a loser tree reads all of them.
//! Memory does not depend on the size of the books.

mod group;
mod options;
mod source;

use std::path::Path;

use yane_io::Chunk;
use yane_io::external::KWayMerge;

use crate::db::{CommentPolicy, Records, SkippedLine, comments_of_books, map_chunks, open_chunks};
use crate::{BookError, Job, Result, Unit};

use group::{Groups, MergeOutput};
use options::Early;
pub use options::{Legality, MergeInput, MergeOptions, MergeReport, Preference};
use source::{Normaliser, SortedInput};

/// Merges `inputs`, the earlier ones preferred, into `output`. With one input this sorts it.
///
/// # Errors
/// When an input cannot be read or has a bad line, or the output cannot be written. The output is
/// untouched then.
pub fn merge(
    inputs: &[MergeInput],
    output: &Path,
    options: MergeOptions,
    job: &Job,
) -> Result<MergeReport> {
    let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
    let _claim = options.overwrite.claim(output, &paths)?;
    let mut normalisers = Vec::with_capacity(inputs.len());
    for input in inputs {
        let sorted = is_sorted(&input.path, job)?;
        normalisers.push(Normaliser::new(input, options, sorted));
    }
    loop {
        match attempt(&normalisers, output, options, job) {
            Ok(report) => return Ok(report),
            Err(Early::NeedsSorting(input)) => normalisers[input].sorted = false,
            Err(Early::Error(error)) => return Err(error),
        }
    }
}

/// Merges, trusting that the inputs are sorted as they were found to be.
fn attempt(
    normalisers: &[Normaliser],
    output: &Path,
    options: MergeOptions,
    job: &Job,
) -> std::result::Result<MergeReport, Early> {
    let paths = normalisers
        .iter()
        .map(|normaliser| normaliser.path.as_path());
    let mut about_books = comments_of_books(paths)?;
    let about_all = about_books.len() as u64;
    if options.comments == CommentPolicy::LeaveOut {
        about_books.clear();
    }
    let mut out = MergeOutput::create(output, &about_books, options.line_end)?;
    let mut report = MergeReport {
        read: vec![0; normalisers.len()],
        alone: vec![0; normalisers.len()],
        ..MergeReport::default()
    };
    report.comments.count(about_all, about_books.len() as u64);
    let (sources, owners, total) = open_sources(normalisers, output, job, &mut report)?;
    job.progress.stage("write", Some(total), Unit::Bytes);
    let mut records = KWayMerge::new(sources);
    let mut groups = Groups::new(&owners, normalisers.len(), options, &mut report);
    while let Some((source, key, body)) = records.current() {
        groups.add(source, key, body, &mut out);
        records.advance()?;
        if out.block_is_full() {
            job.check()?;
            job.progress.advance(out.write_block()?);
        }
    }
    groups.finish(&mut out);
    for (source, &owner) in records.into_sources().iter().zip(&owners) {
        source.report(owner, &mut report);
    }
    report.skipped = SkippedLine::with_lines(report.skipped)?;
    if report.positions == 0 {
        return Err(BookError::nothing(output, nothing(normalisers, &report)).into());
    }
    out.commit()?;
    Ok(report)
}

/// Returns the reason why no position is written.
fn nothing(normalisers: &[Normaliser], report: &MergeReport) -> String {
    let names: Vec<_> = normalisers
        .iter()
        .map(|normaliser| normaliser.path.display().to_string())
        .collect();
    let bad = match report.skipped.first() {
        Some(first) => format!(
            "; {} lines were left out, the first: {first}",
            report.skipped.len()
        ),
        None => String::new(),
    };
    format!("no position with a move is in {}{bad}", names.join(", "))
}

/// Opens every input as one sorted source or as sorted runs. Tells the input of each source and the
/// size of the output in bytes at most.
fn open_sources(
    normalisers: &[Normaliser],
    output: &Path,
    job: &Job,
    report: &mut MergeReport,
) -> std::result::Result<(Vec<SortedInput>, Vec<usize>, u64), Early> {
    let mut sources = Vec::new();
    let mut owners = Vec::new();
    let mut total = 0;
    for (number, normaliser) in normalisers.iter().enumerate() {
        let opened = if normaliser.sorted {
            vec![SortedInput::stream(normaliser, number, job)?]
        } else {
            SortedInput::runs(normaliser, number, normalisers.len(), output, job, report)?
        };
        total += std::fs::metadata(&normaliser.path).map_or(0, |data| data.len());
        owners.extend(std::iter::repeat_n(number, opened.len()));
        sources.extend(opened);
    }
    Ok((sources, owners, total))
}

/// Bytes processed by one thread at a time.
const CHUNK: usize = 1 << 20;

/// The first and the last SFEN of a chunk, if all are in order.
type Range = Option<(Vec<u8>, Vec<u8>)>;

/// Returns whether all `sfen` lines stand in the order of their bytes. Reads no further than the first that
/// does not.
fn is_sorted(path: &Path, job: &Job) -> Result<bool> {
    let reader = open_chunks(path, CHUNK)?;
    job.progress
        .stage("check the order", Some(reader.file_len()), Unit::Bytes);
    let progress = job.progress.clone();
    let ranges = map_chunks(reader, job, move |chunk| {
        progress.advance(chunk.bytes.len() as u64);
        Ok(range(chunk))
    });
    let mut last = Vec::new();
    for range in ranges {
        job.check()?;
        match range? {
            Some((first, _)) if first.is_empty() => {}
            Some((first, end)) if last <= first => last = end,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn range(chunk: &Chunk) -> Range {
    let mut ends: Option<(&[u8], &[u8])> = None;
    for record in Records::new(&chunk.bytes, chunk.offset) {
        match &mut ends {
            None => ends = Some((record.sfen, record.sfen)),
            Some((_, last)) if *last <= record.sfen => *last = record.sfen,
            Some(_) => return None,
        }
    }
    let (first, last) = ends.unwrap_or_default();
    Some((first.to_vec(), last.to_vec()))
}
