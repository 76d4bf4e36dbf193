//! `arena losses`: the loss of winning chances by single moves.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tournament::losses::{LossPlan, PositionChoice, judge_moves};
use tournament::{Contestant, EngineSpec, GameName, RoundRotation};
use yane_cli::{INTERRUPTED, Stage};
use yane_io::Unit;

use crate::args::{CheckArgs, EngineArgs, RunArgs, with_options};

/// Tell what the moves of two engines cost, as a third one judges them.
///
/// Positions are from the games of a log. A move's loss is how much less of a winning chance it leaves than the judge's own
/// move. Every judge has its own taste: take one that is neither of the two, or each of them in turn.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct LossArgs {
    /// Log of a match: positions are from its games
    log: PathBuf,
    /// Engine A
    a: EngineSpec,
    /// Engine B
    b: EngineSpec,
    /// The engine that judges
    #[arg(long, value_name = "ENGINE")]
    judge: EngineSpec,
    /// Nodes for each move of A and B
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    nodes: u64,
    /// Nodes for each search of the judge
    #[arg(long, value_name = "N", default_value_t = 600_000)]
    judge_nodes: u64,
    /// Most positions, chosen by chance
    #[arg(long, value_name = "N", default_value_t = 500)]
    positions: usize,
    /// Plies from one position of a game to the next
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Plies at the beginning of a game that are left out
    #[arg(long, value_name = "PLIES", default_value_t = 20)]
    from: usize,
    /// Plies at the end of a game that are left out
    #[arg(long, value_name = "PLIES", default_value_t = 14)]
    tail: usize,
    /// Seed of the choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Positions that the judge finds further from even are left out
    #[arg(long, default_value_t = 900, value_name = "CP")]
    max_cp: i64,
    /// Number of positions at a time, each with engine processes of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    #[command(flatten)]
    engines: EngineArgs,
    /// An option of the judge
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    option_judge: Vec<String>,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs `arena losses`.
///
/// # Errors
/// When the log cannot be read, or an engine does not answer.
///
/// # Panics
/// Never: there are as many engines as are described.
pub fn run_losses(args: &LossArgs) -> anyhow::Result<ExitCode> {
    let choice = PositionChoice {
        positions: args.positions,
        every: args.every as usize,
        from: args.from,
        tail: args.tail,
        seed: args.seed,
    };
    let positions = choice.of_log(&args.log, &mut |note| eprintln!("{note}"))?;
    let [a, b] = args.engines.apply(&args.a, &args.b)?;
    let judge = with_options(&args.judge, &args.engines.option, &args.option_judge)?;
    let named = |spec: EngineSpec, name: &str| EngineSpec {
        name: Some(name.to_owned()),
        ..spec
    };
    let specs = [named(judge, "judge"), named(a, "A"), named(b, "B")];
    let patience = std::time::Duration::from_secs(120);
    let checks = args.checks.checks(patience, &RoundRotation::default());
    let engines = Contestant::open_all(&specs, &GameName::Shogi.protocol(), &checks)?;
    let engines: [Contestant; 3] = engines.try_into().expect("as many as were described");
    let plan = LossPlan {
        nodes: args.nodes,
        judge_nodes: args.judge_nodes,
        max_cp: args.max_cp,
        workers: args.concurrency as usize,
    };
    let (control, screen) = args.run.begin()?;
    screen.start(Some(Stage {
        name: "judging".to_owned(),
        total: Some(positions.len() as u64),
        unit: Unit::Positions,
        done: 0,
        details: true,
    }));
    let on_note = |text: &str| screen.note(text);
    let (table, is_complete) =
        judge_moves(&plan, &engines, &positions, &control, &on_note, |table| {
            screen.advance(1);
            screen.draw(|_| vec![table.to_string()]);
        })?;
    screen.clear();
    let [judge, a, b] = engines.each_ref().map(|engine| &engine.identity.name);
    if args.run.screen.json {
        yane_cli::print::json(&json!({
            "engines": [a, b],
            "judge": judge,
            "complete": is_complete,
            "losses": table.summary(),
        }))?;
    } else {
        yane_cli::print::lines([
            format!("A: {a}"),
            format!("B: {b}"),
            format!("judge: {judge}"),
            table.to_string(),
        ])?;
    }
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(INTERRUPTED)
    })
}

const EXAMPLES: &str = "\
Examples:
  arena match A B --nodes 20000 --games 80 --option Threads=1 --log games.jsonl
  arena losses games.jsonl A B --judge C --nodes 100000 --concurrency 2 --option Threads=1

Exit code 0: done; 1: failed; 2: wrong usage; 130: interrupted.";
