//! The program `egbk-mine`, which searches othello books for values that disagree, as a function.
//!
//! With arguments it is a command like the others; without any it works on the files of its folder, as the classic
//! program of this purpose does.
#![forbid(unsafe_code)]

mod args;
mod config;
mod inspect;
mod search;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use args::{Args, Dialect, LineFormat};
use clap::CommandFactory as _;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(Args::command())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "egbk-mine", command) {
        return code;
    }
    let done = if args.len() > 1 {
        search::run(&yane_cli::parse(args))
    } else {
        config::run(std::path::Path::new("."))
    };
    yane_cli::exit_code("egbk-mine", done)
}
