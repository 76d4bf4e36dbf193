//! The program `pack2hcpe` as a function: the conversion of `teacher` with the command line that
//! `pack2hcpe.py` has.
#![forbid(unsafe_code)]

mod args;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use teacher::conversion;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    args::program()
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Exit code 0: done; 1: it failed, or an input is damaged; 2: wrong usage; 130: interrupted. Ends
/// the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = command().get_matches_from(args);
    let args = args::Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let done = args
        .conversions()
        .map_err(anyhow::Error::from)
        .and_then(|conversions| conversion::run("pack2hcpe", &conversions, &args.settings));
    done.unwrap_or_else(|error| teacher::fail("pack2hcpe", &error))
}
