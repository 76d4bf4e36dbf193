//! Every operation gives what ordinary code gives, whatever the numbers.

use crate::nnue::simd::scalar::Scalar;
use proptest::collection::vec;
use proptest::prelude::*;
use shogi_core::{Color, Position, Square};

use super::*;
use crate::nnue::features::FeatureSet;

/// Numbers of any size for all operations.
#[derive(Clone, Debug)]
struct Sample {
    lines: [Line; 4],
    inputs: [u8; 16],
    weights: [i8; 64],
    sums: [i32; 16],
    boards: [Codes; 2],
    view: (FeatureSet, Color, Square),
}

fn array<T: Copy + Default + std::fmt::Debug, const N: usize>(
    number: impl Strategy<Value = T>,
) -> impl Strategy<Value = [T; N]> {
    vec(number, N).prop_map(|numbers| std::array::from_fn(|i| numbers[i]))
}

/// Numbers of pieces on some of the squares.
fn board() -> impl Strategy<Value = Codes> {
    let positions = [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
        "4+B2K1/2+P1+R4/9/9/9/9/5+p3/3+r5/1k4+b2 b 2G2S3N4L2g2sn16p 1",
    ];
    (0..=positions.len()).prop_map(move |choice| {
        let mut codes = [0; PLACES];
        if let Some(sfen) = positions.get(choice) {
            let position = Position::from_sfen(sfen).unwrap();
            for (code, piece) in codes.iter_mut().zip(position.board()) {
                *code = piece.map_or(0, |piece| piece as u8);
            }
        }
        codes
    })
}

fn sample() -> impl Strategy<Value = Sample> {
    let sums = prop_oneof![any::<i16>(), -300..300i16, Just(i16::MIN), Just(i16::MAX)];
    let lines = array::<Line, 4>(array(sums));
    let inputs = array(prop_oneof![Just(0), 0..=127u8]);
    let weights = array(prop_oneof![any::<i8>(), Just(i8::MIN), Just(i8::MAX)]);
    let set = prop::sample::select(FeatureSet::ALL.to_vec());
    let square = (0..Square::COUNT).prop_map(|n| Square::from_index(n).unwrap());
    let color = prop::sample::select(Color::ALL.to_vec());
    let view = (set, color, square);
    (
        lines,
        inputs,
        weights,
        array(prop_oneof![any::<i32>(), -100..9_000]),
        [board(), board()],
        view,
    )
        .prop_map(|(lines, inputs, weights, sums, boards, view)| Sample {
            lines,
            inputs,
            weights,
            sums,
            boards,
            view,
        })
}

/// The results of all operations.
#[derive(Debug, PartialEq)]
struct Results {
    lines: [Line; 4],
    bytes: [[u8; 64]; 2],
    nnz: [u16; 2],
    list: Vec<u16>,
    sums: [i32; 16],
    clipped: [[u8; 16]; 2],
    eight: [i32; 8],
    first: i32,
    features: Vec<u32>,
    is_among: [bool; 16],
}

