//! The network: every kernel gives what the portable one gives, and files are read as they were written.

use othello_core::{Board, State, Symmetry};
use othello_eval::{
    EvalMethod, Evaluator, NET_MOST_BIAS, NetEvaluator, NetShape, NetWeights, PlyPhases,
    UNITS_PER_DISC, Weights, WeightsFormat,
};
use test_support::SplitMix64;

/// A network of random numbers: of any size if `is_wild`, else such that values are small.
fn random(shape: NetShape, seed: u64, is_wild: bool) -> NetWeights {
    let mut random = SplitMix64::new(seed);
    let mut number = |most: u64| random.below(2 * most + 1) as i32 - most as i32;
    let mut net = NetWeights::zeros(shape, PlyPhases::with_parity(4, 0));
    let (rows, biases, weights, sums) = if is_wild {
        (127, NET_MOST_BIAS as u64, 32_767, 1 << 25)
    } else {
        (40, 200, 300, 1 << 16)
    };
    net.rows
        .iter_mut()
        .for_each(|row| *row = number(rows) as i8);
    net.biases
        .iter_mut()
        .for_each(|bias| *bias = number(biases) as i16);
    for stack in &mut net.stacks {
        for weight in stack.first.as_flattened_mut() {
            *weight = number(weights) as i16;
        }
        for weight in stack.second.as_flattened_mut() {
            *weight = number(weights) as i16;
        }
        stack
            .output
            .iter_mut()
            .for_each(|weight| *weight = number(weights) as i16);
        stack
            .first_biases
            .iter_mut()
            .for_each(|sum| *sum = number(sums));
        stack
            .second_biases
            .iter_mut()
            .for_each(|sum| *sum = number(sums));
    }
    net.outputs.iter_mut().for_each(|sum| *sum = number(sums));
    net
}

/// The boards of random games.
fn boards(games: u64) -> Vec<Board> {
    let mut boards = Vec::new();
    for seed in 0..games {
        let mut random = SplitMix64::new(seed);
        let mut board = Board::START;
        loop {
            boards.push(board);
            match board.state() {
                State::Over => break,
                State::Pass => board = board.passed(),
                State::Moves => {
                    let moves: Vec<_> = board.legal_moves().iter().collect();
                    board = board.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
                }
            }
        }
    }
    boards
}

#[test]
fn methods_agree() {
    let shapes = NetShape::ALL
        .into_iter()
        .filter(|shape| shape.layout().places() == 30);
    for (seed, shape) in (0..).zip(shapes) {
        for is_wild in [false, true] {
            let portable = NetEvaluator::new(random(shape, seed, is_wild));
            let portable = portable.with_method(EvalMethod::Portable);
            let mut values = std::collections::BTreeSet::new();
            for method in EvalMethod::available() {
                let other = portable.clone().with_method(method);
                for board in boards(2) {
                    let value = portable.evaluate(board);
                    assert_eq!(other.evaluate(board), value, "{shape} {method:?} {board:?}");
                    values.insert(value);
                }
            }
            // Wild numbers mostly give the largest values.
            assert!(is_wild || values.len() > 50, "{shape}: {values:?}");
        }
    }
}

#[test]
fn moves_are_followed_and_images_are_equal() {
    let net = NetEvaluator::new(random(NetShape::ALL[4], 7, false));
    for board in boards(2) {
        let features = net.features(board);
        let value = net.value(&features, board);
        for square in board.legal_moves() {
            let (flips, child) = (board.flips(square), board.play_unchecked(square));
            let after = net.after(&features, square, flips);
            assert_eq!(after, net.features(child));
            assert_eq!(net.value(&after, child), net.evaluate(child));
            let of_move = net.value_after(&features, square, flips, child);
            assert_eq!(of_move, net.evaluate(child));
        }
        for symmetry in Symmetry::ALL {
            assert_eq!(net.evaluate(symmetry.board(board)), value);
        }
    }
}

