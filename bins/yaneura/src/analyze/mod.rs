//! `yaneura analyze`: the analysis of games, one or thousands. `kifu analyze` is the same.

mod book;
mod cli;
mod engines;
mod games;
mod pictures;
mod records;
mod run;
mod screen;
mod store;
mod table;
mod task;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use yane_cli::{ActingSettings, Settings};

pub use cli::AnalyzeArgs;
pub use task::analyze;

/// The first word of the command.
const NAME: &str = "analyze";

/// The settings that act.
const ACTING: ActingSettings = ActingSettings(&[(NAME, SETTINGS)]);

/// The settings that act in the command, for programs that have it too.
pub const SETTINGS: &str = "threads quiet force json events";

/// Help behind the options.
pub const EXAMPLES: &str = "\
Each move is compared with the best one, from the end of the game backwards. A score becomes a
probability of winning, 1 / (1 + exp(-score / 600)); a move that loses 5, 10 or 20 points of it is an
inaccuracy, a mistake or a blunder. Several games are analysed side by side, one on each thread; one
game alone gets all threads. With -o, --out-dir or --html the same command resumes after Ctrl-C.

Exit codes: 0 done; 1 failed, or a game cannot be read; 2 wrong usage; 130 interrupted.

Examples:
  yaneura analyze game.kif
  yaneura analyze game.kif -o analysed.kif --html game.html --nodes 1000000
  yaneura analyze game.csa --time 2000 --multipv 3 --hash 1024 --json
  yaneura analyze game.kif --engine engines/YaneuraOu --option EvalDir=eval --depth 20
  yaneura analyze games/ --out-dir analysed/ --summary --player 太郎
  yaneura analyze floodgate/ --html me.html --nodes 50000 --skip-bad --book own.db";

/// Analyse games: what each move loses, the best moves, mates missed, pieces left hanging.
#[derive(Debug, Parser)]
#[command(name = NAME, after_help = EXAMPLES)]
struct AnalyzeCli {
    #[command(flatten)]
    args: AnalyzeArgs,
    #[command(flatten, next_help_heading = "Settings")]
    settings: Settings,
}

/// A program that has this command only, so that settings which do not act are refused.
fn alone() -> clap::Command {
    let program = clap::Command::new("yaneura")
        .args(settings())
        .subcommand(command_alone());
    yane_cli::plain_help(ACTING.limit(program))
}

fn settings() -> Vec<clap::Arg> {
    let all = AnalyzeCli::command();
    all.get_arguments()
        .filter(|arg| arg.is_global_set())
        .cloned()
        .collect()
}

fn command_alone() -> clap::Command {
    AnalyzeCli::command()
}

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    let program = alone();
    let found = program.find_subcommand(NAME).cloned();
    found.unwrap_or_else(command_alone)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let is_named = words.first().is_some_and(|word| word == NAME);
    if !is_named || words.iter().any(|word| word == ",") {
        return None;
    }
    let line = std::iter::once(OsString::from("yaneura")).chain(words.iter().cloned());
    let matches = ACTING.matches(alone(), line);
    let cli = matches.and_then(|matches| match matches.subcommand() {
        Some((_, matches)) => AnalyzeCli::from_arg_matches(matches),
        None => AnalyzeCli::from_arg_matches(&matches),
    });
    let cli = cli.unwrap_or_else(|error| error.exit());
    let done = analyze(&cli.args, &cli.settings);
    Some(yane_cli::exit_code("yaneura analyze", done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_not_act_are_refused() {
        assert!(
            ACTING
                .problems(
                    &clap::Command::new("yaneura")
                        .args(settings())
                        .subcommand(command_alone())
                )
                .is_empty()
        );
        let parse = |line: &str| ACTING.matches(alone(), line.split(' '));
        assert!(parse("yaneura analyze x.kif --threads 2 --json --force -q").is_ok());
        assert!(parse("yaneura analyze x.kif --temp-dir /tmp").is_err());
        assert!(parse("yaneura analyze").is_err());
    }
}
