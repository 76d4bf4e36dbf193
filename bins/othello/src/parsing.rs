//! Command lines as they are typed, squares with a sign before them included.

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::args;
use crate::args::Cli;

/// The command line of these words. Ends the process for `--help`, `--version` and errors that [`clap`] finds.
pub(crate) fn parsed(args: Vec<OsString>) -> Cli {
    try_parsed(args).unwrap_or_else(|error| error.exit())
}

/// The command line of these words.
///
/// # Errors
///
/// What [`clap`] finds, and `--help` and `--version`.
pub(crate) fn try_parsed(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let matches = args::ACTING.matches(command(), args.into_iter().map(as_value))?;
    Cli::from_arg_matches(&matches)
}

/// A board may begin with empty squares, `--XX`: behind a blank it is no option. A word with other signs than squares and a side
/// have is one.
pub(super) fn as_value(argument: OsString) -> OsString {
    let text = argument.to_string_lossy();
    let is_board = text.starts_with('-')
        && text.chars().count() >= 64
        && text.chars().take(64).all(is_square_sign);
    if is_board {
        let mut value = OsString::from(" ");
        value.push(argument);
        return value;
    }
    argument
}

/// Returns whether a sign may stand for a square in a board, or between two.
pub(super) fn is_square_sign(sign: char) -> bool {
    "-._+eEXxBb*#@OoWw012 \t\r\n|/·・･□🟩●⚫■黒○⚪◯〇白".contains(sign)
}

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(args::ACTING.limit(args::Cli::command()))
}
