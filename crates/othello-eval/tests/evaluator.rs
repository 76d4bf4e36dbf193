//! Methods agree with each other, and indices after moves with those from scratch.

use othello_core::{Board, State};
use othello_eval::{
    EvalMethod, PatternEvaluator, PatternLayout, PhaseTables, PlyPhases, UNITS_PER_DISC, Weights,
};
use proptest::prelude::*;
use yane_base::random::SplitMix64;

/// An evaluator of a layout with random weights.
fn random<const C: usize>(layout: &PatternLayout, plies: &[u8], seed: u64) -> PatternEvaluator<C> {
    let mut random = SplitMix64::new(seed);
    let mut table =
        |len: usize| -> Vec<i16> { (0..len).map(|_| random.next_u64() as i16).collect() };
    let phases: Vec<_> = plies
        .iter()
        .map(|_| PhaseTables {
            patterns: layout
                .patterns()
                .iter()
                .map(|p| table(p.states()))
                .collect(),
            discs: table(65),
        })
        .collect();
    PatternEvaluator::new(
        layout.clone(),
        PlyPhases::from_first(plies),
        &phases,
        128,
        64,
    )
}

/// Plays a game of random moves and calls `visit` with each board, and the move that led to it.
fn game(seed: u64, mut visit: impl FnMut(Board, Option<othello_core::Square>, Board)) {
    let mut random = SplitMix64::new(seed);
    let mut board = Board::START;
    loop {
        let (mv, next) = match board.state() {
            State::Moves => {
                let moves: Vec<_> = board.legal_moves().iter().collect();
                let square = *random.choose(&moves);
                (Some(square), board.play_unchecked(square))
            }
            State::Pass => (None, board.passed()),
            State::Over => return,
        };
        visit(board, mv, next);
        board = next;
    }
}

/// The sum of weights by definition: the ternary number of every place, looked up, and the constant of the ply.
fn by_definition<const C: usize>(
    evaluator: &PatternEvaluator<C>,
    phases: &[PhaseTables],
    board: Board,
) -> i32 {
    let tables = &phases[evaluator.phase(board.discs())];
    let digit = |square: othello_core::Square| match square.bit() {
        bit if board.mover() & bit != 0 => 0,
        bit if board.opponent() & bit != 0 => 1,
        _ => 2,
    };
    let mut sum = i32::from(tables.discs[board.mover().count_ones() as usize]);
    for (pattern, table) in evaluator.layout().patterns().iter().zip(&tables.patterns) {
        for place in pattern.places() {
            let number = place
                .into_iter()
                .fold(0, |sum, square| sum * 3 + digit(square));
            sum += i32::from(table[number]);
        }
    }
    let ply = board.discs() as usize - 4;
    sum * UNITS_PER_DISC / evaluator.units() + i32::from(evaluator.offsets().0[ply])
}

fn check<const C: usize>(evaluator: &PatternEvaluator<C>, seed: u64) {
    let phases = (0..evaluator.phases().count()).map(|phase| evaluator.phase_tables(phase));
    let phases: Vec<_> = phases.collect();
    let others: Vec<_> = EvalMethod::available()
        .into_iter()
        .map(|method| evaluator.clone().with_method(method))
        .collect();
    game(seed, |board, mv, next| {
        let expected = by_definition(evaluator, &phases, next);
        for evaluator in &others {
            let before = evaluator.features(board);
            let after = match mv {
                Some(square) => {
                    let flips = board.flips(square);
                    let value = evaluator.value_after(&before, square, flips, next);
                    assert_eq!(value, expected);
                    evaluator.after(&before, square, flips)
                }
                None => before.passed(),
            };
            assert_eq!(after, evaluator.features(next));
            assert_eq!(evaluator.value(&after, next), expected);
        }
    });
}

#[test]
fn values_are_sums_of_the_tables() {
    let plies: Vec<u8> = (0..60).step_by(10).collect();
    for (seed, layout) in [
        PatternLayout::yaneura(),
        PatternLayout::edax(),
        PatternLayout::egaroucid(),
    ]
    .iter()
    .enumerate()
    {
        let evaluator: PatternEvaluator<4> = random(layout, &plies, seed as u64);
        for game in 0..4 {
            check(&evaluator, game);
        }
    }
    check(Weights::built_in().main().as_patterns().unwrap(), 2);
}

#[test]
fn symmetric_boards_have_equal_values() {
    let evaluator = Weights::untrained();
    game(5, |_, _, board| {
        let value = evaluator.main().evaluate(board);
        for symmetry in othello_core::Symmetry::ALL {
            assert_eq!(evaluator.main().evaluate(symmetry.board(board)), value);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Flips that make no sense: all methods give the same indices and values, and read nothing outside of their tables.
    #[test]
    fn methods_agree_on_nonsense(mover: u64, opponent: u64, square in 0u8..64, flips: u64) {
        let board = Board::new(mover & !opponent, opponent).unwrap();
        let square = othello_core::Square::new(square).unwrap();
        let flips = othello_core::Squares(flips);
        let weights = Weights::untrained();
        let evaluator = weights.main();
        let features = evaluator.features(board);
        let expected = {
            let portable = evaluator.clone().with_method(EvalMethod::Portable);
            let after = portable.after(&features, square, flips);
            (after, portable.value(&after, board))
        };
        for method in EvalMethod::available() {
            let evaluator = evaluator.clone().with_method(method);
            let after = evaluator.after(&features, square, flips);
            prop_assert_eq!(evaluator.value_after(&features, square, flips, board), expected.1);
            prop_assert_eq!((after, evaluator.value(&after, board)), expected);
        }
    }
}

#[test]
fn values_are_rounded_half_away_from_zero() {
    let weights = Weights::untrained();
    let discs = |value| weights.main().discs(value);
    assert_eq!(
        [0, 63, 64, 191, 192, -63, -64, 9000, -9000].map(discs),
        [0, 0, 1, 1, 2, 0, -1, 64, -64]
    );
}

#[test]
fn phases_of_even_and_odd_plies() {
    let phases = PlyPhases::with_parity(2, 36);
    assert_eq!(phases.count(), 30);
    let plies = |ply: usize| {
        let phase = usize::from(phases.of_plies()[ply]);
        phases.plies(phase).collect::<Vec<_>>()
    };
    assert_eq!(plies(0), [0, 1]);
    assert_eq!(plies(35), [34, 35]);
    assert_eq!((plies(36), plies(39)), (vec![36, 38], vec![37, 39]));
    assert_eq!((plies(60), plies(59)), (vec![56, 58, 60], vec![57, 59]));
    for plies in 1..=60 {
        for parity in 0..=61 {
            let phases = PlyPhases::with_parity(plies, parity);
            assert_eq!(PlyPhases::new(*phases.of_plies()), Some(phases.clone()));
            let all: usize = (0..phases.count()).map(|n| phases.plies(n).count()).sum();
            assert_eq!(all, 61);
        }
    }
    let mut wrong = *phases.of_plies();
    wrong[0] = 1;
    assert_eq!(PlyPhases::new(wrong), None);
}
