//! Tests against the goldens of `fixtures/learning`: a network of 32x2-8-8 on 64 positions, computed in double precision elsewhere.

use pack_format::Psv;
use pack_format::record::TeacherRecord;
use serde::Deserialize;
use shogi_eval::PieceList;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{Network, reference};
use test_support::fixture_bytes;
use yane_base::lanes::LaneLevel;

use crate::batch::{Batch, BatchMaker, Samples, Target};
use crate::buffers::Buffers;
use crate::export::Quantised;
use crate::loss::{Curve, LossSum};
use crate::optimiser::{Optimiser, Rules};
use crate::params::{Params, Weights};
use crate::reference::Exact;
use crate::shape::Shape;
use crate::step::{evaluate, train};

#[derive(Deserialize)]
struct Golden {
    numeric_check: Vec<GoldenGradient>,
    loss: f64,
    entropy: f64,
    loss_adam_10: Vec<f64>,
    positions: Vec<GoldenPosition>,
}

#[derive(Deserialize)]
struct GoldenGradient {
    tensor: String,
    index: usize,
    grad: f64,
}

#[derive(Deserialize)]
struct GoldenPosition {
    stm: Vec<u32>,
    other: Vec<u32>,
    target: f64,
    out: f64,
    eval_quantised: i32,
}

fn golden() -> Golden {
    serde_json::from_slice(&fixture_bytes("learning/golden.json")).unwrap()
}

/// Numbers of a network in the order of the fixtures.
struct Flat {
    numbers: Vec<f32>,
}

/// Lengths of the tensors of a fixture, and their names.
const TENSORS: [(&str, usize); 8] = [
    ("rows", 1710 * 32),
    ("biases", 32),
    ("first weights", 8 * 64),
    ("first biases", 8),
    ("second weights", 64),
    ("second biases", 8),
    ("last weights", 8),
    ("last bias", 1),
];

impl Flat {
    fn read(name: &str) -> Self {
        let bytes = fixture_bytes(format!("learning/{name}"));
        let numbers = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&b| f32::from_le_bytes(b))
            .collect();
        Self { numbers }
    }

    fn tensors(&self) -> Vec<(&'static str, &[f32])> {
        let mut rest = &self.numbers[..];
        let tensors = TENSORS.map(|(name, len)| {
            let (tensor, after) = rest.split_at(len);
            rest = after;
            (name, tensor)
        });
        assert!(rest.is_empty());
        tensors.to_vec()
    }

    fn params(&self) -> Params {
        let mut params = Params::zeros(Shape::new("kp_32x2-8-8".parse().unwrap(), false));
        let tensors = self.tensors();
        for (row, columns) in tensors[0].1.chunks_exact(32).enumerate() {
            params.set_row(row, columns);
        }
        params.set_bias(tensors[1].1);
        for layer in 0..3 {
            params.set_layer(layer, 0, tensors[2 + 2 * layer].1, tensors[3 + 2 * layer].1);
        }
        params
    }

    /// The numbers of `params`.
    fn of(params: &Params) -> Self {
        let mut numbers = Vec::new();
        for row in 0..1710 {
            let mut columns = vec![0.0; 32];
            params.row(row, &mut columns);
            numbers.extend(columns);
        }
        numbers.extend(params.biases());
        for layer in 0..3 {
            let (weights, biases) = params.layer(layer, 0);
            numbers.extend(weights);
            numbers.extend(biases);
        }
        Self { numbers }
    }

    /// The first moments of `params`.
    fn of_moments(mut params: Params) -> Self {
        let swap = |weights: &mut Weights| std::mem::swap(&mut weights.values, &mut weights.first);
        params.table.slabs.iter_mut().for_each(swap);
        swap(&mut params.bias);
        for layer in &mut params.layers {
            swap(&mut layer.weights);
            swap(&mut layer.biases);
        }
        Self::of(&params)
    }

    /// Checks that every number is that of `expected` to `tolerance`, relative to the largest of its tensor.
    fn assert_near(&self, expected: &Self, tolerance: f64) {
        for ((name, found), (_, expected)) in self.tensors().into_iter().zip(expected.tensors()) {
            let largest = expected.iter().fold(0f32, |max, n| max.max(n.abs()));
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                let difference = f64::from((found - expected).abs() / largest);
                assert!(
                    difference <= tolerance,
                    "{name} {index}: {found} {expected}"
                );
            }
        }
    }
}

fn batch() -> Batch {
    let mut samples = samples();
    let mut batch = Batch::default();
    let shape = Shape::new("kp_32x2-8-8".parse().unwrap(), false);
    BatchMaker::new(shape).make(&mut samples, &mut batch);
    batch
}

fn samples() -> Samples {
    let golden = golden();
    let bytes = fixture_bytes("learning/golden64.psv");
    let shape = Shape::new("kp_32x2-8-8".parse().unwrap(), false);
    let mut samples = Samples::default();
    for (record, golden) in bytes.chunks_exact(40).zip(&golden.positions) {
        let record = Psv::from_bytes(record).unwrap();
        let (position, _) = record.open().unwrap();
        let before = samples.features.len();
        let list = PieceList::new(&position);
        shape
            .features
            .append(&position, &list, &mut samples.features);
        let mut ours = samples.features[before..before + 40].to_vec();
        let mut theirs = samples.features[before + 40..].to_vec();
        let sorted = |features: &[u32]| {
            let mut features = features.to_vec();
            features.sort_unstable();
            features
        };
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!((ours, theirs), (sorted(&golden.stm), sorted(&golden.other)));
        samples.targets.push(Target::new(golden.target as f32, 1.0));
        samples.stacks.push(0);
    }
    samples
}

