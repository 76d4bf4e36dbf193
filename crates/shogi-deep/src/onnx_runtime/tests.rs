//! With the library's path in `ORT_DYLIB_PATH`: the same numbers as without its help, in few shapes. On the processor, as far as no card is needed.

use ort::session::Session;
use ort::value::TensorRef;
use prost::Message as _;
use shogi_core::movegen::Legal;
use shogi_core::{Game, Position};
use test_support::fixture_bytes;

use super::library::load_library;
use crate::backend::{BatchSizes, DeepBackend, DeepRuntime, Precision, QueueUse};
use crate::graph::with_numbers;
use crate::onnx::{FLOAT, FLOAT16, ModelProto, TensorProto};
use crate::tensors::{fill_planes, input_shapes};
use crate::{DeepModel, InputFormat, PolicyValue, PolicyValueEvaluator, PositionQuery};

/// Returns whether the library is named; else that is told.
fn has_library() -> bool {
    let is_named = std::env::var_os("ORT_DYLIB_PATH").is_some();
    if !is_named {
        eprintln!("skipped: ORT_DYLIB_PATH is needed");
    }
    is_named
}

/// Positions of a game of arbitrary moves, with both sides to move, hands and checks.
fn positions(count: usize) -> Vec<Position> {
    let mut game = Game::new(Position::startpos());
    let mut positions = Vec::new();
    let mut number: usize = 12345;
    while positions.len() < count {
        let moves = game.position().moves::<Legal>().to_vec();
        if moves.is_empty() || game.len() > 150 {
            game = Game::new(Position::startpos());
            continue;
        }
        positions.push(game.position().clone());
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chosen = (number >> 33) % moves.len();
        game.play_unchecked(moves[chosen]);
    }
    positions
}

fn few(batch: usize) -> DeepRuntime {
    DeepRuntime {
        backend: DeepBackend::OnnxRuntime,
        sizes: BatchSizes::Few,
        queue: QueueUse::Off,
        batch,
        ..DeepRuntime::default()
    }
}

/// What the library says of a model as it is in its file, one position after the other.
fn plain(model: &[u8], format: InputFormat, positions: &[Position]) -> Vec<PolicyValue> {
    load_library(None).unwrap();
    let mut session = Session::builder()
        .unwrap()
        .commit_from_memory(model)
        .unwrap();
    let [board_shape, state_shape] = input_shapes(1, format);
    let mut board = vec![0.0; board_shape.iter().product()];
    let mut state = vec![0.0; state_shape.iter().product()];
    let mut evaluate = |position: &Position| {
        let planes = PositionQuery::new(position).planes;
        fill_planes([&planes].into_iter(), format, &mut board, &mut state);
        let inputs = ort::inputs![
            "input1" => TensorRef::from_array_view((board_shape, &board[..])).unwrap(),
            "input2" => TensorRef::from_array_view((state_shape, &state[..])).unwrap()
        ];
        let outputs = session.run(inputs).unwrap();
        let numbers = |name: &str| {
            outputs[name]
                .try_extract_tensor::<f32>()
                .unwrap()
                .1
                .to_vec()
        };
        let mut result = PolicyValue::default();
        result.logits.copy_from_slice(&numbers("output_policy"));
        result.value = numbers("output_value")[0];
        result
    };
    positions.iter().map(&mut evaluate).collect()
}

/// The largest differences of logits of legal moves, and of values.
fn differences(
    positions: &[Position],
    expected: &[PolicyValue],
    evaluator: &mut dyn PolicyValueEvaluator,
) -> (f32, f32) {
    let (mut logits, mut values) = (0_f32, 0_f32);
    for (part, expected) in positions
        .chunks(evaluator.max_batch())
        .zip(expected.chunks(evaluator.max_batch()))
    {
        for (place, position) in part.iter().enumerate() {
            evaluator.put(place, position);
        }
        evaluator.evaluate(part.len());
        for (place, (position, expected)) in part.iter().zip(expected).enumerate() {
            let found = evaluator.output(place);
            values = values.max((found.value - expected.value).abs());
            for label in PositionQuery::new(position).labels {
                let label = usize::from(label);
                logits = logits.max((found.logits[label] - expected.logits[label]).abs());
            }
        }
    }
    (logits, values)
}

/// A network that wants the planes of kings that have entered too.
fn large_format() -> Vec<u8> {
    let bytes = fixture_bytes("deep/mtiny.onnx");
    let mut model = ModelProto::decode(&bytes[..]).unwrap();
    let graph = model.graph.as_mut().unwrap();
    let is_state = |weights: &&mut TensorProto| weights.dims.get(1) == Some(&57);
    let weights = graph.initializer.iter_mut().find(is_state).unwrap();
    weights.dims[1] = 119;
    let count = weights.dims.iter().product::<i64>() as usize;
    let numbers = (0..count).map(|n| (n % 17) as f32 / 60.0 - 0.1);
    weights.raw_data = numbers.flat_map(f32::to_le_bytes).collect();
    let input = graph.input.iter_mut().find(|info| info.name == "input2");
    let kind = input.unwrap().kind.as_mut().unwrap();
    let shape = kind.tensor.as_mut().unwrap().shape.as_mut();
    shape.unwrap().dim[1].size = 119;
    model.encode_to_vec()
}

