//! The solver against the truth about thousands of small positions, with all sizes of tables.

use std::sync::atomic::AtomicBool;

use shogi_core::{MoveText, Position};
use shogi_mate::verify::replay;
use shogi_mate::{Answer, Exactness, Length, Limits, Silent, Solver};

use crate::plain::{TRIED, Truth, truth};
use crate::random::small_problems;
use crate::support::solver_of;

/// Checks an answer without limits; the number of plies of a mate.
fn check(position: &Position, expected: Truth, solver: &mut Solver) {
    let sfen = position.to_sfen();
    let limits = Limits::default();
    let solution = solver.solve(position, &limits, &AtomicBool::new(false), &mut Silent);
    match (&solution.answer, expected) {
        (Answer::NoMate, Truth::NoMate) => {}
        (Answer::Mate(mate), Truth::Mate(_) | Truth::LongMate) => {
            let texts: Vec<MoveText> = mate.moves.iter().map(|&m| m.into()).collect();
            replay(&position.clone().into(), solution.role, &texts).expect(&sfen);
            check_length(&sfen, mate.length, expected);
            if let Length::Exact(plies) = mate.length {
                assert_eq!(mate.moves.len(), plies as usize, "{sfen}");
            }
            if solver.options().exact == Exactness::Shortest {
                assert!(mate.length.is_exact(), "{sfen}");
            }
        }
        (answer, expected) => panic!("{sfen}: {answer:?}, expected {expected:?}"),
    }
}

/// Checks that a length can be right.
fn check_length(sfen: &str, length: Length, truth: Truth) {
    let possible = match (truth, length) {
        (Truth::NoMate, _) => false,
        (Truth::Mate(plies), Length::Exact(length)) => length == plies,
        (Truth::Mate(plies), Length::UpperBound(length)) => length >= plies,
        (Truth::LongMate, length) => length.plies() > TRIED,
    };
    assert!(possible, "{sfen}: {length:?}, truth {truth:?}");
}

/// Positions with the truth about them.
fn judged(seed: u64, count: usize) -> Vec<(Position, Truth)> {
    let judge = |position: Position| truth(&position).map(|truth| (position, truth));
    small_problems(seed, count).filter_map(judge).collect()
}

#[test]
fn answers_are_the_truth() {
    let problems = judged(11, 4000);
    let mates = problems.iter().filter(|(_, truth)| *truth != Truth::NoMate);
    let longest = mates
        .clone()
        .filter(|(_, truth)| matches!(truth, Truth::Mate(5..)));
    let (mates, longest) = (mates.count(), longest.count());
    assert!(
        problems.len() > 1000 && mates > 200 && longest > 20,
        "{} {mates} {longest}",
        problems.len()
    );
    for exact in [Exactness::Off, Exactness::Upper, Exactness::Shortest] {
        let mut solver = solver_of(4 << 20, exact, 1);
        for (position, truth) in &problems {
            check(position, *truth, &mut solver);
        }
    }
}

#[test]
fn small_tables_and_threads_change_nothing() {
    let problems = judged(12, 600);
    for (hash_bytes, threads) in [(1, 1), (100_000, 1), (1 << 20, 2), (333_333, 3)] {
        let mut solver = solver_of(hash_bytes, Exactness::Shortest, threads);
        for (position, truth) in &problems {
            check(position, *truth, &mut solver);
        }
    }
}

#[test]
fn limits_never_make_a_wrong_answer() {
    let mut solver = solver_of(1 << 16, Exactness::Shortest, 1);
    for (position, truth) in judged(13, 800) {
        for nodes in [1, 2, 5, 13, 50, 200] {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let never = AtomicBool::new(false);
            let solution = solver.solve(&position, &limits, &never, &mut Silent);
            match (&solution.answer, truth) {
                (Answer::Unknown(_), _) | (Answer::NoMate, Truth::NoMate) => {}
                (Answer::Mate(mate), truth) => {
                    check_length(&position.to_sfen(), mate.length, truth);
                }
                (Answer::NoMate, truth) => panic!("{}: truth {truth:?}", position.to_sfen()),
            }
        }
    }
}
