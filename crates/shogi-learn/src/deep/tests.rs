//! Gradients against differences, kernels against each other, and files against the training that wrote them.

use std::sync::Arc;

use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_deep::{
    InputFormat, InputPlanes, NativeNetwork, NetworkModel, OnnxForm, PolicyLabel, PolicyValue,
    ResidualNetwork, VectorLimit,
};
use test_support::{SplitMix64, fixture};
use yane_base::lanes::{LANES, LaneLevel, Lanes};

use super::network::{DeepSample, GROUP, Layout, Numbers, Transposed, Workspace};
use super::{DeepShape, tensors};
use crate::data::{Drawn, Mixed, Reading, chosen};
use crate::options::{LearnOptions, LearnSource, LearnValidation};
use crate::samples::Sampler;
use crate::shape::Shape;

/// Samples of every fifth position of games of random moves.
fn samples(count: usize, seed: u64) -> Vec<DeepSample> {
    let mut random = SplitMix64::new(seed);
    let mut position = Position::startpos();
    let mut samples = Vec::new();
    for ply in 0.. {
        if samples.len() == count {
            break;
        }
        let moves = position.moves::<LegalAll>().to_vec();
        if moves.is_empty() {
            position = Position::startpos();
            continue;
        }
        let choice = |random: &mut SplitMix64| moves[random.below(moves.len() as u64) as usize];
        let label = |m| PolicyLabel::new(m).index() as u16;
        let (first, second) = (choice(&mut random), choice(&mut random));
        let here = position.clone();
        let _ = position.do_move_unchecked(first);
        if ply % 5 > 0 {
            continue;
        }
        // Some have two moves, some one, some none.
        let policy = match samples.len() % 5 {
            0 => vec![(label(first), 0.75), (label(second), 0.25)],
            1 => vec![],
            _ => vec![(label(first), 1.0)],
        };
        samples.push(DeepSample {
            planes: InputPlanes::new(&here),
            policy,
            value: random.below(1000) as f32 / 1000.0,
            weight: if samples.len() % 3 == 0 { 0.5 } else { 1.0 },
        });
    }
    samples
}

/// A network whose numbers are all random, those of normalisations and biases as well.
fn network(shape: &str) -> (Layout, Vec<Lanes>) {
    let layout = Layout::new(shape.parse().unwrap());
    let mut lanes = tensors::random(&layout, 5);
    let mut random = SplitMix64::new(9);
    let parts = layout.norms.iter().flatten();
    let parts = parts.chain([
        &layout.policy_bias,
        &layout.hidden_bias,
        &layout.output_bias,
    ]);
    let mut changes = vec![[0.0; LANES]; layout.len];
    for part in parts {
        for number in changes[part.clone()].as_flattened_mut() {
            *number = random.below(1000) as f32 / 2500.0 - 0.2;
        }
    }
    let used = used(&layout);
    let numbers = lanes.as_flattened_mut().iter_mut();
    for ((number, change), is_used) in numbers.zip(changes.as_flattened()).zip(used) {
        *number += if is_used { *change } else { 0.0 };
    }
    (layout, lanes)
}

/// The numbers that are part of a tensor.
fn used(layout: &Layout) -> Vec<bool> {
    let ones = vec![[1.0; LANES]; layout.len];
    let statistics = statistics(layout, &ones, &samples(2, 1));
    let network = tensors::network(layout, &ones, &statistics);
    let back = tensors::numbers_of(layout, &network);
    back.as_flattened()
        .iter()
        .map(|&number| number > 0.0)
        .collect()
}

fn numbers<'a>(layout: &'a Layout, lanes: &'a [Lanes], level: LaneLevel) -> Numbers<'a> {
    Numbers {
        layout,
        lanes,
        level,
    }
}

fn statistics(
    layout: &Layout,
    lanes: &[Lanes],
    samples: &[DeepSample],
) -> Vec<super::norm::ChannelSums> {
    let mut workspace = Workspace::new(layout.shape);
    workspace.forward(numbers(layout, lanes, LaneLevel::best()), samples);
    workspace.statistics()
}

/// The loss per position, and its gradient.
fn gradient(
    layout: &Layout,
    lanes: &[Lanes],
    samples: &[DeepSample],
    level: LaneLevel,
) -> (f64, Vec<Lanes>) {
    let numbers = numbers(layout, lanes, level);
    let mut workspace = Workspace::new(layout.shape);
    let mut gradient = vec![[0.0; LANES]; layout.len];
    let scale = 1.0 / samples.len() as f32;
    workspace.forward(numbers, samples);
    let transposed = Transposed::new(numbers);
    let loss = workspace.backward(numbers, &transposed, samples, scale, &mut gradient);
    (loss.cross_entropy / samples.len() as f64, gradient)
}

