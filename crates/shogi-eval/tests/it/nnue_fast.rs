//! The reference evaluation gives the goldens, and fast evaluation is the reference evaluation, bit for bit: with all instructions that the processor
//! has, whatever moves, passes and take-backs led to a position.

use std::io;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use shogi_core::movegen::Legal;
use shogi_core::{Delta, Diagram, Move, Position, Undo};
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{FvScale, Level, Network, NnueEvaluator, PreparedNetwork, reference};
use shogi_eval::{
    Evaluator, LevelEvaluator, MaterialEvaluator, MaterialLevel, PositionalEvaluator,
};
use test_networks::{MaterialNetwork, RandomNetwork};
use test_support::SplitMix64;

/// Plies for each architecture.
const PLIES: usize = 10_000;

const START_POSITIONS: [&str; 5] = [
    Position::STARTPOS_SFEN,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    // Two-piece handicap, a problem without the attacker's king, and kings in the enemy camps.
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
    "4+B2K1/2+P1+R4/9/9/9/9/5+p3/3+r5/1k4+b2 b 2G2S3N4L2g2sn16p 1",
];

fn network(architecture: &str) -> Network {
    let random = RandomNetwork::new(architecture.parse().unwrap(), 7);
    let mut file = Vec::new();
    random.write(&mut file).unwrap();
    read(&file, architecture)
}

fn read(file: &[u8], architecture: &str) -> Network {
    let options = NetworkReadOptions {
        architecture: Some(architecture.parse().unwrap()),
    };
    Network::from_bytes(file, &options).unwrap().network
}

/// A game of random moves, seen by one evaluator for each kind of instructions.
struct Walk {
    position: Position,
    line: Vec<(Option<Move>, Undo)>,
    evaluators: Vec<NnueEvaluator>,
}

impl Walk {
    fn begin(&mut self, sfen: &str) {
        self.position = Position::from_sfen(sfen).unwrap();
        self.line.clear();
        for evaluator in &mut self.evaluators {
            evaluator.reset(&self.position);
        }
    }

    /// Plays a random move, or passes; `false` at the end of the game.
    fn go(&mut self, random: &mut SplitMix64) -> bool {
        let passes = random.index(16) == 0 && !self.position.in_check();
        let (played, undo) = if passes {
            (None, self.position.do_null_move())
        } else {
            let moves = self.position.moves::<Legal>();
            if moves.is_empty() {
                return false;
            }
            let m = moves[random.index(moves.len())];
            (Some(m), self.position.do_move_unchecked(m))
        };
        let delta = played.map(|m| Delta::new(&self.position, m, &undo));
        for evaluator in &mut self.evaluators {
            evaluator.push(delta.as_ref());
        }
        self.line.push((played, undo));
        true
    }

    fn back(&mut self) {
        let Some((played, undo)) = self.line.pop() else {
            return;
        };
        match played {
            Some(m) => self.position.undo_move(m, &undo),
            None => self.position.undo_null_move(&undo),
        }
        for evaluator in &mut self.evaluators {
            evaluator.pop();
        }
    }

    fn compare(&mut self, expected: i32, context: &str) {
        for evaluator in &mut self.evaluators {
            let value = evaluator.evaluate(&self.position);
            let (level, sfen) = (evaluator.level(), self.position.to_sfen());
            assert_eq!(
                value, expected,
                "{context} {level:?} {sfen} {:?}",
                self.line
            );
        }
    }
}

fn walk(architecture: &str) {
    walk_with(architecture, || network(architecture));
}

