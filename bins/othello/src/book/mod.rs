//! Commands for books.

mod change;
mod check;
mod dump;
mod errors;
mod info;
mod lookup;
mod tell;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use othello_book::BookFormat;
use othello_book::convert::LeafImport;
use othello_book::files::{self, BookInput, BookLookup, BookWriteOptions, OpenedBook};
use othello_book::store::OnDamage;
use serde_json::json;
use yane_cli::{Settings, UsageError, print};
use yane_io::Job;

use crate::args::{Book, ReadArgs};

pub(crate) fn run(command: &Book, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Book::Info(args) => info(&args.book, &args.reading, settings)?,
        Book::Convert(args) => change::convert(args, settings)?,
        Book::Merge(args) => change::merge(args, settings)?,
        Book::Fix(args) => change::fix(args, settings)?,
        Book::Prune(args) => change::prune(args, settings)?,
        Book::Lines(args) => change::lines(args, settings)?,
        Book::Isolated(args) | Book::Subtree(args) => change::isolated(args, settings)?,
        Book::Accuracy(args) => return lookup::accuracy(args, settings),
        Book::Errors(args) => errors::errors(args, settings)?,
        Book::Dump(args) => dump::dump(&args.book, args.reading.skip_damaged, settings.json)?,
        Book::Lookup(args) => return lookup::lookup(args, settings),
        Book::Check(args) => return check::check(args, settings),
    }
    Ok(ExitCode::SUCCESS)
}

/// The options of reading books.
fn reading(args: &ReadArgs) -> files::BookReadOptions {
    files::BookReadOptions {
        egbk_level: args.egbk_level,
        leaf_import: if args.leaf_positions {
            LeafImport::AsPosition
        } else {
            LeafImport::Keep
        },
        damage: if args.skip_damaged {
            OnDamage::Skip
        } else {
            OnDamage::Stop
        },
    }
}

/// Opens a book, with its side-car unless that is not wanted.
fn open(path: &Path, args: &ReadArgs) -> yane_io::Result<BookInput> {
    let input = BookInput::open(path)?;
    Ok(if args.no_side_car {
        input.alone()
    } else {
        input
    })
}

/// A book to be worked on, of whatever size. Temporary files are where the output will be, if there is one.
fn rows(
    path: &Path,
    output: Option<&Path>,
    args: &ReadArgs,
    job: &Job,
) -> yane_io::Result<OpenedBook> {
    let folder = folder(output, job);
    files::open(&open(path, args)?, reading(args), &folder, job)
}

/// A book to be asked for a few positions, of whatever size.
fn ask<'a>(input: &'a BookInput, args: &ReadArgs, job: &Job) -> yane_io::Result<BookLookup<'a>> {
    files::open_for_lookup(input, reading(args), &folder(None, job), job)
}

/// Where temporary files go.
fn folder(output: Option<&Path>, job: &Job) -> PathBuf {
    match (output, &job.temp_dir) {
        (Some(output), _) => job.temp_dir_for(output),
        (None, Some(folder)) => folder.clone(),
        (None, None) => std::env::temp_dir(),
    }
}

/// The options of writing an output. Its extension is the format.
fn writing(output: &Path, args: &ReadArgs) -> Result<BookWriteOptions, UsageError> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    let format = extension.and_then(BookFormat::of_extension);
    let format = format.ok_or_else(|| {
        let name = output.display();
        UsageError(format!(
            "{name}: a name that ends in .dat, .egbk3, .egbk2, .egbk or .txt was expected"
        ))
    })?;
    let mut writing = BookWriteOptions::new(format);
    writing.side_car = !args.no_side_car;
    Ok(writing)
}

fn info(path: &Path, args: &ReadArgs, settings: &Settings) -> anyhow::Result<()> {
    let job = settings.job()?;
    let (info, damaged) = files::info(&open(path, args)?, reading(args), &job)?;
    drop(job);
    if settings.json {
        let mut info = serde_json::to_value(&info)?;
        info["damaged"] = json!(damaged);
        print::json(&info)?;
    } else {
        print::lines(info::lines(&info, damaged))?;
    }
    Ok(())
}
