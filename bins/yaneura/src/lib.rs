//! The program `yaneura`, a shogi engine that speaks USI, as a function, and its command line.
//!
//! Without arguments it waits for commands on standard input, as GUIs expect. Arguments are commands too, which are run
//! before those of the standard input. Results go to standard output. Nothing is written to standard error, which GUIs
//! do not read, except for wrong arguments, by commands about files that stand alone on the command line, and one line
//! for a user at a terminal.
#![forbid(unsafe_code)]

mod bench;
mod commands;
mod csa;
mod error;
mod eval_files;
mod eval_server;
mod learn;
mod mate;
mod picture;
mod queries;
mod report;
mod streams;
mod usi_loop;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// The command line for [`clap`], with the commands that are programs when alone on it.
pub fn command() -> clap::Command {
    let program = Args::command()
        .subcommand(mate::command())
        .subcommand(learn::command())
        .subcommand(csa::command())
        .subcommand(eval_server::command())
        .subcommands(eval_files::commands());
    yane_cli::plain_help(program)
}

/// The arguments of the command `name`, if the words of the command line are this command and nothing else. Wrong arguments end the program.
pub(crate) fn parse_alone<C: Parser>(words: &[String], name: &str) -> Option<C> {
    let is_named = words.first().is_some_and(|word| word == name);
    let is_alone = !words.iter().any(|word| word == ",");
    // The usage line is what is typed.
    let program = format!("yaneura {name}");
    let line = std::iter::once(&program).chain(words.iter().skip(1));
    (is_named && is_alone).then(|| yane_cli::parse(line))
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
    let program = program.or_else(|| learn::run_as_program(args.words()));
    let program = program.or_else(|| csa::run_as_program(args.words()));
    let program = program.or_else(|| eval_server::run_as_program(args.words()));
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

/// A shogi engine that speaks USI.
///
/// Without arguments it reads USI commands from standard input: register it in a GUI such as
/// `ShogiHome`. Arguments are commands that are run first; a lone comma ends a command. After them
/// the engine goes on with standard input, so put `quit` at the end.
#[derive(Debug, Parser)]
#[command(version, after_help = format!("{EXAMPLES}\n{}\n\n{MORE}", commands::help()))]
pub(crate) struct Args {
    /// Commands, separated by lone commas.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND",
        value_parser = CommandWord,
        hide_possible_values = true
    )]
    words: Vec<String>,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
}

/// Any word; shells complete the names of commands.
#[derive(Clone)]
struct CommandWord;

impl TypedValueParser for CommandWord {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(commands::names().map(PossibleValue::new)))
    }
}

const EXAMPLES: &str = "\
Examples:
  yaneura position startpos moves 7g7f , go depth 8 , quit
  yaneura position startpos , d , perft 4 , quit
  yaneura position startpos moves 7g7f , go depth 12 , d svg board.svg , quit
  yaneura matsuri , moves , mate1 , e , quit
  yaneura file commands.txt
  yaneura position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 , go mate , quit
  yaneura mate --exact problems.sfen
  yaneura csa wdoor.c.u-tokyo.ac.jp --name me --game floodgate-300-10F --password-file secret.txt --games 0
  yaneura eval-server --model nets/model.onnx --listen 192.168.0.5:4571 --runtime cuda
  yaneura nn info eval/nn.bin
  yaneura evalconvert kppt16 eval/apery27 kppt32 eval/yane27
";

const MORE: &str = "Every command and option: docs/commands.md";

impl Args {
    /// Reads the command line; the exit code when it asks for nothing but the help or the version.
    ///
    /// Ends the process at once for `--help`, `--version` and wrong usage.
    pub(crate) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, ExitCode> {
        let args: Self = yane_cli::parse(args);
        match args.words.as_slice() {
            [word] if word == "help" => print!("{}", help()),
            [word] if word == "version" => println!("{}", queries::version()),
            // No command begins like that: it is an option of the program.
            [word, ..] if word.starts_with('-') => {
                let text = format!("unexpected argument '{word}' found");
                Self::command()
                    .error(ErrorKind::UnknownArgument, text)
                    .exit()
            }
            _ => return Ok(args),
        }
        Err(ExitCode::SUCCESS)
    }

    /// The greeting for a user at a terminal who gave no commands.
    pub(crate) fn greeting(&self) -> Option<String> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        (self.words.is_empty() && is_terminal).then(greeting)
    }

    /// The words as they were given.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The commands.
    pub(crate) fn into_commands(self) -> Vec<String> {
        self.words
            .split(|word| word == ",")
            .map(|command| command.join(" "))
            .filter(|command| !command.is_empty())
            .collect()
    }
}

/// The text of `--help`, with a line feed at the end.
pub(crate) fn help() -> String {
    yane_cli::plain_help(Args::command())
        .render_long_help()
        .to_string()
}

fn greeting() -> String {
    format!(
        "{}: a shogi engine for GUIs that speak USI. Type help for the commands, quit to end.",
        queries::version()
    )
}

#[cfg(test)]
mod tests {
    use crate::*;

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
        for name in ["csa", "mate", "eval-server"] {
            assert!(help.contains(name), "{name} is missing in --help");
        }
    }
}
