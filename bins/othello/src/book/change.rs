//! Commands that write a book.

use std::path::PathBuf;

use othello_book::edax::EdaxHeader;
use othello_book::files::{
    BookInput, BookOutputMode, BookWriteOptions, OpenedBook, book_of_side_car,
};
use othello_book::ops::{FixReport, ReduceLimits};
use othello_book::store::{DiskBook, PositionLookup as _};
use othello_book::{BookFormat, files, ops};
use othello_bookwork::GrowthLimit;
use othello_core::{Board, State};
use yane_cli::{Output, Settings, UsageError};
use yane_io::Claim;

use super::lookup::game;
use super::writing;
use crate::args::{Change, Convert, Fix, Merge, Prune, ReadArgs};
use crate::report::Report;

pub(super) fn convert(args: &Convert, settings: &Settings) -> anyhow::Result<Report> {
    let output = args.output.clone().map(Output::behind_inputs);
    let output = args.output_option.or(output)?;
    let writing = BookWriteOptions {
        level: args.level,
        ..writing(&output.path, &args.reading)?
    };
    let books = std::slice::from_ref(&args.book);
    let done = put_together(
        books,
        &output,
        mode(args.dry_run),
        &args.reading,
        writing,
        settings,
    )?;
    // One book alone is compared with nothing.
    let skipped = ["new", "changed"];
    let counts = done.counts().into_iter();
    let counts: Vec<_> = counts.filter(|(name, _)| !skipped.contains(name)).collect();
    Ok(Report::of_counts(&counts))
}

pub(super) fn merge(args: &Merge, settings: &Settings) -> anyhow::Result<Report> {
    let writing = writing(&args.output, &args.reading)?;
    let books = without_side_cars(&args.books, settings)?;
    let done = put_together(
        &books,
        &Output::by_option(&args.output),
        mode(args.dry_run),
        &args.reading,
        writing,
        settings,
    )?;
    Ok(Report::of_counts(&done.counts()))
}

/// The books of several files, such as `*.dat`, without side-cars.
fn without_side_cars(files: &[PathBuf], settings: &Settings) -> anyhow::Result<Vec<PathBuf>> {
    let job = settings.job()?;
    let is_book = |file: &&PathBuf| {
        let book = book_of_side_car(file);
        if let Some(book) = &book {
            let (file, book) = (file.display(), book.display());
            let note = format!("{file}: the side-car of {book}, no book of its own; skipped");
            job.progress.note(&note);
        }
        book.is_none()
    };
    let books: Vec<_> = files.iter().filter(is_book).cloned().collect();
    if books.is_empty() {
        return Err(UsageError("only side-cars were named, no book".to_owned()).into());
    }
    Ok(books)
}

/// Whether a command writes its output.
const fn mode(is_dry_run: bool) -> BookOutputMode {
    if is_dry_run {
        BookOutputMode::DryRun
    } else {
        BookOutputMode::Write
    }
}

fn put_together(
    books: &[PathBuf],
    output: &Output,
    mode: BookOutputMode,
    args: &ReadArgs,
    writing: BookWriteOptions,
    settings: &Settings,
) -> anyhow::Result<files::BookMergeReport> {
    let _claim = if mode == BookOutputMode::DryRun {
        Claim::default()
    } else {
        settings.overwrite_by(output).claim(&output.path, books)?
    };
    let inputs = books.iter().map(|book| args.open(book));
    let inputs = inputs.collect::<yane_io::Result<Vec<_>>>()?;
    let job = settings.job()?;
    let reading = args.options();
    let report = files::convert(&inputs, &output.path, mode, reading, writing, &job)?;
    if mode == BookOutputMode::Write {
        job.progress.saved(&output.path);
    }
    Ok(report)
}

/// A book being changed.
struct Work<'a> {
    args: &'a Change,
    writing: BookWriteOptions,
    start: Board,
    input: BookInput,
    opened: OpenedBook,
    _claim: Claim,
}

