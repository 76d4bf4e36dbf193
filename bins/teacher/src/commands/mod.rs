//! The commands: each makes one call of [`pack_format`], or of [`mod@rescore`], and reports on it.

pub(crate) mod arrange;
pub(crate) mod convert;
pub(crate) mod filter;
pub(crate) mod list;
pub(crate) mod rescore;
mod tell;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use tell::{list_skipped, tell, timed};

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let settings = &cli.settings;
    match &cli.command {
        Command::Convert(args) => convert::convert(args, settings),
        Command::Check(args) => convert::check(args, settings),
        Command::Repair(args) => convert::repair(args, settings),
        Command::Stats(args) => list::stats(args, settings),
        Command::Head(args) => list::head(args, settings),
        Command::Sample(args) => list::sample(args, settings),
        Command::Shuffle(args) => arrange::shuffle(args, settings),
        Command::Dedup(args) => arrange::dedup(args, settings),
        Command::Filter(args) => filter::filter(args, settings),
        Command::Split(args) => arrange::split(args, settings),
        Command::Concat(args) => arrange::concat(args, settings),
        Command::Rescore(args) => rescore::run(args, settings),
    }
}
