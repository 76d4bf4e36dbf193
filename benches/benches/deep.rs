//! The deep engine: its kernel, its playouts with a network and without, on one thread and on two, with networks of random weights.
//!
//! `cargo bench -p benches --bench deep`. For a model of a file see the driver `deep_speed`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use shogi_core::{Game, Position};
use shogi_deep::{
    BatchNorm, InputFormat, InputPlanes, NativeNetwork, NetworkModel, OnnxForm, PolicyLabel,
    PolicyValue, PolicyValueEvaluator, PuctParams, PuctSearch, ResidualBlock, ResidualNetwork,
    VectorLimit,
};
use yane_base::random::SplitMix64;

fn main() {
    divan::main();
}

/// Positions of a round.
const POSITIONS: usize = 64;
/// Playouts of a search with a network.
const PLAYOUTS: u32 = 500;
/// Playouts of a search without.
const BARE_PLAYOUTS: u32 = 20_000;
/// Blocks, channels and units of the value of the networks.
const SHAPES: [(usize, usize, usize); 3] = [(5, 32, 32), (5, 64, 64), (10, 128, 256)];

/// Every network with AVX2, with the best that the processor has, which may be the same, and with that and factors of 16 bits.
fn cases() -> impl Iterator<Item = (usize, usize, &'static str)> {
    let levels =
        |(blocks, channels, _)| ["avx2", "best", "bf16"].map(|level| (blocks, channels, level));
    SHAPES.into_iter().flat_map(levels)
}

fn limit(level: &str) -> VectorLimit {
    match level {
        "avx2" => VectorLimit::Avx2,
        _ => VectorLimit::Best,
    }
}

/// Random numbers about zero.
struct Weights(SplitMix64);

impl Weights {
    /// So many for units with `inputs` inputs: what they give is about as large as what they take.
    fn take(&mut self, count: usize, inputs: usize) -> Vec<f32> {
        let most = (6.0 / inputs as f32).sqrt();
        let next = || {
            let unit = (self.0.next_u64() >> 40) as f32 / (1 << 24) as f32;
            (unit * 2.0 - 1.0) * most
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn norm(channels: usize, scale: f32) -> BatchNorm {
        BatchNorm {
            scale: vec![scale; channels],
            shift: vec![0.0; channels],
            mean: vec![0.0; channels],
            variance: vec![1.0; channels],
        }
    }
}

/// A network with random weights.
fn network(blocks: usize, channels: usize, level: &str) -> Arc<NetworkModel> {
    let shape = SHAPES
        .into_iter()
        .find(|shape| (shape.0, shape.1) == (blocks, channels));
    let (.., units) = shape.expect("a shape of this file");
    let format = InputFormat::Wcsc28;
    let head = PolicyLabel::COUNT / 81;
    let mut weights = Weights(SplitMix64::new(1));
    let mut tower = Vec::new();
    for _ in 0..blocks {
        let mut next = || weights.take(channels * channels * 9, channels * 9);
        tower.push(ResidualBlock {
            convolutions: [next(), next()],
            // What a block adds is less than what comes in.
            norms: [Weights::norm(channels, 1.0), Weights::norm(channels, 0.3)],
        });
    }
    let network = ResidualNetwork {
        format,
        channels,
        value_units: units,
        board: weights.take(channels * 62 * 9, 62),
        state: weights.take(channels * format.planes(), 62),
        norm: Weights::norm(channels, 1.0),
        blocks: tower,
        policy: weights.take(head * channels, channels),
        policy_bias: weights.take(PolicyLabel::COUNT, 100),
        value: weights.take(head * channels, channels),
        value_norm: Weights::norm(head, 1.0),
        hidden: weights.take(units * PolicyLabel::COUNT, PolicyLabel::COUNT),
        hidden_bias: vec![0.0; units],
        output: weights.take(units, units * 10),
        output_bias: 0.0,
    };
    let bytes = network.to_onnx(OnnxForm {
        half: false,
        folded: true,
    });
    let mut network = NetworkModel::from_bytes(&bytes).expect("a network");
    if level == "bf16" {
        network.narrow();
    }
    Arc::new(network)
}

fn positions() -> Vec<Position> {
    let text = test_support::fixture_text("deep/features.jsonl");
    let rows = text.lines().take(POSITIONS).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        Position::from_sfen(row["sfen"].as_str().expect("text")).expect("an SFEN")
    });
    rows.collect()
}