fn walk_with(architecture: &str, network: impl Fn() -> Network) {
    let prepared = Arc::new(PreparedNetwork::new(network()));
    let network = network();
    let scale = FvScale::DEFAULT;
    let new = |level| NnueEvaluator::with_level(Arc::clone(&prepared), scale, level);
    let mut walk = Walk {
        position: Position::startpos(),
        line: Vec::new(),
        evaluators: Level::available().map(new).collect(),
    };
    let mut scratch: Vec<_> = Level::available().map(new).collect();
    let levels = scratch.len();
    let mut random = SplitMix64::new(1);
    let (mut plies, mut values) = (0, std::collections::HashSet::new());
    while plies < PLIES {
        walk.begin(START_POSITIONS[random.index(START_POSITIONS.len())]);
        for _ in 0..300 {
            if random.index(5) == 0 {
                for _ in 0..=random.below(3) {
                    walk.back();
                }
            } else if !walk.go(&mut random) {
                break;
            }
            plies += 1;
            // Now and then several moves are brought up to date at once.
            if random.index(3) > 0 {
                let expected = reference::evaluate(&network, &walk.position, scale);
                values.insert(expected);
                walk.compare(expected, architecture);
                let scratch = &mut scratch[plies % levels];
                assert_eq!(scratch.evaluate_from_scratch(&walk.position), expected);
            }
        }
        while !walk.line.is_empty() {
            walk.back();
        }
        let expected = reference::evaluate(&network, &walk.position, scale);
        walk.compare(expected, architecture);
    }
    assert!(values.len() > 100, "{architecture}: all is {values:?}");
}

/// Weights that no byte has room for, unlike those of random networks.
#[test]
fn large_weights() {
    for architecture in ["halfkp_256x2-32-32", "sfnn_halfkahm2_256_15_32_k3k3"] {
        let material = MaterialNetwork::new(architecture.parse().unwrap()).unwrap();
        let mut file = Vec::new();
        material.write(&mut file).unwrap();
        walk_with(architecture, || read(&file, architecture));
    }
}

macro_rules! architectures {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[test]
            fn $test() {
                walk($name);
            }
        )*
    };
}

architectures! {
    halfkp: "halfkp_64x2-32-32",
    halfkp_odd_sizes: "halfkp_40x2-9-5",
    halfkp_vm: "halfkpvm_128x2-8-32",
    halfkp_e9: "halfkpe9_16x2-8-16",
    kings: "k_256x2-32-32",
    pieces: "p_192x2-24-64",
    kings_and_pieces: "kp_256x2-32-32",
    halfka1: "sfnn_halfka1_64_15_32_k9k9",
    halfka2: "sfnn_halfka2_48_7_64_k3k3",
    halfka_hm1: "sfnn_halfkahm1_32_16_8_k21k21",
    halfka_hm2: "sfnn_halfkahm2_128_15_32_k3k3",
    halfka_hm2_shards: "sfnn_halfkahm2_128_15_32_c64_s16x4_k29k29",
    a2_hands: "sfnn_a2_256_23_16_hand256_k3k3",
    ka2_progress: "sfnn_ka2_256_8_32_hand64z_k3k3_progress2",
    kings_and_pieces_wide: "sfnn_kp_1536_15_32_k3k3",
    kp_progress: "sfnn_kp_512_15_32_progress8",
    kp_zones: "sfnn_kp_512_31_64_hand4_k13k13z_progress4",
}

// The reference evaluation gives the field's values, line by line, and random networks are those
// that the values were made with.

/// Line 1 of a file.
#[derive(Deserialize)]
struct Head {
    arch: String,
    net_seed: u64,
    net_sha256: std::collections::HashMap<String, (u64, String)>,
    count: usize,
}

/// Every further line.
#[derive(Deserialize)]
struct Row {
    sfen: String,
    eval: i32,
    fv_scale: i32,
}

fn goldens() -> Vec<(Head, Vec<Row>)> {
    let folder = test_support::fixture("eval/nnue");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 10);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, rows) = text.split_once('\n').unwrap();
        let head: Head = serde_json::from_str(head).unwrap();
        let rows: Vec<Row> = rows
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), head.count, "{}", path.display());
        (head, rows)
    };
    paths.into_iter().map(read).collect()
}

fn golden_network(head: &Head) -> RandomNetwork {
    RandomNetwork::new(head.arch.parse().unwrap(), head.net_seed)
}

#[test]
fn evaluations_are_the_fields() {
    for (head, rows) in goldens() {
        let golden_network = golden_network(&head);
        let layers = golden_network.layers();
        for row in rows {
            // Random placements: in some the kings stand next to each other.
            let diagram = Diagram::from_sfen(&row.sfen).unwrap();
            let scale = FvScale::new(row.fv_scale).unwrap();
            let value = scale.apply(reference::output(
                &golden_network,
                &layers,
                diagram.pieces(),
            ));
            assert_eq!(value, row.eval, "{} {}", head.arch, row.sfen);
        }
    }
}

