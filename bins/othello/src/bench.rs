//! `bench`: the speed of the search on positions that are always the same.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use othello_core::{Board, Game, Position};
use othello_search::{Control, Goal, Limits, Selectivity};
use serde_json::json;
use yane_cli::{HumanCount, Settings, print};
use yane_io::{Error, Unit};

use crate::args::Bench;
use crate::print::{Align, Table, count, counted};
use crate::protocol::{searcher, threads};
use crate::settings::EngineSettings;

/// Openings that are searched in the midgame.
const MIDGAMES: [&str; 4] = [
    "f5d6c3d3c4f4c5b3c2e3d2c6b4",
    "f5f6e6f4e3c5c4e7c6",
    "f5d6c4d3c3f4f6f3e6e7",
    "f5f4e3f6d3",
];

/// The depth of these searches unless `--level` says otherwise.
const DEPTH: u32 = 14;

/// End games that are solved exactly: numbers 2, 3, 6, 11 and 18 of the FFO problems.
const ENDGAMES: [&str; 5] = [
    "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X",
    "----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X",
    "--OXXX--OOOXXX--OOOXOXO-OOXOOOX-OOXXXXXXXOOXXOX--OOOOX---XXXXXX- X",
    "---O-XOX----XXOX---XXOOXO-XXOXOXXXXOOXOX-XOOXXXXXOOOXX-XOOOOOOO- O",
    "-XXX------OOOX--XOOOOOXXOXOXOOXXOXXOOOOOXXXOXOOX--OXXO---OOOOO-- X",
];

pub(crate) fn run(args: &Bench, settings: &Settings) -> anyhow::Result<ExitCode> {
    let threads = threads(settings)?;
    let mut searcher = searcher(&args.engine.search, &EngineSettings::default(), threads)?;
    let job = settings.printing_job()?;
    let control = Control::with_stop(job.cancelled.clone());
    let mut positions: Vec<(&str, Board, Goal)> = Vec::new();
    for moves in MIDGAMES {
        let game: Game = moves.parse().context("an opening of the program")?;
        let board = game.position().board();
        let goal = args
            .engine
            .level
            .map_or(Goal::new(DEPTH, Selectivity::P74, 1), |number| {
                args.engine.play_level(number).goal(board.empty().len(), 1)
            });
        positions.push((moves, board, goal));
    }
    for text in ENDGAMES {
        let position: Position = text.parse().context("an end game of the program")?;
        positions.push((text, position.board(), Goal::exact(1)));
    }
    job.progress
        .stage("searching", Some(positions.len() as u64), Unit::Positions);
    let mut table = Table::new(&[
        ("Empty", Align::Right),
        ("Depth", Align::Right),
        ("Move", Align::Left),
        ("Score", Align::Right),
        ("Nodes", Align::Right),
        ("Seconds", Align::Right),
    ]);
    let (mut nodes, mut time, mut all) = (0, Duration::ZERO, Vec::new());
    for (text, board, goal) in positions {
        searcher.clear();
        let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
        if result.is_interrupted {
            return Err(Error::Cancelled.into());
        }
        nodes += result.nodes;
        time += result.elapsed;
        if let Some(line) = result.lines.first() {
            table.row([
                board.empty().len().to_string(),
                format!("{}@{}", line.depth, line.selectivity),
                line.best.to_string(),
                format!("{:+}", line.score),
                count(result.nodes),
                format!("{:.3}", result.elapsed.as_secs_f64()),
            ]);
        }
        all.push(json!({
            "position": text,
            "score": result.score,
            "nodes": result.nodes,
            "seconds": result.elapsed.as_secs_f64(),
        }));
        job.progress.advance(1);
    }
    drop(job);
    let seconds = time.as_secs_f64();
    let rate = nodes as f64 / seconds.max(1e-9);
    if settings.json {
        print::json(&json!({
            "positions": all,
            "threads": threads,
            "nodes": nodes,
            "seconds": seconds,
            "nodes_per_second": rate,
        }))?;
    } else {
        print::lines(table.lines())?;
        let rate = HumanCount(rate as u64);
        let nodes = counted(nodes, "node", "nodes");
        print::lines([format!("{nodes} in {seconds:.3} s, {rate} a second")])?;
    }
    Ok(ExitCode::SUCCESS)
}
