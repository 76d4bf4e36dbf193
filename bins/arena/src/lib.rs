//! The program `arena` as a function: it plays engines against each other, tunes their parameters, and rates them.
#![forbid(unsafe_code)]

mod args;
mod evolve;
mod losses;
mod matches;
mod openings;
mod othello_openings;
mod parts;
mod players;
mod rate;
mod records;
mod report;
mod tune;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

pub use evolve::{EvolveArgs, run_evolve};
pub use losses::{LossArgs, run_losses};
pub use matches::{
    GauntletArgs, MatchArgs, RoundRobinArgs, run_gauntlet, run_match, run_round_robin,
};
pub use openings::{OpeningMakerArgs, run_openings};
pub use othello_openings::{OthelloOpeningArgs, run_othello_openings};
pub use parts::{PartArgs, run_parts};
pub use rate::{RateArgs, run_rate};
pub use records::{RecordArgs, run_records};
pub use tune::{TuneArgs, ValueArgs, run_tune, run_values};

/// Plays engines against each other, tunes their parameters, and rates them.
///
/// Engines are any that speak USI, or for othello GTP or NBoard, as processes; a referee that trusts none of them keeps clocks
/// and rules.
#[derive(Parser, Debug)]
#[command(name = "arena", version, long_version = yane_cli::long_version(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
}

#[derive(Subcommand, Debug)]
enum Command {
    Match(Box<MatchArgs>),
    Gauntlet(Box<GauntletArgs>),
    RoundRobin(Box<RoundRobinArgs>),
    Evolve(Box<EvolveArgs>),
    Parts(Box<PartArgs>),
    Tune(Box<TuneArgs>),
    Rate(RateArgs),
    Records(RecordArgs),
    Values(ValueArgs),
    Losses(Box<LossArgs>),
    Openings(OpeningMakerArgs),
    OthelloOpenings(Box<OthelloOpeningArgs>),
}

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    yane_cli::plain_help(Cli::command())
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "arena", command) {
        return code;
    }
    let done = match &yane_cli::parse::<Cli>(args).command {
        Command::Match(args) => run_match(args),
        Command::Gauntlet(args) => run_gauntlet(args),
        Command::RoundRobin(args) => run_round_robin(args),
        Command::Evolve(args) => run_evolve(args),
        Command::Parts(args) => run_parts(args),
        Command::Tune(args) => run_tune(args),
        Command::Rate(args) => run_rate(args),
        Command::Records(args) => run_records(args),
        Command::Values(args) => run_values(args),
        Command::Losses(args) => run_losses(args),
        Command::Openings(args) => run_openings(args),
        Command::OthelloOpenings(args) => run_othello_openings(args),
    };
    yane_cli::exit_code("arena", done)
}
