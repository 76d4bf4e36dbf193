//! Evaluations with networks, from scratch and incrementally, with each kind of instructions.
//!
//! `cargo bench -p benches --bench nnue`. The networks are random; for files, games and comparisons
//! see the example `eval_speed`.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shogi_core::movegen::Legal;
use shogi_core::{Delta, Position};
use shogi_eval::Evaluator;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{FvScale, Level, Network, NnueEvaluator, PreparedNetwork};
use test_networks::RandomNetwork;

fn main() {
    divan::main();
}

const ARCHITECTURES: [&str; 2] = ["kp_256x2-32-32", "sfnn_ka2_1536_15_32_k3k3"];

/// Every architecture with every kind of instructions.
fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    ARCHITECTURES
        .into_iter()
        .flat_map(|name| Level::available().map(move |level| (name, level.name())))
}

fn evaluator((architecture, level): (&str, &str)) -> NnueEvaluator {
    let random = RandomNetwork::new(architecture.parse().expect("an architecture"), 1);
    let mut file = Vec::new();
    random.write(&mut file).expect("room in memory");
    let loaded = Network::from_bytes(&file, &NetworkReadOptions::default()).expect("a network");
    let network = Arc::new(PreparedNetwork::new(loaded.network));
    let level = Level::available().find(|available| available.name() == level);
    NnueEvaluator::with_level(network, FvScale::DEFAULT, level.expect("it is available"))
}

/// Returns all positions after the moves of some positions, with the deltas of the moves.
fn neighbours() -> Vec<(Position, Vec<(Delta, Position)>)> {
    let text = test_support::fixture_text("eval/kppt/kppt.jsonl");
    let rows = text.lines().skip(1).step_by(16).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let position = Position::from_sfen(row["sfen"].as_str().expect("text")).expect("an SFEN");
        let after = position.moves::<Legal>().into_iter().map(|m| {
            let mut after = position.clone();
            let undo = after.do_move_unchecked(m);
            (Delta::new(&after, m, &undo), after)
        });
        let after = after.collect();
        (position, after)
    });
    rows.collect()
}

/// Every position from nothing.
#[divan::bench(args = cases())]
fn from_scratch(bencher: Bencher<'_, '_>, case: (&str, &str)) {
    let (mut evaluator, roots) = (evaluator(case), neighbours());
    bencher
        .counter(ItemsCount::new(roots.len()))
        .bench_local(|| -> i32 {
            let values = roots.iter();
            values
                .map(|(root, _)| evaluator.evaluate_from_scratch(black_box(root)))
                .sum()
        });
}

/// Every position after one move.
#[divan::bench(args = cases())]
fn after_each_move(bencher: Bencher<'_, '_>, case: (&str, &str)) {
    let (mut evaluator, roots) = (evaluator(case), neighbours());
    bencher
        .counter(ItemsCount::new(
            roots.iter().map(|(_, after)| after.len()).sum::<usize>(),
        ))
        .bench_local(|| {
            let mut sum = 0;
            for (root, after) in black_box(&roots) {
                evaluator.reset(root);
                evaluator.evaluate(root);
                for (delta, position) in after {
                    evaluator.push(Some(delta));
                    sum += evaluator.evaluate(position);
                    evaluator.pop();
                }
            }
            sum
        });
}
