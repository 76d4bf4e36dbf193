//! The program `teacher` as a function, and its [`conversion`] for programs that are one command of it.
//!
//! Every command reads its arguments, makes one call to [`pack_format`] (`rescore` to [`shogi_farm::rescore`]) and says what came of it.
//! What a command was asked for goes to standard output (the answers of `check`, JSON, data for the
//! output `-`); progress, summaries of what was written, and errors go to standard error. Exit code
//! 0: done; 1: it failed, or something is damaged; 2: wrong usage; 130: interrupted.
#![forbid(unsafe_code)]

mod acting;
mod cli;
mod commands;
pub mod conversion;
mod files;
mod names;
mod outcome;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(acting::ACTING.limit(cli::Cli::command()))
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "teacher", command) {
        return code;
    }
    let matches = acting::ACTING.matches(command(), args);
    let cli = matches.and_then(|matches| cli::Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| error.exit());
    yane_cli::exit_code("teacher", commands::run(&cli))
}
