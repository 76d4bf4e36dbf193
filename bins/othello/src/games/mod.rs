//! Commands for game records: inputs, and what was wrong with their games.

mod annotate;
mod inputs;
mod outputs;
mod report;
mod writing;

use std::process::ExitCode;

use yane_cli::Settings;

use crate::args::Games;

pub(crate) use inputs::{Names, OthelloGames, Tally};
pub(crate) use outputs::today;

pub(crate) fn run(command: &Games, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Games::Convert(args) => writing::convert(args, settings),
        Games::Filter(args) => writing::filter(args, settings),
        Games::List(args) => report::list(args, settings),
        Games::Stats(args) => report::stats(args, settings),
    }
}
