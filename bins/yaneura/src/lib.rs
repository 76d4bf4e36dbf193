//! The program `yaneura`, a shogi engine that speaks USI, as a function, and its command line.
//!
//! Without arguments it waits for commands on standard input, as GUIs expect. Arguments are commands too, which are run
//! before those of the standard input. Results go to standard output. Nothing is written to standard error, which GUIs
//! do not read, except for wrong arguments, by commands about files that stand alone on the command line, and one line
//! for a user at a terminal.
#![forbid(unsafe_code)]

mod alone;
pub mod analyze;
mod args;
mod bench;
mod commands;
mod csa;
mod deep;
mod error;
mod eval_files;
mod eval_server;
mod learn;
mod mate;
mod picture;
mod queries;
mod report;
mod runtime_args;
mod serve;
mod streams;
mod usi_loop;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use alone::parse_alone;
pub(crate) use args::Args;
use clap::CommandFactory;

/// The command line for [`clap`], with the commands that are programs when alone on it.
pub fn command() -> clap::Command {
    let program = Args::command()
        .subcommand(analyze::command())
        .subcommand(mate::command())
        .subcommand(learn::command())
        .subcommand(csa::command())
        .subcommand(deep::command())
        .subcommand(eval_server::command())
        .subcommand(serve::command())
        .subcommands(eval_files::commands());
    yane_cli::plain_help(program)
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and wrong arguments.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "yaneura", command) {
        return code;
    }
    let args = match Args::read(args) {
        Ok(args) => args,
        Err(code) => return code,
    };
    let program = eval_files::run_as_program(args.words());
    let program = program.or_else(|| analyze::run_as_program(args.words()));
    let program = program.or_else(|| learn::run_as_program(args.words()));
    let program = program.or_else(|| csa::run_as_program(args.words()));
    let program = program.or_else(|| deep::run_as_program(args.words()));
    let program = program.or_else(|| eval_server::run_as_program(args.words()));
    let program = program.or_else(|| serve::run_as_program(args.words()));
    if let Some(code) = program.or_else(|| mate::run_as_program(args.words())) {
        return code;
    }
    if let Some(text) = args.greeting() {
        eprintln!("{text}");
    }
    let commands = args.into_commands();
    let output = streams::Output::start();
    if let Some((_, lines)) = usi_loop::ready::beside_program("startup_info.txt") {
        for line in lines {
            output.handle().line(line);
        }
    }
    streams::report_panics_to(&output);
    usi_loop::UsiLoop::new(commands, output.handle()).run();
    output.finish();
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use crate::args::greeting;
    use crate::args::help;

    use crate::*;
    use clap::Parser;

    fn commands(line: &str) -> Vec<String> {
        Args::parse_from(format!("yaneura {line}").split(' ')).into_commands()
    }

    #[test]
    fn a_lone_comma_ends_a_command() {
        assert_eq!(
            commands("position sfen 4k4/9/9/9/9/9/9/9/9 b - 1 , go depth 8 , , quit"),
            [
                "position sfen 4k4/9/9/9/9/9/9/9/9 b - 1",
                "go depth 8",
                "quit"
            ]
        );
        assert_eq!(commands("a, b"), ["a, b"]);
    }

    #[test]
    fn the_greeting_names_help_and_quit() {
        let text = greeting();
        assert!(
            text.starts_with("yaneura ") && !text.contains('\n'),
            "{text}"
        );
        assert!(text.contains(" help ") && text.contains(" quit "), "{text}");
    }

    #[test]
    fn the_help_lists_everything() {
        let help = help();
        for name in commands::names() {
            assert!(help.contains(name), "{name} is missing in --help");
        }
        for name in ["analyze", "csa", "deep", "mate", "eval-server", "serve"] {
            assert!(help.contains(name), "{name} is missing in --help");
        }
    }
}