#[test]
fn gradients_are_what_differences_say() {
    for shape in ["resnet2x8", "resnet1x40_fc16_wcsc35"] {
        let (layout, lanes) = network(shape);
        let samples = samples(24, 3);
        let used = used(&layout);
        let level = LaneLevel::best();
        let (_, slopes) = gradient(&layout, &lanes, &samples, level);
        for (slope, is_used) in slopes.as_flattened().iter().zip(&used) {
            assert!(*is_used || *slope == 0.0, "{slope}");
        }
        let loss = |direction: &[f32], by: f32| {
            let mut lanes = lanes.clone();
            let numbers = lanes.as_flattened_mut().iter_mut();
            for (number, direction) in numbers.zip(direction) {
                *number += direction * by;
            }
            gradient(&layout, &lanes, &samples, level).0
        };
        let mut parts = vec![
            layout.board.clone(),
            layout.state.clone(),
            layout.policy.clone(),
            layout.policy_bias.clone(),
            layout.value.clone(),
            layout.hidden.clone(),
            layout.hidden_bias.clone(),
            layout.output.clone(),
            layout.output_bias.clone(),
        ];
        parts.extend(layout.convolutions.iter().cloned());
        parts.extend(layout.norms.iter().flatten().cloned());
        // Every number belongs to a part.
        let covered: usize = parts.iter().map(ExactSizeIterator::len).sum();
        assert_eq!(covered, layout.len);
        for (number, part) in parts.iter().enumerate() {
            let places = part.start * LANES..part.end * LANES;
            let slopes = slopes.as_flattened();
            // Along the gradient of the part itself the difference is the largest.
            let length = slopes[places.clone()]
                .iter()
                .map(|s| f64::from(*s).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(length > 1e-4, "{shape}: part {number}: {length}");
            let mut direction = vec![0.0; slopes.len()];
            for place in places {
                direction[place] = (f64::from(slopes[place]) / length) as f32;
            }
            // Rounding disturbs small steps, and the kinks of ReLU all of them: a unit of the hidden layer may be next to one.
            let differences = [4e-3, 1e-3, 2.5e-4].map(|step| {
                (loss(&direction, step) - loss(&direction, -step)) / (2.0 * f64::from(step))
            });
            let fits = |difference: &f64| (difference - length).abs() < 0.04 * length + 1e-4;
            assert!(
                differences.iter().any(fits),
                "{shape}: part {number}: gradient {length}, differences {differences:?}"
            );
        }
    }
}

#[test]
fn all_instructions_give_the_same_gradient() {
    let (layout, lanes) = network("resnet1x40_fc16");
    let samples = samples(13, 7);
    let all =
        LaneLevel::available().map(|level| (level, gradient(&layout, &lanes, &samples, level)));
    let all: Vec<_> = all.collect();
    for (level, (loss, slopes)) in &all {
        assert!(loss.to_bits() == all[0].1.0.to_bits(), "{level:?}");
        let bits = |slopes: &[Lanes]| -> Vec<u32> {
            slopes
                .as_flattened()
                .iter()
                .map(|slope| slope.to_bits())
                .collect()
        };
        assert!(bits(slopes) == bits(&all[0].1.1), "{level:?}");
    }
}

#[test]
fn what_a_workspace_did_before_changes_nothing() {
    let (layout, lanes) = network("resnet1x8");
    let numbers = numbers(&layout, &lanes, LaneLevel::best());
    let transposed = Transposed::new(numbers);
    let mut workspace = Workspace::new(layout.shape);
    let mut result = |samples: &[DeepSample]| {
        let mut gradient = vec![[0.0; LANES]; layout.len];
        workspace.forward(numbers, samples);
        workspace.backward(numbers, &transposed, samples, 1.0, &mut gradient);
        gradient
    };
    let few = samples(3, 1);
    let first = result(&few);
    result(&samples(GROUP, 2));
    assert!(result(&few) == first);
}

#[test]
fn files_say_what_the_training_says() {
    for shape in ["resnet2x24_fc40", "resnet1x33_wcsc35"] {
        let (layout, lanes) = network(shape);
        let samples = samples(40, 17);
        let mut workspace = Workspace::new(layout.shape);
        workspace.forward(numbers(&layout, &lanes, LaneLevel::best()), &samples);
        let network = tensors::network(&layout, &lanes, &workspace.statistics());
        let mut said = PolicyValue::default();
        for (half, folded, tolerance) in [
            (false, false, 1e-4),
            (false, true, 1e-4),
            (true, false, 2e-2),
            (true, true, 2e-2),
        ] {
            let bytes = network.to_onnx(OnnxForm { half, folded });
            let model = NetworkModel::from_bytes(&bytes).unwrap();
            assert_eq!(model.format(), layout.shape.format);
            let mut native = NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best);
            for (number, sample) in samples.iter().enumerate() {
                native.evaluate_features(&sample.planes, &mut said);
                let (logits, value) = workspace.said(number);
                for (ours, theirs) in logits.iter().zip(said.logits.iter()) {
                    assert!(
                        (ours - theirs).abs() < tolerance,
                        "{shape} {half} {folded}: {ours} {theirs}"
                    );
                }
                let rate = 1.0 / (1.0 + (-value).exp());
                assert!(
                    (rate - said.value).abs() < tolerance,
                    "{rate} {}",
                    said.value
                );
            }
            let read = ResidualNetwork::from_onnx(&bytes);
            if folded {
                assert!(read.unwrap_err().to_string().contains("norm1.weight"));
            } else if !half {
                assert!(read.unwrap() == network);
            }
        }
        assert!(tensors::numbers_of(&layout, &network) == lanes);
    }
}