fn step(params: &mut Params, level: LaneLevel, rules: &Rules, number: u32) -> LossSum {
    let mut buffers = Buffers::default();
    let (batch, rules) = (batch(), (rules, number));
    train(
        params,
        level,
        Curve::new(600.0),
        &batch,
        &mut buffers,
        rules,
    )
    .loss
}

#[test]
fn loss_and_outputs_are_those_of_the_golden() {
    let golden = golden();
    let params = Flat::read("init.bin").params();
    let mut buffers = Buffers::default();
    let loss = evaluate(
        &params,
        LaneLevel::best(),
        Curve::new(600.0),
        &batch(),
        &mut buffers,
    );
    assert!((loss.mean() - golden.loss).abs() < 1e-6);
    assert!((loss.mean() - loss.excess() - golden.entropy).abs() < 1e-6);
    for (sample, position) in golden.positions.iter().enumerate() {
        let output = f64::from(buffers.output(&params.shape, sample));
        assert!(
            (output - position.out).abs() < 1e-5,
            "{output} {}",
            position.out
        );
    }
}

#[test]
fn gradients_are_those_of_the_golden() {
    let mut params = Flat::read("init.bin").params();
    step(&mut params, LaneLevel::best(), &Rules::GRADIENT, 1);
    Flat::of_moments(params).assert_near(&Flat::read("grad.bin"), 1e-5);
}

#[test]
fn double_precision_is_that_of_the_golden() {
    let golden = golden();
    let network = Exact::new(&Flat::read("init.bin").params());
    let samples = samples();
    for (output, position) in network.outputs(&samples).iter().zip(&golden.positions) {
        assert!(
            (output - position.out).abs() < 1e-9,
            "{output} {}",
            position.out
        );
    }
    let targets: Vec<f64> = golden
        .positions
        .iter()
        .map(|position| position.target)
        .collect();
    let (loss, gradients) = network.gradients_for(Curve::new(600.0), &samples, &targets);
    assert!((loss - golden.loss).abs() < 1e-9);
    for check in &golden.numeric_check {
        let [first, second, last] = &gradients.layers[0];
        let tensor = match check.tensor.as_str() {
            "ft_weight" => &gradients.rows,
            "ft_bias" => &gradients.bias,
            "w1" => &first.weights,
            "b1" => &first.biases,
            "w2" => &second.weights,
            "b2" => &second.biases,
            "w3" => &last.weights,
            _ => &last.biases,
        };
        let difference = (tensor[check.index] - check.grad).abs();
        assert!(difference < 1e-9, "{} {difference}", check.tensor);
    }
}

#[test]
fn a_step_of_descent_is_that_of_the_golden() {
    let mut params = Flat::read("init.bin").params();
    let rules = Rules::new(Optimiser::Sgd { momentum: 0.0 }, 0.5, 1);
    step(&mut params, LaneLevel::best(), &rules, 1);
    Flat::of(&params).assert_near(&Flat::read("after_sgd.bin"), 1e-6);
}

#[test]
fn ten_steps_of_adam_are_those_of_the_golden() {
    let golden = golden();
    let mut params = Flat::read("init.bin").params();
    for (number, expected) in (1..).zip(golden.loss_adam_10) {
        let rules = Rules::new(Optimiser::default(), 0.001, number);
        let loss = step(&mut params, LaneLevel::best(), &rules, number);
        assert!((loss.mean() - expected).abs() < 1e-5, "step {number}");
    }
    Flat::of(&params).assert_near(&Flat::read("after_adam.bin"), 1e-4);
}

#[test]
fn all_instructions_give_the_same_bits() {
    for rounded in [false, true] {
        let results = LaneLevel::available().map(|level| {
            let mut params = Flat::read("init.bin").params();
            if rounded {
                params.round();
            }
            for number in 1..4 {
                let rules = Rules::new(Optimiser::default(), 0.001, number);
                step(&mut params, level, &rules, number);
            }
            let numbers = Flat::of(&params).numbers.into_iter();
            (level, numbers.map(f32::to_bits).collect::<Vec<_>>())
        });
        let results: Vec<_> = results.collect();
        for (level, numbers) in &results {
            assert!(*numbers == results[0].1, "{level:?} {rounded}");
        }
    }
}

#[test]
fn the_quantised_network_is_that_of_the_golden() {
    let params = Flat::read("init.bin").params();
    let expected = fixture_bytes("learning/tiny-nn.bin");
    let loaded = Network::from_bytes(&expected, &NetworkReadOptions::default()).unwrap();
    let description = String::from_utf8(loaded.network.description().to_vec()).unwrap();
    let mut bytes = Vec::new();
    Quantised::new(&params)
        .write(&description, &mut bytes)
        .unwrap();
    assert!(bytes == expected);
    let scale = loaded.network.architecture().default_fv_scale();
    let records = fixture_bytes("learning/golden64.psv");
    for (record, golden) in records.chunks_exact(40).zip(golden().positions) {
        let (position, _) = Psv::from_bytes(record).unwrap().open().unwrap();
        let value = reference::evaluate(&loaded.network, &position, scale);
        assert_eq!(value, golden.eval_quantised);
    }
    // And back: a network that was read is a network to begin with.
    let again = Params::from_network(params.shape, &loaded.network);
    let mut bytes = Vec::new();
    Quantised::new(&again)
        .write(&description, &mut bytes)
        .unwrap();
    assert!(bytes == expected);
}