/// One position after the other: time of 64 of them.
#[divan::bench(args = cases(), sample_size = 1)]
fn kernel(bencher: Bencher<'_, '_>, (blocks, channels, level): (usize, usize, &str)) {
    let mut native = NativeNetwork::new(network(blocks, channels, level), 1, limit(level));
    let planes: Vec<_> = positions().iter().map(InputPlanes::new).collect();
    let mut result = PolicyValue::default();
    let counter = ItemsCount::new(planes.len());
    bencher.counter(counter).bench_local(|| {
        for planes in &planes {
            native.evaluate_features(planes, &mut result);
        }
        result.value
    });
}

/// A search from the even start with an evaluator for each thread; returns playouts.
fn search<E: PolicyValueEvaluator>(evaluators: &mut [E], count: u32, leaf_mate_nodes: u32) -> u32 {
    let params = PuctParams {
        leaf_mate_nodes,
        ..PuctParams::default()
    };
    let game = Game::new(Position::startpos());
    let mut search = PuctSearch::new(game, params, &mut evaluators[0]);
    search.run_threads(evaluators, count, &AtomicBool::new(false));
    search.visits()
}

/// Playouts with a network, by number of threads: 500 of them.
#[divan::bench(
    args = cases().flat_map(|(blocks, channels, level)| [1, 2].map(|threads| (blocks, channels, level, threads))),
    sample_count = 10,
    sample_size = 1,
)]
fn playouts(
    bencher: Bencher<'_, '_>,
    (blocks, channels, level, threads): (usize, usize, &str, usize),
) {
    let model = network(blocks, channels, level);
    let make = || NativeNetwork::new(Arc::clone(&model), 1, limit(level));
    let mut evaluators: Vec<_> = (0..threads).map(|_| make()).collect();
    bencher
        .counter(ItemsCount::new(PLAYOUTS))
        .bench_local(|| search(&mut evaluators, PLAYOUTS, 40));
}

/// An evaluator that costs nothing: a policy with some differences, and a value of one half.
struct Free(PolicyValue);

impl Free {
    fn new() -> Self {
        let mut random = SplitMix64::new(1);
        let mut output = PolicyValue::default();
        for logit in output.logits.iter_mut() {
            *logit = random.below(4000) as f32 / 1000.0;
        }
        output.value = 0.5;
        Self(output)
    }
}

impl PolicyValueEvaluator for Free {
    fn max_batch(&self) -> usize {
        1
    }

    fn put(&mut self, _place: usize, _position: &Position) {}

    fn evaluate(&mut self, _count: usize) {}

    fn output(&self, _place: usize) -> &PolicyValue {
        &self.0
    }
}

/// What the tree costs: 20,000 playouts with an evaluator that costs nothing, by threads and moves of the mate solver at leaves.
#[divan::bench(args = [(1, 0), (1, 40), (2, 0), (2, 40)], sample_count = 10, sample_size = 1)]
fn tree(bencher: Bencher<'_, '_>, (threads, leaf_mate_nodes): (usize, u32)) {
    let mut evaluators: Vec<_> = (0..threads).map(|_| Free::new()).collect();
    bencher
        .counter(ItemsCount::new(BARE_PLAYOUTS))
        .bench_local(|| search(&mut evaluators, BARE_PLAYOUTS, leaf_mate_nodes));
}

/// Playouts a second as a share of evaluations a second of the kernel in the same run, one thread: printed, as it is no time.
#[divan::bench(args = cases(), sample_count = 1, sample_size = 1)]
fn share_of_kernel(bencher: Bencher<'_, '_>, (blocks, channels, level): (usize, usize, &str)) {
    let model = network(blocks, channels, level);
    let mut native = [NativeNetwork::new(model, 1, limit(level))];
    let planes: Vec<_> = positions().iter().map(InputPlanes::new).collect();
    bencher.bench_local(|| {
        let begin = Instant::now();
        let made = search(&mut native, PLAYOUTS, 40);
        let each = begin.elapsed().as_secs_f64() / f64::from(made);
        let mut result = PolicyValue::default();
        let begin = Instant::now();
        for planes in &planes {
            native[0].evaluate_features(planes, &mut result);
        }
        let kernel = begin.elapsed().as_secs_f64() / planes.len() as f64;
        eprintln!(
            "{blocks}x{channels} {level}: kernel {:.3} ms, playout {:.3} ms, share {:.2}",
            kernel * 1e3,
            each * 1e3,
            kernel / each
        );
    });
}
