//! The program `kifu`, commands for game records, as a function.
//!
//! Every command parses its arguments, calls [`shogi_kifu`] for each game and prints or writes what came of it.
#![forbid(unsafe_code)]

mod acting;
mod args;
mod reading;
mod report;
mod writing;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::args::{Cli, Command};

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(acting::ACTING.limit(Cli::command()))
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "kifu", command) {
        return code;
    }
    let matches = acting::ACTING.matches(command(), args);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| error.exit());
    let settings = &cli.settings;
    let done = match &cli.command {
        Command::Convert(args) => writing::convert(args, settings),
        Command::Filter(args) => writing::filter(args, settings),
        Command::Split(args) => writing::split(args, settings),
        Command::Check(args) => report::check(args, settings),
        Command::Stats(args) => report::stats(args, settings),
        Command::Analyze(args) => yaneura::analyze::analyze(args, settings),
        Command::Show(args) => report::show(args, settings),
    };
    yane_cli::exit_code("kifu", done)
}
