//! The program `egbk-mine`, which looks through othello books for values that disagree, as a function.
//!
//! With arguments it is a command like the others; without any it works on the files of its folder, as the classic
//! program of this purpose does.
#![forbid(unsafe_code)]

mod args;
mod book;
mod classic;
mod config;
mod inspect;
mod log;
mod output;
mod report;
mod search;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use othello_book::miner::MineError;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    args::Args::command()
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    let done = if args.len() > 1 {
        search::run(&args::Args::parse_from(args))
    } else {
        classic::run(std::path::Path::new("."))
    };
    done.unwrap_or_else(|error| {
        yane_cli::fail("egbk-mine", &error, |error: &MineError| match error {
            MineError::Files(error) => Some(error),
            _ => None,
        })
    })
}
