//! Networks that are written: in all forms the same, also to onnxruntime.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use shogi_core::movegen::Legal;
use shogi_core::{Game, Position};
use shogi_deep::{
    BOARD_PLANES, InputFormat, InputPlanes, ModelError, NativeNetwork, NetworkModel, OnnxForm,
    PolicyLabel, PolicyValue, PuctParams, PuctSearch, ResidualNetwork,
};
use test_support::{SplitMix64, TestFolder};
use yane_base::lanes::VectorLimit;

use crate::features::rows;

/// All forms, and how far logits may be from those of the same network in the first one.
const FORMS: [(OnnxForm, f32); 4] = [
    (form(false, false), 0.0),
    (form(false, true), 1e-4),
    (form(true, false), 1e-4),
    (form(true, true), 2e-2),
];

const fn form(half: bool, folded: bool) -> OnnxForm {
    OnnxForm { half, folded }
}

/// The network of this crate, whose numbers have 16 bits.
fn network() -> ResidualNetwork {
    ResidualNetwork::from_onnx(NetworkModel::SMALL).unwrap()
}

fn positions() -> Vec<Position> {
    let rows = rows();
    let positions = rows.iter().take(24);
    positions
        .map(|row| Position::from_sfen(&row.sfen).unwrap())
        .collect()
}

/// What the kernel of this crate says of positions.
fn said(model: &[u8]) -> Vec<PolicyValue> {
    let model = Arc::new(NetworkModel::from_bytes(model).unwrap());
    let mut native = NativeNetwork::new(model, 1, VectorLimit::Best);
    let evaluate = |position| {
        let mut result = PolicyValue::default();
        native.evaluate_features(&InputPlanes::new(position), &mut result);
        result
    };
    positions().iter().map(evaluate).collect()
}

/// The largest differences of logits and of values.
fn differences(ours: &[PolicyValue], theirs: &[PolicyValue]) -> [f32; 2] {
    let pairs = || ours.iter().zip(theirs);
    let logits = pairs().flat_map(|(a, b)| a.logits.iter().zip(b.logits.iter()));
    let logits = logits.map(|(a, b)| (a - b).abs());
    let values = pairs().map(|(a, b)| (a.value - b.value).abs());
    [logits.fold(0.0, f32::max), values.fold(0.0, f32::max)]
}

#[test]
fn all_forms_are_the_same_network() {
    let network = network();
    let plain = said(&network.to_onnx(OnnxForm::default()));
    for (form, tolerance) in FORMS {
        let bytes = network.to_onnx(form);
        let [logits, values] = differences(&said(&bytes), &plain);
        assert!(
            logits <= tolerance && values <= tolerance,
            "{form:?}: {logits} {values}"
        );
        match ResidualNetwork::from_onnx(&bytes) {
            Ok(read) => assert!(!form.folded && read == network),
            Err(error) => assert!(form.folded && matches!(error, ModelError::Tensor { .. })),
        }
    }
    // Half the bytes, but for the names.
    let size = |half| network.to_onnx(form(half, true)).len();
    assert!(size(true) < size(false) * 55 / 100);
}

