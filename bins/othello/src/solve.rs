//! `solve`: scores of positions, exact or at a level.

use std::process::ExitCode;
use std::time::Duration;

use othello_core::{Move, Position};
use othello_record::{Problem, RecordItem, RecordKind};
use othello_search::{Control, Goal, Limits, SearchLine, SearchResult, Selectivity};
use serde_json::{Value, json};
use yane_cli::{FINDINGS, HumanCount, Settings, print};
use yane_io::{Error, Unit};

use crate::args::Solve;
use crate::book::lookup::{playable, records};
use crate::print::{count, counted};
use crate::protocol::{searcher, threads};
use crate::settings::EngineSettings;

/// What a run has found.
#[derive(Default)]
struct Totals {
    nodes: u64,
    time: Duration,
    /// Positions that are none, and scores that differ from those of the file.
    wrong: u64,
}

pub(crate) fn solve(args: &Solve, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = records(&args.boards)?;
    let job = settings.job()?;
    let own = EngineSettings::load()?;
    let mut searcher = searcher(&args.engine.search, &own, threads(settings)?)?;
    let control = Control::with_stop(job.cancelled.clone());
    if !settings.json {
        print::lines([header()])?;
    }
    job.progress
        .stage("solving", Some(items.len() as u64), Unit::Positions);
    let mut totals = Totals::default();
    for (n, item) in items.iter().enumerate() {
        let record = match playable(item) {
            Ok(record) => record,
            Err(error) => {
                job.progress.note(&format!("line {}: {error}", item.line));
                totals.wrong += 1;
                continue;
            }
        };
        let position = record.position();
        let board = position.board();
        let goal = goal(args, board.empty().len());
        let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
        if result.is_interrupted {
            return Err(Error::Cancelled.into());
        }
        totals.nodes += result.nodes;
        totals.time += result.elapsed;
        if settings.json {
            print::json(&as_json(position, &result))?;
        } else {
            print::lines(rows(n + 1, board.empty().len(), &result))?;
        }
        let is_exact = result.lines.iter().all(|line| line.is_exact);
        let known = known_score(item).filter(|&known| is_exact && known != result.score);
        if let Some(known) = known {
            job.progress.note(&format!(
                "line {}: the file says {known:+}, the score is {:+}",
                item.line, result.score
            ));
            totals.wrong += 1;
        }
        job.progress.advance(1);
    }
    let rate = totals.nodes as f64 / totals.time.as_secs_f64().max(1e-9);
    job.progress.note(&format!(
        "{} in {:.3} s, {} a second",
        counted(totals.nodes, "node", "nodes"),
        totals.time.as_secs_f64(),
        HumanCount(rate as u64)
    ));
    Ok(ExitCode::from(if totals.wrong > 0 { FINDINGS } else { 0 }))
}

/// How deep and how sure to search with so many empty squares.
fn goal(args: &Solve, empties: u32) -> Goal {
    let lines = args.moves.0;
    if let Some(number) = args.engine.level {
        return args.engine.play_level(number).goal(empties, lines);
    }
    let wanted = args.probability.and_then(Selectivity::at_least);
    Goal::new(
        args.depth.unwrap_or(empties).min(empties),
        wanted.unwrap_or(Selectivity::Exact),
        lines,
    )
}

/// The score that a line of an `.obf` file gives for its position.
fn known_score(item: &RecordItem) -> Option<i32> {
    let record = item.record.as_ref().ok()?;
    let is_problem = record.kind == RecordKind::Problem;
    let problem: Problem = is_problem.then(|| item.text.parse().ok())??;
    problem.score()
}

/// The JSON of a result.
pub(crate) fn as_json(position: Position, result: &SearchResult) -> Value {
    let moves = result.lines.iter().map(|line| {
        json!({
            "move": line.best.to_string(),
            "score": line.score,
            "score_tenths": line.tenths,
            "depth": line.depth,
            "probability": line.selectivity.percent(),
            "exact": line.is_exact,
            "pv": transcript(line),
        })
    });
    json!({
        "board": position.to_string(),
        "score": result.score,
        "score_tenths": result.tenths(),
        "best": result.best().map(|best| best.to_string()),
        "moves": moves.collect::<Vec<_>>(),
        "nodes": result.nodes,
        "seconds": result.elapsed.as_secs_f64(),
    })
}

/// The best play as a transcript without passes.
fn transcript(line: &SearchLine) -> String {
    line.squares().map(|square| square.to_string()).collect()
}

fn header() -> String {
    format!(
        "{:>3}  {:>9}  {:>4}  {:>5}  {:>15}  {}",
        "#", "Depth", "Move", "Score", "Nodes", "Best play"
    )
}

fn rows(number: usize, empties: u32, result: &SearchResult) -> Vec<String> {
    if result.lines.is_empty() {
        let nodes = count(result.nodes);
        let text = format!(
            "{number:>3}  {empties:>9}  {:>4}  {:>+5}  {nodes:>15}  the game is over",
            "-", result.score
        );
        return vec![text];
    }
    let row = |(n, line): (usize, &SearchLine)| {
        let depth = if line.is_exact {
            line.depth.to_string()
        } else {
            format!("{}@{}", line.depth, line.selectivity)
        };
        let (number, nodes) = if n == 0 {
            (number.to_string(), count(result.nodes))
        } else {
            (String::new(), String::new())
        };
        let best = match line.best {
            Move::Pass => "pass".to_owned(),
            Move::Place(square) => square.to_string(),
        };
        let score = line.score;
        let play = transcript(line);
        format!("{number:>3}  {depth:>9}  {best:>4}  {score:>+5}  {nodes:>15}  {play}")
    };
    result.lines.iter().enumerate().map(row).collect()
}
