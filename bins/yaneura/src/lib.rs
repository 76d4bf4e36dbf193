//! The program `yaneura`, a shogi engine that speaks USI, as a function.
//!
//! Without arguments it waits for commands on standard input, as GUIs want it. Arguments are
//! commands too, run before those of the standard input. Results go to standard output; nothing is
//! ever written to standard error, which GUIs do not read, except for wrong arguments, by commands
//! about files that stand alone on the command line, and one line for a person at a terminal.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod commands;
mod error;
mod eval_files;
mod eval_trace;
mod files;
mod input;
mod mate;
mod output;
mod picture;
mod queries;
mod report;
mod usi_loop;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory as _;

/// The command line, as [`clap`] sees it: with the commands that alone on it are programs.
pub fn command() -> clap::Command {
    args::Args::command()
        .subcommand(mate::command())
        .subcommands(eval_files::commands())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match args::Args::read(args) {
        Ok(args) => args,
        Err(code) => return code,
    };
    let program = eval_files::run_as_program(args.words());
    if let Some(code) = program.or_else(|| mate::run_as_program(args.words())) {
        return code;
    }
    if let Some(text) = args.greeting() {
        eprintln!("{text}");
    }
    let commands = args.into_commands();
    let output = output::Output::start();
    if let Some((_, lines)) = files::beside_program("startup_info.txt") {
        for line in lines {
            output.handle().line(line);
        }
    }
    output::report_panics_to(&output);
    usi_loop::UsiLoop::new(commands, output.handle()).run();
    output.finish();
    ExitCode::SUCCESS
}