#[test]
fn the_small_network_knows_shogi() {
    let model = NetworkModel::small();
    assert_eq!(model.format(), InputFormat::Wcsc28);
    assert!(NetworkModel::SMALL.len() < 1_500_000);
    let mut native = NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best);
    let mut says = |sfen: &str| {
        let position = Position::from_sfen(sfen).unwrap();
        let mut result = PolicyValue::default();
        native.evaluate_features(&InputPlanes::new(&position), &mut result);
        let moves = position.moves::<Legal>().to_vec();
        let logit = |m| result.logits[PolicyLabel::new(m).index()];
        let best = moves
            .into_iter()
            .max_by(|&a, &b| logit(a).total_cmp(&logit(b)));
        (best.unwrap().to_string(), result.value)
    };
    let (_, even) = says("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    assert!((0.35..0.65).contains(&even), "{even}");
    // A rook and a bishop more for black, seen from both sides. (The value is what little data taught it.)
    let (_, ahead) = says("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    let (_, behind) = says("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    assert!(ahead > behind + 0.05, "{ahead} {behind}");
    // Bishops were exchanged, and black takes back.
    let (best, _) = says("lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1+b5R1/LNSGKGSNL b B 1");
    assert_eq!(best, "7i8h");
}

/// A game against a player of random moves, who has the first move if `random_first`: true if the network wins within 300 plies.
fn beats_random(network: &mut NativeNetwork, playouts: u32, seed: u64, random_first: bool) -> bool {
    let mut random = SplitMix64::new(seed);
    let mut game = Game::new(Position::startpos());
    for ply in 0..300 {
        let moves = game.position().moves::<Legal>().to_vec();
        let is_random = (ply % 2 == 0) == random_first;
        if moves.is_empty() {
            return is_random;
        }
        let chosen = if is_random {
            moves[random.below(moves.len() as u64) as usize]
        } else {
            let mut search = PuctSearch::new(game.clone(), PuctParams::default(), network);
            search.run(network, playouts);
            search.root_moves()[0].m
        };
        game.play_unchecked(chosen);
    }
    false
}

#[test]
fn random_moves_lose_against_the_small_network() {
    let (games, playouts) = match std::env::var_os("SHOGI_SLOW_TESTS") {
        Some(_) => (100, 400),
        None => (2, 60),
    };
    let mut network = NativeNetwork::new(Arc::new(NetworkModel::small()), 1, VectorLimit::Best);
    let won = (0..games).filter(|&seed| beats_random(&mut network, playouts, seed, seed % 2 == 0));
    assert_eq!(won.count(), games as usize);
}

/// Reads a model and positions, and writes what onnxruntime says of them.
const SCRIPT: &str = "
import sys, numpy, onnx, onnxruntime
model, planes, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
onnx.checker.check_model(onnx.load(model), full_check=True)
session = onnxruntime.InferenceSession(model, providers=['CPUExecutionProvider'])
first = numpy.fromfile(folder + '/input1', dtype='<f4').reshape(-1, 62, 9, 9)
second = numpy.fromfile(folder + '/input2', dtype='<f4').reshape(-1, planes, 9, 9)
policy, value = session.run(['output_policy', 'output_value'], {'input1': first, 'input2': second})
numpy.concatenate([policy, value], axis=1).astype('<f4').tofile(folder + '/output')
";

#[test]
fn onnxruntime_says_the_same() {
    let Some(python) = std::env::var_os("YANEURA_ONNX_PYTHON").map(PathBuf::from) else {
        // Past what the test harness hides of tests that pass.
        let told = b"SKIPPED: networks by onnxruntime, as YANEURA_ONNX_PYTHON names no Python\n";
        std::io::stderr().write_all(told).unwrap();
        return;
    };
    let network = network();
    let folder = TestFolder::new();
    folder.write("script.py", SCRIPT);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for position in positions() {
        let planes = InputPlanes::new(&position);
        let mut board = vec![0.0f32; BOARD_PLANES * 81];
        planes.board_bits().for_each(|bit| board[bit] = 1.0);
        let mut state = vec![0.0f32; network.format.planes() * 81];
        for plane in planes.state_planes(network.format) {
            state[plane * 81..][..81].fill(1.0);
        }
        first.extend(board.iter().flat_map(|number| number.to_le_bytes()));
        second.extend(state.iter().flat_map(|number| number.to_le_bytes()));
    }
    folder.write("input1", first);
    folder.write("input2", second);
    for (form, _) in FORMS {
        let bytes = network.to_onnx(form);
        folder.write("model.onnx", &bytes);
        let status = Command::new(&python)
            .arg(folder.path("script.py"))
            .arg(folder.path("model.onnx"))
            .arg(network.format.planes().to_string())
            .arg(folder.path(""))
            .status()
            .unwrap();
        assert!(status.success(), "{form:?}");
        let output = folder.read("output");
        let numbers: Vec<f32> = output
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect();
        let rows = numbers.chunks_exact(PolicyLabel::COUNT + 1);
        let theirs: Vec<PolicyValue> = rows
            .map(|row| PolicyValue {
                logits: Box::new(*row.first_chunk().unwrap()),
                value: row[PolicyLabel::COUNT],
            })
            .collect();
        assert_eq!(theirs.len(), 24);
        let [logits, values] = differences(&said(&bytes), &theirs);
        eprintln!("{form:?}: logits within {logits:e}, values within {values:e}");
        assert!(
            logits <= 1e-4 && values <= 1e-5,
            "{form:?}: {logits} {values}"
        );
    }
}
