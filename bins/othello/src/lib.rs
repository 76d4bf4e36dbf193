//! The program `othello`, an othello engine with commands for books, end games and evaluations, as a function.
//!
//! Every command parses its arguments, makes a call to `othello_book`, `othello_search`, `othello_engine`, `othello_learn` or
//! `othello_core` and prints the result.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod book;
mod console;
mod eval;
mod games;
mod hint;
mod parsing;
mod play;
mod print;
mod probcut;
mod protocol;
mod report;
mod serve;
mod settings;
mod solve;
mod study;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use othello_core::perft;
use serde_json::json;
use yane_cli::{HumanCount, Settings};

use crate::args::{Cli, Command, Counting, Perft};
use crate::book::lookup::game;
use crate::print::counted;
pub use parsing::command;
pub(crate) use parsing::parsed;

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Ends the process at once for `--help`, `--version` and errors that [`clap`] finds.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "othello", command) {
        return code;
    }
    let args = console::with_egaroucids_options(args);
    let done = args.and_then(|args| dispatch(&parsed(args)));
    yane_cli::exit_code("othello", done)
}

fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    let Some(command) = &cli.command else {
        return console::without_command(&cli.settings);
    };
    match command {
        Command::Book(command) => book::run(command, &cli.settings),
        Command::Games(command) => games::run(command, &cli.settings),
        Command::Opening(args) => study::opening(args, &cli.settings),
        Command::Xot(args) => study::xot(args, &cli.settings),
        Command::Board(args) => study::board(args, &cli.settings),
        Command::Solve(args) => solve::solve(args, &cli.settings),
        Command::Console(args) => console::run(args, &cli.settings),
        Command::Play(args) => play::run(args, &cli.settings),
        Command::Hint(args) => hint::hint(args, &cli.settings),
        Command::Analyze(args) => hint::analyze(args, &cli.settings),
        Command::Serve(args) => serve::run(args, &cli.settings),
        Command::Random(args) => hint::random(args, &cli.settings),
        Command::Gtp(args) => protocol::gtp(args, &cli.settings),
        Command::Nboard(args) => protocol::nboard(args, &cli.settings),
        Command::Xboard(args) => protocol::xboard(args, &cli.settings),
        Command::Cassio(args) => protocol::cassio(args, &cli.settings),
        Command::Settings(args) => settings::run(args, &cli.settings),
        Command::Bench(args) => bench::run(args, &cli.settings),
        Command::ProbCut(args) => probcut::fit(args, &cli.settings),
        Command::Perft(args) => count(args, &cli.settings),
        Command::Eval(command) => eval::run(command, &cli.settings),
        Command::Selfplay(args) => eval::selfplay(args, &cli.settings),
        Command::Train(args) => eval::train(args, &cli.settings),
    }
}

fn count(args: &Perft, settings: &Settings) -> anyhow::Result<ExitCode> {
    let board = game(&args.start, settings)?.position().board();
    let counting = match args.counting {
        Counting::Positions => othello_core::Counting::Positions,
        Counting::Moves => othello_core::Counting::Moves,
        Counting::PassFree => othello_core::Counting::PositionsPassFree,
    };
    let start = Instant::now();
    let count = perft(board, args.depth, counting);
    let seconds = start.elapsed().as_secs_f64();
    if settings.json {
        yane_cli::print::json(&json!({ "depth": args.depth, "count": count, "seconds": seconds }))?;
    } else {
        let rate = HumanCount((count as f64 / seconds.max(1e-9)) as u64);
        let unit = match args.counting {
            Counting::Positions | Counting::PassFree => ("position", "positions"),
            Counting::Moves => ("move", "moves"),
        };
        yane_cli::print::lines([format!(
            "perft {}: {} in {seconds:.3} s, {rate} a second",
            args.depth,
            counted(count, unit.0, unit.1),
        )])?;
    }
    Ok(ExitCode::SUCCESS)
}
