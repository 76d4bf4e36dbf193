//! Dispatch of commands, and perft.

use std::process::ExitCode;
use std::time::Instant;

use othello_core::perft;
use serde_json::json;
use yane_cli::{HumanCount, Settings, print};

use crate::args::{Cli, Command, Counting, Perft};
use crate::book;
use crate::print::counted;
use crate::records::game;

pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Book(command) => book::run(command, &cli.settings),
        Command::Perft(args) => count(args, &cli.settings),
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
        print::json(&json!({ "depth": args.depth, "count": count, "seconds": seconds }))?;
    } else {
        let rate = HumanCount((count as f64 / seconds.max(1e-9)) as u64);
        let unit = match args.counting {
            Counting::Positions | Counting::PassFree => ("position", "positions"),
            Counting::Moves => ("move", "moves"),
        };
        print::lines([format!(
            "perft {}: {} in {seconds:.3} s, {rate} a second",
            args.depth,
            counted(count, unit.0, unit.1),
        )])?;
    }
    Ok(ExitCode::SUCCESS)
}
