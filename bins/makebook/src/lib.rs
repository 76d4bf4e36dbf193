//! The program `makebook` as a function, so that programs that are one command of it can be made.
//!
//! Every command reads its arguments, makes one call to [`yane_book`] and prints what came of it.
//! Results go to standard output, progress and errors to standard error. Exit code 0: done; 1: it
//! failed, or `check` and `diff` found something, or `lookup` nothing; 2: wrong usage; 130:
//! interrupted.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod console;
mod print;
mod settings;
mod signals;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use thiserror::Error;
use yane_book::BookError;
use yane_book::io;

/// Exit code of a program that was interrupted from the keyboard.
const INTERRUPTED: u8 = 130;
/// Exit code for wrong usage.
const USAGE: u8 = 2;

/// The command line is wrong.
#[derive(Debug, Error)]
#[error("{0}")]
struct UsageError(String);

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let program = words::with_underscores(cli::Cli::command());
    let args = words::to_options(&program, args.into_iter().collect());
    let matches = program.get_matches_from(args);
    let cli = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            let book_error = error.downcast_ref::<BookError>();
            match book_error {
                // It tells its cause itself.
                Some(book_error) => eprintln!("makebook: {book_error}"),
                None => eprintln!("makebook: {error:#}"),
            }
            if error.is::<UsageError>() {
                return ExitCode::from(USAGE);
            }
            match book_error {
                Some(BookError::Files(io::Error::Cancelled)) => ExitCode::from(INTERRUPTED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
