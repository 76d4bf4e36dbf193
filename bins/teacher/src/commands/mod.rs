//! The commands: arguments in, one call, a report out.

mod arrange;
mod check;
mod convert;
mod filter;
mod list;
mod stats;
mod work;

use std::process::ExitCode;

use crate::cli::{Cli, Command};

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let settings = &cli.settings;
    match &cli.command {
        Command::Convert(args) => convert::convert(args, settings),
        Command::Check(args) => check::check(args, settings),
        Command::Repair(args) => convert::repair(args, settings),
        Command::Stats(args) => stats::stats(args, settings),
        Command::Head(args) => list::head(args, settings),
        Command::Sample(args) => list::sample(args, settings),
        Command::Shuffle(args) => arrange::shuffle(args, settings),
        Command::Dedup(args) => arrange::dedup(args, settings),
        Command::Filter(args) => filter::filter(args, settings),
        Command::Split(args) => arrange::split(args, settings),
        Command::Concat(args) => arrange::concat(args, settings),
    }
}
