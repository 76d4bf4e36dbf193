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
use files::{open_book, temp_folder, writing};

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
