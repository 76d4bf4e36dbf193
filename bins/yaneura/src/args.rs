//! The arguments of the program.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::{commands, queries};

/// A shogi engine that speaks USI.
///
/// Without arguments it reads USI commands from standard input: register it in a GUI such as
/// `ShogiHome`. Arguments are commands that are run first; a lone comma ends a command. After them
/// the engine goes on with standard input, so put `quit` at the end.
#[derive(Debug, Parser)]
#[command(version, long_version = yane_cli::long_version(), after_help = format!("{EXAMPLES}\n{}\n\n{MORE}", commands::help()))]
pub(crate) struct Args {
    /// Commands, separated by lone commas.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND",
        value_parser = CommandWord,
        hide_possible_values = true
    )]
    pub(super) words: Vec<OsString>,
    #[command(flatten)]
    pub(super) _shell: yane_cli::shell::ShellFiles,
}

/// Any word; shells complete the names of commands.
#[derive(Clone)]
pub(super) struct CommandWord;

impl TypedValueParser for CommandWord {
    type Value = OsString;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<OsString, clap::Error> {
        OsStringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(commands::names().map(PossibleValue::new)))
    }
}

pub(super) const EXAMPLES: &str = "\
Examples:
  yaneura position startpos moves 7g7f , go depth 8 , quit
  yaneura position startpos , d , perft 4 , quit
  yaneura position startpos moves 7g7f , go depth 12 , d svg board.svg , quit
  yaneura matsuri , moves , mate1 , e , quit
  yaneura file commands.txt
  yaneura position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 , go mate , quit
  yaneura mate --exact problems.sfen
  yaneura analyze game.kif -o analysed.kif --html game.html
  yaneura serve --open
  yaneura csa wdoor.c.u-tokyo.ac.jp --name me --game floodgate-300-10F --password-file secret.txt --games 0
  yaneura eval-server --model nets/model.onnx --listen 192.168.0.5:4571 --runtime cuda
  yaneura nn info eval/nn.bin
  yaneura evalconvert kppt16 eval/apery27 kppt32 eval/yane27
";

pub(super) const MORE: &str = "Every command and option: docs/commands.md";

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
            [word, ..] if word.as_encoded_bytes().starts_with(b"-") => {
                let text = format!("unexpected argument '{}' found", word.display());
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
    pub(crate) fn words(&self) -> &[OsString] {
        &self.words
    }

    /// The commands. Bytes that are no UTF-8 are carried in the text, as in the lines of standard input.
    pub(crate) fn into_commands(self) -> Vec<String> {
        self.words
            .split(|word| word == ",")
            .map(|command| yane_io::text_of_name(&command.join(OsStr::new(" "))))
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

pub(super) fn greeting() -> String {
    format!(
        "{}: a shogi engine for GUIs that speak USI. Type help for the commands, quit to end.",
        queries::version()
    )
}