/// The value by floating-point numbers, as the module describes it.
fn described(net: &NetWeights, board: Board) -> f64 {
    let ply = board.discs() as usize - 4;
    let units = net.shape.units();
    let mut sums: Vec<f64> = net.biases[ply * units..][..units]
        .iter()
        .map(|&bias| f64::from(bias) / 256.0)
        .collect();
    let mut start = 0;
    for pattern in net.shape.layout().patterns() {
        let indices = pattern.indices();
        for place in pattern.places() {
            let digit = |bit: u64| match (board.mover() & bit, board.opponent() & bit) {
                (0, 0) => 2,
                (0, _) => 1,
                _ => 0,
            };
            let number = place
                .iter()
                .fold(0, |n, square| 3 * n + digit(square.bit()));
            let row = start + usize::from(indices.packed[number]);
            for (sum, &number) in sums.iter_mut().zip(&net.rows[row * units..]) {
                *sum += f64::from(number) / 256.0;
            }
        }
        start += indices.packed_len;
    }
    let stack = &net.stacks[usize::from(net.phases.of_plies()[ply])];
    let scale = f64::from(1 << 17);
    let mut first = stack.first_biases.map(|bias| f64::from(bias) / scale);
    for (sum, weights) in sums.iter().zip(&stack.first) {
        for (first, &weight) in first.iter_mut().zip(weights) {
            *first += sum.clamp(0.0, 1.0) * f64::from(weight) / 512.0;
        }
    }
    let plain = first.iter().map(|first| first.clamp(0.0, 1.0));
    let inputs = plain.chain(first.iter().map(|first| first.clamp(-1.0, 1.0).powi(2)));
    let mut second = stack.second_biases.map(|bias| f64::from(bias) / scale);
    for (input, weights) in inputs.zip(&stack.second) {
        for (second, &weight) in second.iter_mut().zip(weights) {
            *second += input * f64::from(weight) / 512.0;
        }
    }
    let outputs = second.iter().zip(&stack.output);
    let products =
        outputs.map(|(second, &weight)| second.clamp(0.0, 1.0) * f64::from(weight) / 512.0);
    let output = products.sum::<f64>() + first[15] + f64::from(net.outputs[ply]) / scale;
    output * 16.0 * f64::from(UNITS_PER_DISC)
}

#[test]
fn the_value_is_the_one_described() {
    for shape in [NetShape::ALL[1], NetShape::ALL[3]] {
        let net = random(shape, 3, false);
        let evaluator = NetEvaluator::new(net.clone());
        let mut most = 0f64;
        for board in boards(1) {
            let (value, described) = (evaluator.evaluate(board), described(&net, board));
            let difference = (f64::from(value) - described).abs();
            // Activations are rounded to 256ths.
            assert!(difference < 60.0, "{value} {described}");
            most = most.max(described.abs());
        }
        assert!(most > 500.0, "{most}");
    }
}

#[test]
fn files_are_read_as_they_were_written() {
    for shape in [NetShape::ALL[2], NetShape::ALL[3]] {
        let net = random(shape, 5, false);
        let main = Evaluator::Net(NetEvaluator::new(net.clone()));
        let bytes = Weights::new(main, WeightsFormat::YaneuraNet).to_bytes("a note");
        let read = Weights::from_bytes(&bytes).unwrap();
        assert_eq!(
            (read.format(), read.note()),
            (WeightsFormat::YaneuraNet, "a note")
        );
        assert_eq!(read.main().as_net().unwrap().weights(), &net);
        assert_eq!(read.to_bytes("a note"), bytes);
        for len in (0..bytes.len()).step_by(99_991) {
            let error = Weights::from_bytes(&bytes[..len]).unwrap_err();
            assert!(error.offset <= len as u64, "{len}: {error}");
        }
        for at in (0..bytes.len()).step_by(99_991) {
            let mut bad = bytes.clone();
            bad[at] ^= 0x55;
            assert!(Weights::from_bytes(&bad).is_err(), "byte {at}");
        }
    }
}
