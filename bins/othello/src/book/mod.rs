//! Commands for books.

mod change;
mod from_games;
mod grow;
mod info;
pub(crate) mod lookup;
mod study;

use std::path::Path;
use std::process::ExitCode;

use othello_book::BookFormat;
use othello_book::files::{self, BookWriteOptions, OpenedBook};
use yane_cli::{Settings, UsageError};
use yane_io::{Job, TempFolder};

use crate::args::{Book, ReadArgs};

pub(crate) fn run(command: &Book, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Book::Info(args) => info::info(&args.book, &args.reading, settings)?,
        Book::Convert(args) => change::convert(args, settings)?,
        Book::Merge(args) => change::merge(args, settings)?,
        Book::Fix(args) => change::fix(args, settings)?,
        Book::Prune(args) => change::prune(args, settings)?,
        Book::Lines(args) => change::lines(args, settings)?,
        Book::Isolated(args) | Book::Subtree(args) => change::isolated(args, settings)?,
        Book::Accuracy(args) => return lookup::accuracy(args, settings),
        Book::Errors(args) => info::errors(args, settings)?,
        Book::Dump(args) => info::dump(&args.book, &args.reading, settings.json)?,
        Book::FromGames(args) => return from_games::from_games(args, settings),
        Book::Lookup(args) => return lookup::lookup(args, settings),
        Book::Check(args) => return info::check(args, settings),
        Book::Learn(args) => return grow::learn(args, settings),
        Book::Leaves(args) => return grow::leaves(args, settings),
        Book::Store(args) => return grow::store(args, settings),
        Book::Set(args) => return grow::set(args, settings),
        Book::Deviate(args) => return grow::deviate(args, settings),
        Book::Enhance(args) => return grow::enhance(args, settings),
        Book::Fill(args) => return grow::fill(args, settings),
        Book::Play(args) => return grow::play(args, settings),
        Book::Recipe(args) => return grow::recipe(args, settings),
        Book::Worker(args) => return grow::worker(args, settings),
        Book::Export(args) => return grow::export(args, settings),
        Book::Umigame(args) => return study::umigame(args, settings),
        Book::Tree(args) => return study::tree(args, settings),
        Book::Draws(args) => return study::draws(args, settings),
        Book::Practice(args) => return study::practice(args, settings),
        Book::Diff(args) => return study::diff(args, settings),
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a book of any size for changes, with temporary files for no output.
fn open_book(path: &Path, args: &ReadArgs, job: &Job) -> yane_io::Result<OpenedBook> {
    files::open(&args.open(path)?, args.options(), temp_folder(job), job)
}

/// The folder of temporary files for no output.
fn temp_folder(job: &Job) -> TempFolder {
    TempFolder::from(&job.temp_dir.clone().unwrap_or_else(std::env::temp_dir))
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
