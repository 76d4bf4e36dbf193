//! `cargo xtask perft`: the slow tier of the move generator's tests. Counts the positions of every
//! row of the golden table to its full depth and measures how fast that goes.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Deserialize;
use shogi_core::{Leaves, parse_position_line, perft};

use crate::{Outcome, workspace};

/// Golden counts, one JSON object a line.
const TABLE: &str = "fixtures/shogi/perft.jsonl";

/// Count positions to the full depth of the golden table, with timing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out rows deeper than this.
    #[arg(long, value_name = "PLIES")]
    depth_limit: Option<u32>,
    /// How the last ply is counted.
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
    /// What follows the word `position`.
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
}
