//! Problems whose answers are known.

use std::time::Duration;

use shogi_core::Position;
use shogi_mate::{Answer, Exactness, LeafAnswer, LeafSolver, Reason};

use crate::support::{Problem, problems, solve, solver};

fn position(problem: &Problem) -> Position {
    Position::from_sfen(&problem.sfen).unwrap_or_else(|error| panic!("{}: {error}", problem.id))
}

/// Proven shortest lengths are those known.
fn check_exact(file: &str, step: usize) {
    let mut solver = solver(32 << 20, Exactness::Shortest);
    for problem in problems(file, step) {
        let solution = solve(&mut solver, &position(&problem), None);
        let Answer::Mate(line) = &solution.answer else {
            panic!("{}: {:?}", problem.id, solution.answer);
        };
        assert!(line.length.is_exact(), "{}", problem.id);
        assert_eq!(Some(line.length.plies()), problem.len, "{}", problem.id);
    }
}

#[test]
fn lengths_of_mates_from_games() {
    check_exact("mate_selfplay.jsonl", 7);
}

#[test]
fn lengths_of_compositions() {
    check_exact("mate_composed.jsonl", 3);
}

#[test]
fn lengths_where_the_board_recurs() {
    check_exact("mate_loops.jsonl", 13);
}

#[test]
fn positions_without_a_mate() {
    let mut solver = solver(32 << 20, Exactness::Off);
    for problem in problems("nomate_selfplay.jsonl", 5) {
        let solution = solve(&mut solver, &position(&problem), None);
        assert_eq!(solution.answer, Answer::NoMate, "{}", problem.id);
    }
}

/// Whatever the table and the limit: no wrong answers.
#[test]
fn small_tables_and_limits_make_no_wrong_answers() {
    for (hash_bytes, nodes) in [(0, 3_000), (200_000, 20_000), (1 << 20, 500)] {
        let mut solver = solver(hash_bytes, Exactness::Off);
        for file in [
            "mate_loops.jsonl",
            "classics.jsonl",
            "nomate_selfplay.jsonl",
        ] {
            for problem in problems(file, 6) {
                let solution = solve(&mut solver, &position(&problem), Some(nodes));
                match (&solution.answer, problem.mate) {
                    (Answer::NoMate, Some(true)) | (Answer::Mate(_), Some(false)) => {
                        panic!("{}: {:?}", problem.id, solution.answer);
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn a_limit_of_nodes_ends_the_search() {
    let problem = &problems("classics.jsonl", 1)[0];
    let solution = solve(
        &mut solver(1 << 20, Exactness::Off),
        &position(problem),
        Some(100),
    );
    assert_eq!(solution.answer, Answer::Unknown(Reason::Nodes));
    assert!(solution.nodes < 1_000);
    assert!(solution.elapsed < Duration::from_secs(1));
}

/// The small solver never contradicts what is known.
#[test]
fn the_leaf_solver_is_right() {
    let mut leaf = LeafSolver::new(256 << 10);
    let mut found = 0;
    for problem in problems("mate_selfplay.jsonl", 3) {
        match leaf.solve(&position(&problem), 2_000) {
            LeafAnswer::Mate { plies, .. } => {
                assert!(Some(plies) >= problem.len, "{}", problem.id);
                found += 1;
            }
            LeafAnswer::NoMate => panic!("{}", problem.id),
            LeafAnswer::Unknown => {}
        }
    }
    assert!(found > 60, "{found}");
    for problem in problems("nomate_selfplay.jsonl", 3) {
        let answer = leaf.solve(&position(&problem), 500);
        assert!(!matches!(answer, LeafAnswer::Mate { .. }), "{}", problem.id);
    }
}
