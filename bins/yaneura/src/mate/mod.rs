//! Mate search: `go mate` in the USI loop, and the program `yaneura mate`, which solves collections of
//! problems and judges solutions.

mod check;
mod cli;
mod journal;
mod problems;
mod record;
mod solve;
mod usi;
mod work;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::error::EvalFilesError;
use cli::Cli;

pub(crate) use usi::MateReporter;

/// The first word of the command.
const NAME: &str = "mate";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    Cli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[String]) -> Option<ExitCode> {
    let is_ours = words.first().is_some_and(|word| word == NAME);
    if !is_ours || words.iter().any(|word| word == ",") {
        return None;
    }
    let cli = Cli::parse_from(words);
    let done = match &cli.command {
        Some(cli::Command::Check(args)) => check::run(args),
        None => solve::run(&cli.solve),
    };
    Some(
        done.unwrap_or_else(|error| {
            yane_cli::fail("yaneura mate", &error, EvalFilesError::file_error)
        }),
    )
}
