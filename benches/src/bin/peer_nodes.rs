//! Positions a second that the engine and a peer search, in turn, one thread each.
//!
//! ```console
//! YANEURA_PEER_ENGINE=/path/to/engine cargo run --release -p benches [ENGINE [NODES [ROUNDS [NAME=VALUE …]]]]
//! ```
//!
//! `ENGINE` is `target/release/yaneura` unless said otherwise, `NODES` 1,000,000, `ROUNDS` 3. Both get the options (such as
//! `EvalDir=FOLDER`), `Threads` 1, `USI_Hash` 256 and a process of their own for each round. Prints the medians of the rounds
//! and the median of their ratios. Without a peer it says so and does nothing.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use shogi_core::{Game, Position};
use shogi_search::bench::BENCH_POSITIONS;
use shogi_usi::GoCommand;

const PATIENCE: Duration = Duration::from_secs(600);

fn main() -> Result<()> {
    let Some(peer) = benches::peer_engine() else {
        return Ok(());
    };
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (options, plain): (Vec<_>, Vec<_>) = args.iter().partition(|arg| arg.contains('='));
    let engine = plain.first().map_or("target/release/yaneura", |arg| arg);
    let number = |at: usize, usual: u64| plain.get(at).map_or(Ok(usual), |arg| arg.parse());
    let nodes = number(1, 1_000_000).context("NODES is a number")?;
    let rounds = number(2, 3).context("ROUNDS is a number")?;
    ensure!(rounds > 0, "at least one round");
    println!("| position | this | the peer | ratio |\n| --- | --- | --- | --- |");
    for sfen in BENCH_POSITIONS.into_iter().take(4) {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let our = speed(engine.as_ref(), sfen, nodes, &options)?;
            let their = speed(&peer, sfen, nodes, &options)?;
            ours.push(our);
            theirs.push(their);
            ratios.push(our / their);
        }
        let [our, their, ratio] = [ours, theirs, ratios].map(median);
        println!("| {sfen} | {our:.0} | {their:.0} | {ratio:.2} |");
    }
    Ok(())
}

/// Positions a second of a search of `nodes` positions from an empty table, in thousands.
fn speed(engine: &std::ffi::OsStr, sfen: &str, nodes: u64, options: &[&String]) -> Result<f64> {
    let usual = [("Threads", "1"), ("USI_Hash", "256")];
    let mut process = benches::start_engine(engine, &usual, options, PATIENCE)?;
    process.new_game()?;
    let go = GoCommand {
        nodes: Some(nodes),
        ..GoCommand::default()
    };
    let position = Position::from_sfen(sfen)?;
    let start = Instant::now();
    process.start_from(&Game::new(position), &go)?;
    process.wait_text(PATIENCE, |_| {})?;
    let seconds = start.elapsed().as_secs_f64();
    process.quit(PATIENCE)?;
    Ok(nodes as f64 / seconds / 1000.0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
