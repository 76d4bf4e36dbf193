//! Milliseconds a position of a policy and value network, and playouts a second: `deep_speed MODEL.onnx POSITIONS [avx2|scalar] [bf16]`.
//!
//! POSITIONS is a file with a SFEN a line. The best and the mean of 32 rounds over the first 64 positions, on one thread.
use std::sync::Arc;
use std::time::Instant;

use shogi_core::{Game, Position};
use shogi_deep::{
    InputPlanes, NativeNetwork, NetworkModel, PolicyValue, PuctParams, PuctSearch, VectorLimit,
};

const ROUNDS: usize = 32;
const PLAYOUTS: u32 = 2000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, positions, words @ ..] = &arguments[..] else {
        anyhow::bail!("expected MODEL.onnx POSITIONS [avx2|scalar] [bf16]");
    };
    let mut model = NetworkModel::read(model.as_ref())?;
    let mut limit = VectorLimit::Best;
    for word in words {
        match word.as_str() {
            "avx2" => limit = VectorLimit::Avx2,
            "scalar" => limit = VectorLimit::Scalar,
            "bf16" => model.narrow(),
            other => anyhow::bail!("expected avx2, scalar or bf16, found {other}"),
        }
    }
    let model = Arc::new(model);
    println!("{} parameters", model.parameters());
    let text = std::fs::read_to_string(positions)?;
    let positions: Vec<Position> = text
        .lines()
        .take(64)
        .map(Position::from_sfen)
        .collect::<Result<_, _>>()?;
    let features: Vec<InputPlanes> = positions.iter().map(InputPlanes::new).collect();
    let mut network = NativeNetwork::new(model, 1, limit);
    let mut result = PolicyValue::default();
    let mut milliseconds = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for features in &features {
            network.evaluate_features(features, &mut result);
        }
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3 / features.len() as f64);
    }
    let best = milliseconds.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = milliseconds.iter().sum::<f64>() / ROUNDS as f64;
    println!("a position: best {best:.3} ms, mean {mean:.3} ms");
    let start = Instant::now();
    let game = Game::new(positions[0].clone());
    let mut search = PuctSearch::new(game, PuctParams::default(), &mut network);
    search.run(&mut network, PLAYOUTS);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "playouts a second: {:.0}",
        f64::from(search.visits()) / seconds
    );
    Ok(())
}
