//! The program `makebook` as a function: both programs of this package, `makebook` and `startsfens`, call it.
//!
//! Every command reads its arguments, makes one call to [`yane_book`] or [`bookwork`] and prints the result.
//! Results go to standard output, progress and errors to standard error. Exit code 0: done; 1: it failed, or
//! `check` and `diff` found something, or `lookup` nothing; 2: wrong usage; 130: interrupted.
#![forbid(unsafe_code)]

mod args;
mod cli;
mod commands;
mod legacy_syntax;
mod print;
mod thinking;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    legacy_syntax::with_underscores(cli::program())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let program = command();
    let args = legacy_syntax::to_options(&program, args.into_iter().collect());
    let matches = program.get_matches_from(args);
    let cli = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    commands::run(cli).unwrap_or_else(|error| yane_cli::fail("makebook", &error))
}
