//! Commands for books.

mod change;
mod files;
mod from_games;
mod grow;
mod info;
pub(crate) mod lookup;
mod study;

use std::process::ExitCode;

use yane_cli::Settings;

use crate::args::Book;
use crate::report::Report;
use files::{open_book, temp_folder, writing};

/// What a command did.
#[derive(Debug)]
pub(crate) enum BookOutcome {
    /// It has something to say, which nobody was told yet.
    Reported(Box<Report>),
    /// It printed as it went.
    Printed(ExitCode),
}

impl From<Report> for BookOutcome {
    fn from(report: Report) -> Self {
        Self::Reported(Box::new(report))
    }
}

pub(crate) fn run(command: &Book, settings: &Settings) -> anyhow::Result<ExitCode> {
    match carry_out(command, settings)? {
        BookOutcome::Reported(report) => report.print(settings),
        BookOutcome::Printed(code) => Ok(code),
    }
}

/// Carries a command out.
pub(crate) fn carry_out(command: &Book, settings: &Settings) -> anyhow::Result<BookOutcome> {
    let printed = |code| Ok(BookOutcome::Printed(code));
    let report = match command {
        Book::Info(args) => info::info(args, settings)?,
        Book::Convert(args) => change::convert(args, settings)?,
        Book::Merge(args) => change::merge(args, settings)?,
        Book::Fix(args) => change::fix(args, settings)?,
        Book::Prune(args) => change::prune(args, settings)?,
        Book::Lines(args) => change::lines(args, settings)?,
        Book::Isolated(args) | Book::Subtree(args) => change::isolated(args, settings)?,
        Book::Check(args) => info::check(args, settings)?,
        Book::Learn(args) => grow::learn(args, settings)?,
        Book::Leaves(args) => grow::leaves(args, settings)?,
        Book::Store(args) => grow::store(args, settings)?,
        Book::Deviate(args) => grow::deviate(args, settings)?,
        Book::Enhance(args) => grow::enhance(args, settings)?,
        Book::Fill(args) => grow::fill(args, settings)?,
        Book::Play(args) => grow::play(args, settings)?,
        Book::Recipe(args) => grow::recipe(args, settings)?,
        Book::Export(args) => grow::export(args, settings)?,
        Book::Errors(args) => return printed(info::errors(args, settings)?),
        Book::Dump(args) => return printed(info::dump(args, settings.json)?),
        Book::Accuracy(args) => return printed(lookup::accuracy(args, settings)?),
        Book::FromGames(args) => return printed(from_games::from_games(args, settings)?),
        Book::Lookup(args) => return printed(lookup::lookup(args, settings)?),
        Book::Set(args) => return printed(grow::set(args, settings)?),
        Book::Worker(args) => return printed(grow::worker(args, settings)?),
        Book::Umigame(args) => return printed(study::umigame(args, settings)?),
        Book::Tree(args) => return printed(study::tree(args, settings)?),
        Book::Draws(args) => return printed(study::draws(args, settings)?),
        Book::Practice(args) => return printed(study::practice(args, settings)?),
        Book::Diff(args) => return printed(study::diff(args, settings)?),
    };
    Ok(report.into())
}