#[test]
fn packed_positions_give_the_numbers_of_plain_ones() {
    if !has_library() {
        return;
    }
    let positions = positions(150);
    for (model, format) in [
        (fixture_bytes("deep/mtiny.onnx"), InputFormat::Wcsc28),
        (large_format(), InputFormat::Wcsc35),
    ] {
        let expected = plain(&model, format, &positions);
        for sizes in [BatchSizes::Few, BatchSizes::Any] {
            let runtime = DeepRuntime { sizes, ..few(16) };
            let opened = DeepModel::open_bytes(model.clone(), &runtime).unwrap();
            for places in [1, 3, 16, 40] {
                let mut evaluator = opened.evaluator(places, 0);
                let (logits, values) = differences(&positions, &expected, &mut *evaluator);
                assert!(
                    logits <= 1e-6 && values <= 1e-6,
                    "{places}: {logits} {values}"
                );
            }
        }
    }
}

#[test]
fn ten_thousand_evaluations_have_three_shapes() {
    if !has_library() {
        return;
    }
    let model = fixture_bytes("deep/mtiny.onnx");
    let opened = DeepModel::open_bytes(model, &few(32)).unwrap();
    let positions = positions(64);
    let mut evaluator = opened.evaluator(64, 0);
    let (mut evaluated, mut requests) = (0, 0_usize);
    while evaluated < 10_000 {
        let count = requests * 7 % 64 + 1;
        for place in 0..count {
            evaluator.put(place, &positions[(place + requests) % 64]);
        }
        evaluator.evaluate(count);
        (evaluated, requests) = (evaluated + count, requests + 1);
    }
    let counts = opened.batch_counts();
    let sizes: Vec<usize> = counts.iter().map(|&(size, _)| size).collect();
    assert_eq!(sizes, [1, 8, 32]);
    let batches: u64 = counts.iter().map(|&(_, count)| count).sum();
    assert!(batches < 2 * requests as u64 && batches >= requests as u64);
}

#[test]
fn models_with_sixteen_bits_are_evaluated_by_every_route() {
    if !has_library() {
        return;
    }
    let wide = fixture_bytes("deep/mtiny.onnx");
    let half = with_numbers(&wide, FLOAT, FLOAT16).unwrap();
    let positions = positions(40);
    let expected = plain(&wide, InputFormat::Wcsc28, &positions);
    for (model, precision, name) in [
        (&half, Precision::Auto, "fp16"),
        (&half, Precision::Single, "fp16"),
        (&wide, Precision::Half, "fp16"),
        (&wide, Precision::Auto, "fp32"),
    ] {
        for sizes in [BatchSizes::Few, BatchSizes::Any] {
            let runtime = DeepRuntime {
                sizes,
                precision,
                ..few(8)
            };
            let opened = DeepModel::open_bytes(model.clone(), &runtime).unwrap();
            let description = opened.description();
            assert!(description.contains(name), "{description}");
            let mut evaluator = opened.evaluator(8, 0);
            let (logits, values) = differences(&positions, &expected, &mut *evaluator);
            assert!(logits < 1e-2 && values < 1e-3, "{logits} {values}");
            assert_eq!(logits <= 1e-6, name == "fp32", "{logits}");
        }
    }
    let native = DeepModel::from_bytes(half).unwrap();
    let (logits, values) = differences(&positions, &expected, &mut *native.evaluator(4, 0));
    assert!(logits < 1e-2 && values < 1e-3, "{logits} {values}");
}

#[test]
fn each_thread_has_sessions_of_its_own_which_are_used_again() {
    if !has_library() {
        return;
    }
    let model = fixture_bytes("deep/mtiny.onnx");
    let runtime = DeepRuntime {
        streams: Some(2),
        ..few(4)
    };
    let opened = DeepModel::open_bytes(model, &runtime).unwrap();
    let positions = positions(30);
    let expected = plain(
        &fixture_bytes("deep/mtiny.onnx"),
        InputFormat::Wcsc28,
        &positions,
    );
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut evaluator = opened.evaluator(4, 0);
                    let (logits, _) = differences(&positions, &expected, &mut *evaluator);
                    assert!(logits <= 1e-6);
                });
            }
        });
    }
    assert!(opened.take_notices().is_empty());
}

#[test]
fn a_model_with_a_fixed_batch_is_filled_up_to_it() {
    if !has_library() {
        return;
    }
    let mut model = fixture_bytes("deep/mtiny.onnx");
    // The name of the open axis becomes a size: the field `dim_value` in place of `dim_param`.
    let fixed = crate::runtime::tests::with_batch(&model, 4);
    let positions = positions(10);
    let expected = plain(&model, InputFormat::Wcsc28, &positions);
    model = fixed;
    let opened = DeepModel::open_bytes(model, &few(32)).unwrap();
    let (logits, _) = differences(&positions, &expected, &mut *opened.evaluator(10, 0));
    assert!(logits <= 1e-6, "{logits}");
    assert_eq!(opened.batch_counts(), [(4, 3)]);
}

#[test]
fn a_provider_that_is_not_there_is_told_in_one_line() {
    if !has_library() {
        return;
    }
    for backend in [
        DeepBackend::Cuda,
        DeepBackend::TensorRt,
        DeepBackend::CoreMl,
    ] {
        let runtime = DeepRuntime { backend, ..few(4) };
        let model = fixture_bytes("deep/mtiny.onnx");
        let text = DeepModel::open_bytes(model, &runtime)
            .unwrap_err()
            .to_string();
        assert!(
            text.starts_with(backend.name()) && !text.contains('\n'),
            "{text}"
        );
        for source in ["onnxruntime_src", ".cc:", "[ONNXRuntimeError]"] {
            assert!(!text.contains(source), "{text}");
        }
        eprintln!("{text}");
    }
}
