//! The commands: arguments in, one call, a report out.

mod merge;

use std::process::ExitCode;

use yane_book::db::SkippedLine;

use crate::cli::{Cli, Command};

/// Runs the command.
pub(crate) fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = cli.settings;
    match cli.command {
        Command::Merge(args) => merge::merge(&args, &settings),
        Command::Sort(args) => merge::sort(&args, &settings),
    }
}

/// Lists the lines that were left out.
pub(crate) fn list_skipped(skipped: &[SkippedLine]) {
    for line in skipped {
        eprintln!("left out: {line}");
    }
    if !skipped.is_empty() {
        eprintln!("{} line(s) left out", skipped.len());
    }
}
