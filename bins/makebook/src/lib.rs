//! The program `makebook` as a function: both programs of this package, `makebook` and `startsfens`, call it.
//!
//! Every command reads its arguments, makes one call to [`yane_book`] or [`bookwork`] and prints the result.
//! Results go to standard output, progress and errors to standard error. Exit code 0: done; 1: it failed, or
//! `check` and `diff` found something, or `lookup` nothing; 2: wrong usage; 130: interrupted.
#![forbid(unsafe_code)]

mod acting;
mod args;
mod cli;
mod commands;
mod legacy_syntax;
mod print;
mod thinking;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches as _;

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    legacy_syntax::with_underscores(cli::program())
}

/// The command line of the program `startsfens`, which is a command of `makebook`, with the options of the program itself.
pub fn startsfens() -> clap::Command {
    let program = command();
    let own = program.get_arguments().filter(|arg| {
        let names = ["completions", "man"];
        names.iter().any(|name| arg.get_id() == name)
    });
    let own: Vec<_> = own.cloned().collect();
    let command = program.find_subcommand(START_SFENS).cloned();
    command
        .unwrap_or_default()
        .args(own)
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(yane_cli::long_version())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "makebook", command) {
        return code;
    }
    let mut program = command();
    if let Some(name) = args.first().and_then(|program| own_name(program)) {
        args.insert(1, OsString::from(START_SFENS));
        let usage = format!("{name} [OPTIONS] <BOOK.db> [OUT.txt]");
        program = program.mut_subcommand(START_SFENS, |command| command.override_usage(usage));
    }
    let args = legacy_syntax::to_options(&program, args);
    let matches = acting::ACTING.matches(program, args);
    let cli = matches.and_then(|matches| cli::Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| error.exit());
    yane_cli::exit_code("makebook", commands::run(cli))
}

/// The command that is a program of its own too.
const START_SFENS: &str = "startsfens";

/// The name of a program that is this command, by the path that it was called with: a link to `makebook` does.
fn own_name(program: &OsStr) -> Option<&'static str> {
    let stem = Path::new(program).file_stem()?;
    let names = [START_SFENS, "yanebook2startsfen"];
    names.into_iter().find(|name| stem == *name)
}
