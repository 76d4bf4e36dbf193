//! `makebook`, the opening-book factory.
//!
//! Every command reads its arguments, makes one call to [`yane_book`] and prints what came of it.
//! Results go to standard output, progress and errors to standard error. Exit code 0: done; 1: it
//! failed, or `check` and `diff` found something; 2: wrong usage; 130: interrupted.
#![forbid(unsafe_code)]

mod classic;
mod cli;
mod commands;
mod console;
mod settings;
mod signals;

use std::process::ExitCode;

use clap::Parser;
use yane_book::BookError;

/// Exit code of a program that was interrupted from the keyboard.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("makebook: {error:#}");
            if error.is::<classic::UsageError>() {
                return ExitCode::from(2);
            }
            match error.downcast_ref::<BookError>() {
                Some(BookError::Cancelled) => ExitCode::from(INTERRUPTED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