#[test]
fn shapes_have_names() {
    for name in [
        "resnet5x32",
        "resnet10x96_fc128",
        "resnet6x64_wcsc35",
        "resnet1x8_fc16_wcsc35",
    ] {
        let shape: DeepShape = name.parse().unwrap();
        assert_eq!(shape.to_string(), name);
    }
    let shape: DeepShape = "resnet5x64_wcsc35".parse().unwrap();
    assert_eq!((shape.value_units, shape.format), (64, InputFormat::Wcsc35));
    for name in [
        "resnet",
        "resnet5",
        "resnet5x",
        "resnet5x32_fc",
        "resnet5x32_swish",
        "5x32",
    ] {
        let error = name.parse::<DeepShape>().unwrap_err().to_string();
        assert!(
            error.contains("expected resnet BLOCKS x CHANNELS"),
            "{error}"
        );
    }
    let error = "resnet0x32".parse::<DeepShape>().unwrap_err().to_string();
    assert!(error.contains("0 blocks, expected 1 to 40"), "{error}");
}

/// The records of an hcpe3 file with the visits of their moves.
#[test]
fn visits_stay_with_their_positions() {
    let mut options = LearnOptions::new("k_32x2-8-8".parse().unwrap(), "out");
    let file = fixture("teacher/hcpe3/multipv4_default.hcpe3");
    options.sources = vec![
        LearnSource::new(file),
        LearnSource::new(fixture("learning/golden64.psv")),
    ];
    options.validation = LearnValidation::Files(vec![]);
    let shape = Shape::new(options.architecture, false);
    let [sampler, _] = Sampler::both(shape, &Arc::new(options.clone()), 600.0);
    for visits in [true, false] {
        let reading = Reading {
            visits,
            ..Reading::new(&options)
        };
        // Mixed in a small buffer, so that many are drawn before the file is read to its end.
        let mut mixed = Mixed::new(&reading, chosen(&options), 50, (1, 0)).unwrap();
        let drawn = Drawn::draw(&mut mixed, usize::MAX).unwrap();
        assert!(drawn.records.len() > 2000);
        let mut several = 0;
        for (record, visited) in drawn.records.iter().zip(&drawn.visits) {
            assert_eq!(visited.is_empty(), !visits || record.source == 1);
            let sample = super::sample(&sampler, record, visited, None).unwrap();
            let sum: f32 = sample.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{:?}", sample.policy);
            // All of them are legal here, and the move that was played is one of them.
            let position = sampler.open(record).unwrap();
            let legal = position.moves::<LegalAll>().to_vec();
            let legal: Vec<u16> = legal
                .iter()
                .map(|&m| PolicyLabel::new(m).index() as u16)
                .collect();
            assert!(sample.policy.iter().all(|(label, _)| legal.contains(label)));
            let played = position.move_from_16(record.mv()).unwrap();
            let played = PolicyLabel::new(played).index() as u16;
            assert!(sample.policy.iter().any(|&(label, _)| label == played));
            several += usize::from(sample.policy.len() > 1);
        }
        assert_eq!(several > 1000, visits, "{several}");
    }
}
