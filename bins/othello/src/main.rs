//! `othello`: commands for othello books, and perft.
//!
//! Every command reads its arguments, makes a call to `othello_book` or `othello_core` and prints what came of it.
#![forbid(unsafe_code)]

mod args;
mod book;
mod commands;
mod examples;
mod table;
mod transcript;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let done = commands::run(&args::Cli::parse());
    done.unwrap_or_else(|error| {
        yane_cli::fail("othello", &error, |error: &yane_io::Error| Some(error))
    })
}
