//! The program `othello`, commands for othello books and perft, as a function.
//!
//! Every command parses its arguments, makes a call to `othello_book` or `othello_core` and prints the result.
#![forbid(unsafe_code)]

mod args;
mod book;
mod commands;
mod examples;
mod print;
mod records;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    args::Cli::command()
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let done = commands::run(&args::Cli::parse_from(args));
    done.unwrap_or_else(|error| {
        yane_cli::fail("othello", &error, |error: &yane_io::Error| Some(error))
    })
}
