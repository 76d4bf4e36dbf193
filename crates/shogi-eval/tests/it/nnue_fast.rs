//! Fast evaluation is the reference evaluation, bit for bit: with all instructions that the processor
//! has, whatever moves, passes and take-backs led to a position.

use std::sync::Arc;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use shogi_core::movegen::Legal;
use shogi_core::{Delta, Move, Position, Undo};
use shogi_eval::Evaluator;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{FvScale, Level, Network, NnueEvaluator, PreparedNetwork, reference};
use test_networks::MaterialNetwork;
use test_networks::RandomNetwork;

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
    fn go(&mut self, random: &mut impl RngExt) -> bool {
        let passes = random.random_range(0..16) == 0 && !self.position.in_check();
        let (played, undo) = if passes {
            (None, self.position.do_null_move())
        } else {
            let moves = self.position.moves::<Legal>();
            if moves.is_empty() {
                return false;
            }
            let m = moves[random.random_range(0..moves.len())];
            (Some(m), self.position.do_move(m))
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
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut plies, mut values) = (0, std::collections::HashSet::new());
    while plies < PLIES {
        walk.begin(START_POSITIONS[random.random_range(0..START_POSITIONS.len())]);
        for _ in 0..300 {
            if random.random_range(0..5) == 0 {
                for _ in 0..random.random_range(1..4) {
                    walk.back();
                }
            } else if !walk.go(&mut random) {
                break;
            }
            plies += 1;
            // Now and then several moves are brought up to date at once.
            if random.random_range(0..3) > 0 {
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
    kp_zones: "sfnn_kp_512_31_64_hand4_k13k13z_progress4",
}