/// A file of which only the hash is kept.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A network computed row by row is the file that the values came from. The largest files only with
/// `SHOGI_SLOW_TESTS=1`.
#[test]
fn random_files_are_the_ones_evaluated() {
    let limit = if std::env::var_os("SHOGI_SLOW_TESTS").is_some() {
        u64::MAX
    } else {
        40_000_000
    };
    let mut checked = 0;
    for (head, _) in goldens() {
        let (bytes, sha256) = &head.net_sha256["nn.bin"];
        if *bytes <= limit {
            let mut hasher = Hashed(Sha256::new());
            golden_network(&head).write(&mut hasher).unwrap();
            let hash = hasher.0.finalize();
            let expected: Vec<u8> = (0..sha256.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&sha256[i..i + 2], 16).unwrap())
                .collect();
            assert_eq!(hash[..], expected[..], "{}", head.arch);
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked} files");
}

// Incremental evaluation agrees with evaluation from scratch, turning the board changes nothing,
// and material is the field's.

const WALK_STARTS: [&str; 4] = [
    Position::STARTPOS_SFEN,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    // Two-piece handicap, and a problem without the attacker's king.
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
];

fn fresh<E: Evaluator + Default>(position: &Position) -> i32 {
    let mut evaluator = E::default();
    evaluator.reset(position);
    evaluator.evaluate(position)
}

/// Plays a random line, now and then passing or evaluating on the way, and takes it back.
fn walk_incrementally<E: Evaluator + Default>(sfen: &str, choices: &[u16]) {
    let mut position = Position::from_sfen(sfen).unwrap();
    let mut evaluator = E::default();
    evaluator.reset(&position);
    let mut line: Vec<(Option<Move>, Undo)> = Vec::new();
    for &choice in choices {
        if choice % 16 == 0 && !position.in_check() {
            line.push((None, position.do_null_move()));
            evaluator.push(None);
        } else {
            let moves = position.moves::<Legal>();
            if moves.is_empty() {
                break;
            }
            let m = moves[usize::from(choice) % moves.len()];
            let undo = position.do_move_unchecked(m);
            evaluator.push(Some(&Delta::new(&position, m, &undo)));
            line.push((Some(m), undo));
        }
        if choice % 3 != 0 {
            assert_eq!(
                evaluator.evaluate(&position),
                fresh::<E>(&position),
                "{line:?}"
            );
            assert_eq!(
                fresh::<E>(&position),
                fresh::<E>(&position.flip()),
                "{line:?}"
            );
        }
    }
    for (m, undo) in line.into_iter().rev() {
        match m {
            Some(m) => position.undo_move(m, &undo),
            None => position.undo_null_move(&undo),
        }
        evaluator.pop();
        assert_eq!(evaluator.evaluate(&position), fresh::<E>(&position));
    }
}

/// A material level as an evaluator with a default.
#[derive(Debug)]
struct AtLevel<const N: u8>(LevelEvaluator);

impl<const N: u8> Default for AtLevel<N> {
    fn default() -> Self {
        Self(LevelEvaluator::new(MaterialLevel::new(N).unwrap()))
    }
}

impl<const N: u8> Evaluator for AtLevel<N> {
    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.0.evaluate(position)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn random_lines(
        start in 0..WALK_STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 1..120),
    ) {
        walk_incrementally::<MaterialEvaluator>(WALK_STARTS[start], &choices);
        walk_incrementally::<PositionalEvaluator>(WALK_STARTS[start], &choices);
        walk_incrementally::<AtLevel<5>>(WALK_STARTS[start], &choices);
        walk_incrementally::<AtLevel<6>>(WALK_STARTS[start], &choices);
        walk_incrementally::<AtLevel<9>>(WALK_STARTS[start], &choices);
    }
}

/// Compares an evaluator with every line of a file of `fixtures/eval`.
fn equals<E: Evaluator + Default>(file: &str) {
    let text = test_support::fixture_text(format!("eval/{file}"));
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = Position::from_sfen(row["sfen"].as_str().unwrap()).unwrap();
        let value = fresh::<E>(&position);
        assert_eq!(i64::from(value), row["eval"].as_i64().unwrap(), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 260);
}

#[test]
fn material_is_the_fields() {
    equals::<MaterialEvaluator>("material.jsonl");
    equals::<AtLevel<1>>("material.jsonl");
    equals::<AtLevel<9>>("material9.jsonl");
}