impl<'a> Work<'a> {
    fn begin(args: &'a Change, settings: &Settings) -> anyhow::Result<Self> {
        let writing = writing(&args.output, &args.reading)?;
        let claim = if args.dry_run {
            Claim::default()
        } else {
            settings.overwrite().claim(&args.output, &[&args.book])?
        };
        let start = game(&args.start, settings)?.position().board();
        let job = settings.job()?;
        let input = args.reading.open(&args.book)?;
        let folder = job.temp_for(&args.output);
        let opened = files::open(&input, args.reading.options(), folder, &job)?;
        let is_pass = start.state() == State::Pass;
        let after = is_pass.then(|| opened.book.find(start.passed())).flatten();
        if opened.book.find(start).or(after).is_none() {
            let reason = "the book does not have the position to begin with (--start)";
            return Err(yane_io::Error::file(&args.book, reason).into());
        }
        Ok(Self {
            args,
            writing,
            start,
            input,
            opened,
            _claim: claim,
        })
    }

    const fn book(&mut self) -> &mut DiskBook {
        &mut self.opened.book
    }

    /// Saves the book; the counts.
    fn end(self, done: &[(&str, u64)], settings: &Settings) -> anyhow::Result<Report> {
        let (args, opened) = (self.args, &self.opened);
        let (reading, writing) = (args.reading.options(), self.writing);
        let output = (args.output.as_path(), mode(args.dry_run));
        let job = settings.job()?;
        let saved = files::save_changed(opened, &self.input, reading, output, writing, &job)?;
        if !args.dry_run {
            job.progress.saved(&args.output);
        }
        drop(job);
        let written = [
            ("positions", saved.positions),
            ("damaged", opened.damaged),
            ("left_out", saved.left_out),
            ("restored", opened.restored),
            ("side_car", saved.side_car),
        ];
        let for_edax = saved.for_edax.map(|found| found.counts().to_vec());
        let for_edax = for_edax.unwrap_or_default();
        Ok(Report::of_counts(&[done, &written, &for_edax].concat()))
    }
}

pub(super) fn fix(args: &Fix, settings: &Settings) -> anyhow::Result<Report> {
    let mut work = Work::begin(&args.change, settings)?;
    let start = work.start;
    // By default like the program of the book.
    let is_of_edax = work.input.file.format == BookFormat::Edax;
    let as_edax = args.edax || is_of_edax && !args.egaroucid && !args.leaves;
    let book = work.book();
    let fixed = if as_edax {
        let header = book.header.unwrap_or_default();
        ops::negamax_edax(book, start, &header)
    } else if args.leaves {
        ops::fix_with_leaves(book, start)
    } else {
        ops::fix(book, start)
    };
    let (removed, isolated) = if args.remove_isolated {
        (ops::remove_isolated(book, start), 0)
    } else {
        (0, ops::count_isolated(book, start))
    };
    let FixReport {
        reached,
        values,
        lines,
        leaves,
        bounds,
    } = fixed;
    let done = [
        ("reached", reached),
        ("values", values),
        ("lines", lines),
        ("leaves", leaves),
        ("bounds", bounds),
        ("removed", removed),
        ("isolated", isolated),
    ];
    work.end(&done, settings)
}

pub(super) fn prune(args: &Prune, settings: &Settings) -> anyhow::Result<Report> {
    let mut work = Work::begin(&args.change, settings)?;
    // A game has 60 plies, and a value is at most 128 discs away from another one.
    let discs =
        |limit: GrowthLimit, most| limit.0.map_or(most, |limit| limit.min(most as u32) as i32);
    let limits = ReduceLimits {
        depth: args.depth.0.unwrap_or(60),
        error: discs(args.errors.error, 128),
        sum: discs(args.errors.sum, 128 * 60),
    };
    let start = work.start;
    let reduced = if args.edax {
        // Books of Egaroucid have no limit of their own.
        let none = EdaxHeader {
            n_empties: 0,
            ..EdaxHeader::default()
        };
        let header = work.book().header.unwrap_or(none);
        ops::prune_edax(work.book(), start, &header)
    } else {
        ops::reduce(work.book(), start, limits)
    };
    let done = [
        ("kept", reduced.kept),
        ("removed", reduced.removed),
        ("leaves", reduced.leaves),
    ];
    work.end(&done, settings)
}

pub(super) fn lines(args: &Change, settings: &Settings) -> anyhow::Result<Report> {
    let mut work = Work::begin(args, settings)?;
    let start = work.start;
    let counted = ops::count_lines(work.book(), start);
    let done = [("reached", counted.reached), ("lines", counted.lines)];
    work.end(&done, settings)
}

pub(super) fn isolated(args: &Change, settings: &Settings) -> anyhow::Result<Report> {
    let mut work = Work::begin(args, settings)?;
    let start = work.start;
    let removed = ops::remove_isolated(work.book(), start);
    work.end(&[("removed", removed)], settings)
}
