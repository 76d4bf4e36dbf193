//! `learn`: networks from teacher data, in the present form (`--train FILE…`) and by the words of the classic
//! command.
//!
//! Alone on the command line it is a program: progress on standard error, results on standard output, an exit code.

mod cli;
mod curves;
mod run;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

/// The first word of the command.
pub(crate) const NAME: &str = "learn";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    cli::Cli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if they are `learn` and nothing else; `None` otherwise.
pub(crate) fn run_as_program(words: &[String]) -> Option<ExitCode> {
    let (name, rest) = words.split_first()?;
    if name != NAME || words.iter().any(|word| word == ",") {
        return None;
    }
    let program = "yaneura learn".to_owned();
    let cli = cli::Cli::parse_from(std::iter::once(&program).chain(rest));
    Some(run::learn(&cli))
}
