//! Commands that write a book.

use std::path::PathBuf;

use othello_book::edax::Header;
use othello_book::files::{self, Opened, Saved, Writing};
use othello_book::ops::{self, Fixed, LeafValues, Limits};
use othello_book::store::{Find as _, Rows};
use othello_core::{Board, State};
use yane_cli::{Output, Settings};

use super::tell::tell;
use super::{open, reading, rows, writing};
use crate::args::{Change, Convert, Fix, Merge, Prune, Reading};
use crate::transcript::game;

pub(super) fn convert(args: &Convert, settings: &Settings) -> anyhow::Result<()> {
    let output = args.output.clone().map(Output::behind_inputs);
    let output = args.output_option.or(output)?;
    let writing = Writing {
        level: args.level,
        ..writing(&output.path, &args.reading)?
    };
    let books = std::slice::from_ref(&args.book);
    let done = put_together(
        books,
        &output,
        args.dry_run,
        &args.reading,
        writing,
        settings,
    )?;
    // One book alone is compared with nothing.
    let skipped = ["new", "changed"];
    let counts = done.counts().into_iter();
    let counts: Vec<_> = counts.filter(|(name, _)| !skipped.contains(name)).collect();
    Ok(tell(&counts, settings.json)?)
}

pub(super) fn merge(args: &Merge, settings: &Settings) -> anyhow::Result<()> {
    let writing = writing(&args.output, &args.reading)?;
    let done = put_together(
        &args.books,
        &Output::by_option(&args.output),
        args.dry_run,
        &args.reading,
        writing,
        settings,
    )?;
    Ok(tell(&done.counts(), settings.json)?)
}

fn put_together(
    books: &[PathBuf],
    output: &Output,
    dry_run: bool,
    args: &Reading,
    writing: Writing,
    settings: &Settings,
) -> anyhow::Result<files::Report> {
    if !dry_run {
        let overwrite = settings.overwrite_by(output);
        overwrite.check(&output.path, books)?;
    }
    let inputs = books.iter().map(|book| open(book, args));
    let inputs = inputs.collect::<yane_io::Result<Vec<_>>>()?;
    let job = settings.job()?;
    let reading = reading(args);
    Ok(files::convert(
        &inputs,
        &output.path,
        dry_run,
        reading,
        writing,
        &job,
    )?)
}

/// A book that is to be changed.
struct Work<'a> {
    args: &'a Change,
    writing: Writing,
    start: Board,
    opened: Opened,
}

impl<'a> Work<'a> {
    fn begin(args: &'a Change, settings: &Settings) -> anyhow::Result<Self> {
        let writing = writing(&args.output, &args.reading)?;
        if !args.dry_run {
            let overwrite = settings.overwrite();
            overwrite.check(&args.output, &[&args.book])?;
        }
        let start = game(&args.start, settings)?.position().board();
        let job = settings.job()?;
        let opened = rows(&args.book, Some(&args.output), &args.reading, &job)?;
        let is_pass = start.state() == State::Pass;
        let after = is_pass.then(|| opened.rows.find(start.passed())).flatten();
        if opened.rows.find(start).or(after).is_none() {
            let reason = "the book does not have the position to begin with (--start)";
            return Err(yane_io::Error::file(&args.book, reason).into());
        }
        Ok(Self {
            args,
            writing,
            start,
            opened,
        })
    }

    const fn book(&mut self) -> &mut Rows {
        &mut self.opened.rows
    }

    /// Writes the book and tells what was done.
    fn end(self, done: &[(&str, u64)], json: bool) -> anyhow::Result<()> {
        let (args, opened) = (self.args, &self.opened);
        let (rows, output) = (&opened.rows, &args.output);
        let saved: Saved = files::save(rows, output, args.dry_run, self.writing)?;
        let written = [
            ("positions", saved.positions),
            ("damaged", opened.damaged),
            ("left_out", saved.left_out),
            ("restored", opened.restored),
            ("side_car", saved.side_car),
        ];
        Ok(tell(&[done, &written].concat(), json)?)
    }
}

pub(super) fn fix(args: &Fix, settings: &Settings) -> anyhow::Result<()> {
    let mut work = Work::begin(&args.change, settings)?;
    let start = work.start;
    let book = work.book();
    let fixed = if args.edax {
        let header = book.header.unwrap_or_default();
        ops::negamax_edax(book, start, &header)
    } else {
        let mut fixed = ops::fix(book, start);
        if args.leaves {
            fixed.values += ops::negamax(book, start, LeafValues::Count).values;
        }
        fixed
    };
    let (removed, isolated) = if args.remove_isolated {
        (ops::remove_isolated(book, start), 0)
    } else {
        (0, ops::count_isolated(book, start))
    };
    let Fixed {
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
    work.end(&done, settings.json)
}

pub(super) fn prune(args: &Prune, settings: &Settings) -> anyhow::Result<()> {
    let mut work = Work::begin(&args.change, settings)?;
    let limits = Limits {
        depth: args.depth,
        error: args.error,
        sum: args.sum,
    };
    let start = work.start;
    let reduced = if args.edax {
        // Books of Egaroucid have no limit of their own.
        let none = Header {
            n_empties: 0,
            ..Header::default()
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
    work.end(&done, settings.json)
}

pub(super) fn lines(args: &Change, settings: &Settings) -> anyhow::Result<()> {
    let mut work = Work::begin(args, settings)?;
    let start = work.start;
    let counted = ops::count_lines(work.book(), start);
    let done = [("reached", counted.reached), ("lines", counted.lines)];
    work.end(&done, settings.json)
}

pub(super) fn isolated(args: &Change, settings: &Settings) -> anyhow::Result<()> {
    let mut work = Work::begin(args, settings)?;
    let start = work.start;
    let removed = ops::remove_isolated(work.book(), start);
    work.end(&[("removed", removed)], settings.json)
}
