//! `egbk-mine`, which looks through othello books for values that disagree.
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

use std::process::ExitCode;

use clap::Parser as _;
use othello_book::miner::MineError;

fn main() -> ExitCode {
    let done = if std::env::args_os().len() > 1 {
        search::run(&args::Args::parse())
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