impl Kernel for &Sample {
    type Output = Results;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Results {
        let [a, b, c, d] = self.lines.each_ref().map(|line| isa.load(line));
        let mut lines = [[0; LINE]; 4];
        isa.store(isa.add(a, b), &mut lines[0]);
        isa.store(isa.mul(a, d), &mut lines[3]);
        isa.store(isa.sub(c, d), &mut lines[1]);
        let raised = isa.sub(isa.raise(a), isa.splat(self.lines[0][0]));
        isa.store(isa.add(isa.high_bytes(b), raised), &mut lines[2]);

        let vectors = [isa.clipped_relu(a, b), isa.products([[a, b], [c, d]])];
        let mut bytes = [[0; 64]; 2];
        isa.store_bytes(vectors[0], &mut bytes[0]);
        isa.store_bytes(vectors[1], &mut bytes[1]);
        let nnz = vectors.map(|vector| isa.nnz_mask(vector));
        let mut list = [0; 16];
        let listed = isa.list_bits(nnz[0], 320, &mut list);

        let mut groups = isa.groups(&self.inputs).to_vec();
        let alone = self.inputs.as_chunks().0.iter();
        groups.extend(alone.map(|&inputs| isa.group(inputs)));
        let (mut acc, mut acc8) = (isa.zero16(), isa.zero8());
        let half = self.weights.first_chunk().unwrap();
        for group in groups {
            acc = isa.add16(isa.dot16(acc, group, &self.weights), acc);
            acc8 = isa.add8(isa.dot8(acc8, group, half), acc8);
        }
        let (mut sums, mut eight) = ([0; 16], [0; 8]);
        let first = self.sums.first_chunk().unwrap();
        let clipped = [isa.load16(&self.sums), acc].map(|acc| isa.clipped_relu16(acc));
        isa.store16(isa.add16(acc, isa.load16(&self.sums)), &mut sums);
        isa.store8(isa.add8(acc8, isa.load8(first)), &mut eight);

        let (set, perspective, own_king) = self.view;
        let features = BoardFeatures::new(set, perspective, own_king);
        let mut listed_features = FeatureList::EMPTY;
        let [board, other] = &self.boards;
        isa.list_pieces(&features, board, other, &mut listed_features);
        let numbers = self.inputs.map(u32::from);
        let mut is_among = [false; 16];
        for (is_among, n) in is_among.iter_mut().zip(0..) {
            *is_among = isa.has_any(&numbers, &[n, n + 16, n + 32, n + 48]);
        }
        Results {
            lines,
            bytes,
            nnz,
            list: list[..listed].to_vec(),
            sums,
            clipped,
            eight,
            first: isa.first8(acc8),
            features: listed_features.as_slice().to_vec(),
            is_among,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn all_instructions_agree(sample in sample()) {
        let expected = Level::SCALAR.run(&sample);
        for level in Level::available() {
            prop_assert_eq!(&level.run(&sample), &expected, "{:?}", level);
        }
    }
}

#[test]
fn scalar_operations_are_what_they_say() {
    let line = |number| [number; LINE];
    let isa = Scalar;
    assert_eq!(isa.clipped_relu(line(-5), line(300))[7..9], [0, 127]);
    let numbers = std::array::from_fn(|i| i as i16);
    let bytes = isa.clipped_relu(numbers, isa.add(numbers, line(LINE as i16)));
    assert_eq!(bytes, PACKED);
    assert_eq!(bytes[14..18], [38, 39, 8, 9]);
    // 254 × 254 / 512, then one that wraps when it is doubled.
    assert_eq!(
        isa.products([[line(127); 2], [line(20_000), line(127)]])[7..9],
        [126, 0]
    );
    assert_eq!(isa.products([[line(10), line(100)]; 2])[0], 7);
    assert_eq!(isa.high_bytes(line(-257)), line(-2));
    assert_eq!(isa.raise(isa.splat(-257)), line(-256));
    let mut sums = [-1; 16];
    sums[1..4].copy_from_slice(&[64 * 127 - 1, 64 * 128, i32::MAX]);
    assert_eq!(isa.clipped_relu16(sums)[..5], [0, 126, 127, 127, 0]);
    let mut bytes = [0; 64];
    bytes[4] = 1;
    bytes[63] = 127;
    assert_eq!(isa.nnz_mask(bytes), 1 << 1 | 1 << 15);
    let weights = std::array::from_fn(|i| i as i8 - 64);
    let sums = isa.dot16([1; 16], [1, 2, 3, 127], &weights);
    assert_eq!(sums[0], 1 - 64 - 2 * 63 - 3 * 62 - 127 * 61);
}

#[test]
fn the_best_is_one_of_those_available() {
    let best = Level::best().name();
    assert!(Level::available().any(|level| level.name() == best));
    assert_eq!(
        Level::available().next().unwrap().name(),
        Level::SCALAR.name()
    );
}
