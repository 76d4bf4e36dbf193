//! `cargo xtask perft`: the slow tier of the move generator's tests. Counts the positions of every
//! row of the golden table to its full depth and measures the speed. `cargo xtask bench` measures the speed alone.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Deserialize;
use shogi_core::{Leaves, parse_position_line, perft};
use xshell::cmd;

use crate::outcome::Outcome;
use crate::workspace;

/// Golden counts, one JSON object a line.
const TABLE: &str = "fixtures/shogi/perft.jsonl";

/// Count positions to the full depth of the golden table, with timing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out rows deeper than this.
    #[arg(long, value_name = "PLIES")]
    depth_limit: Option<u32>,
    /// The way of counting the last ply.
    #[arg(long, value_enum, default_value_t = LeafMode::Bulk)]
    leaves: LeafMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LeafMode {
    /// As sets, without playing the moves.
    Bulk,
    /// Every move played and taken back.
    Played,
}

impl From<LeafMode> for Leaves {
    fn from(mode: LeafMode) -> Self {
        match mode {
            LeafMode::Bulk => Self::Bulk,
            LeafMode::Played => Self::Played,
        }
    }
}

/// One line of the table.
#[derive(Deserialize)]
struct Row {
    name: String,
    /// The rest of a `position` command.
    position: String,
    /// Depth in plies (a number, as JSON keys are texts) to number of positions.
    nodes: BTreeMap<String, u64>,
}

impl Row {
    /// The deepest entry that is not deeper than `limit`.
    fn deepest(&self, limit: Option<u32>) -> Option<(u32, u64)> {
        self.nodes
            .iter()
            .filter_map(|(depth, &nodes)| Some((depth.parse().ok()?, nodes)))
            .filter(|&(depth, _)| limit.is_none_or(|limit| depth <= limit))
            .max()
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let table = std::fs::read_to_string(workspace::root().join(TABLE)).context(TABLE)?;
    println!(
        "{:<28} {:>5} {:>14} {:>9} {:>8}",
        "position", "depth", "nodes", "seconds", "Mnps"
    );
    let mut wrong = 0_usize;
    for (index, line) in table.lines().enumerate() {
        let row: Row =
            serde_json::from_str(line).with_context(|| format!("{TABLE}, line {}", index + 1))?;
        let Some((depth, expected)) = row.deepest(args.depth_limit) else {
            continue;
        };
        let mut position = parse_position_line(&row.position)
            .with_context(|| format!("{TABLE}, line {}", index + 1))?
            .position()
            .clone();
        let start = Instant::now();
        let nodes = perft(&mut position, depth, args.leaves.into());
        let seconds = start.elapsed().as_secs_f64();
        let speed = million_per_second(nodes, seconds);
        print!(
            "{:<28} {depth:>5} {nodes:>14} {seconds:>9.3} {speed:>8.1}",
            row.name
        );
        if nodes == expected {
            println!();
        } else {
            wrong += 1;
            println!("  WRONG: {expected} expected");
        }
    }
    println!(
        "{}",
        if wrong == 0 {
            "all rows hold".to_owned()
        } else {
            format!("{wrong} rows are wrong")
        }
    );
    Ok(Outcome::from_found(wrong > 0))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a speed with three digits is shown"
)]
fn million_per_second(nodes: u64, seconds: f64) -> f64 {
    nodes as f64 / seconds / 1e6
}

// `cargo xtask bench`: the speed of the move generator, by the `perft` example of `shogi-core`.

/// The measurements: name, position, depth, the way of counting the last ply.
const ROWS: [(&str, &str, &str, &str); 3] = [
    ("start position, bulk", "startpos", "6", "bulk"),
    ("matsuri, bulk", "matsuri", "4", "bulk"),
    ("start position, every leaf played", "startpos", "5", "leaf"),
];

/// Measure the move generator on one core.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// Run each row this many times; the fastest counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

pub(crate) fn run_bench(args: &BenchArgs) -> Result<Outcome> {
    let sh = workspace::shell()?;
    cmd!(
        sh,
        "cargo build --release --quiet --package benches --bin perft"
    )
    .run()?;
    let program = workspace::target_dir().join("release/perft");
    println!("| row | depth | nodes | million nodes a second |");
    println!("| --- | --- | --- | --- |");
    for (name, position, depth, leaves) in ROWS {
        let mut best = (0_u64, 0.0_f64);
        for _ in 0..args.runs {
            let output = cmd!(sh, "{program} {position} {depth} {leaves}")
                .quiet()
                .read()?;
            let (nodes, speed) = parse_output(&output)
                .with_context(|| format!("unexpected output of perft: {output}"))?;
            best = (nodes, best.1.max(speed));
        }
        println!("| {name} | {depth} | {} | {:.1} |", best.0, best.1);
    }
    Ok(Outcome::Clean)
}

/// Nodes and million nodes a second from `nodes N seconds S Mnps M`.
fn parse_output(output: &str) -> Option<(u64, f64)> {
    let after = |name: &str| {
        output
            .split_whitespace()
            .skip_while(|word| *word != name)
            .nth(1)
    };
    Some((after("nodes")?.parse().ok()?, after("Mnps")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_row_within_the_limit_is_taken() {
        let row: Row = serde_json::from_str(
            r#"{"name": "x", "position": "startpos", "nodes": {"1": 30, "2": 900, "10": 7}}"#,
        )
        .expect("a row");
        assert_eq!(row.deepest(None), Some((10, 7)));
        assert_eq!(row.deepest(Some(9)), Some((2, 900)));
        assert_eq!(row.deepest(Some(0)), None);
    }

    #[test]
    fn output_of_the_example_is_read() {
        assert_eq!(
            parse_output("nodes 30 seconds 0.001 Mnps 12.5"),
            Some((30, 12.5))
        );
        assert_eq!(parse_output("nodes 30"), None);
    }
}
