//! Known problems: every line of `fixtures/mate`.

use crate::support::{Problem, problems, solver};
use shogi_core::{Diagram, MoveText};
use shogi_mate::verify::replay;
use shogi_mate::{Answer, Exactness, MateLimits, Role, SilentMateObserver, Solution, Solver};
use std::sync::atomic::AtomicBool;

fn start(problem: &Problem) -> Diagram {
    Diagram::from_sfen(&problem.sfen).expect(&problem.id)
}

/// The slow tier of tests is asked for.
fn is_slow() -> bool {
    std::env::var_os("SHOGI_SLOW_TESTS").is_some()
}

/// Solves within `nodes` and checks all that can be checked.
fn solve(solver: &mut Solver, problem: &Problem, nodes: Option<u64>) -> Solution {
    let limits = MateLimits { nodes, time: None };
    let start = start(problem);
    let solution = solver.solve_diagram(
        &start,
        &limits,
        &AtomicBool::new(false),
        &mut SilentMateObserver,
    );
    match &solution.answer {
        Answer::Mate(mate) => {
            assert_ne!(
                problem.mate,
                Some(false),
                "{}: no mate is known",
                problem.id
            );
            let texts: Vec<MoveText> = mate.moves.iter().map(|&m| m.into()).collect();
            replay(&start, Role::Attacker, &texts).expect(&problem.id);
            if let (Some(len), true) = (problem.len, problem.len_exact) {
                assert!(mate.length.plies() >= len, "{}", problem.id);
                assert!(
                    !mate.length.is_exact() || mate.length.plies() == len,
                    "{}",
                    problem.id
                );
            }
        }
        Answer::NoMate => assert_ne!(problem.mate, Some(true), "{}: a mate is known", problem.id),
        Answer::Unknown(_) => assert!(nodes.is_some(), "{}: given up", problem.id),
    }
    solution
}

fn solve_all(names: &[&str], exact: Exactness) {
    let mut solver = solver(16 << 20, exact);
    for problem in names.iter().flat_map(|name| problems(name, 1)) {
        let solution = solve(&mut solver, &problem, None);
        if let (Answer::Mate(mate), Exactness::Shortest) = (&solution.answer, exact) {
            assert!(mate.length.is_exact(), "{}", problem.id);
        }
    }
}

#[test]
fn given_solutions_replay() {
    let names = [
        "mate_selfplay.jsonl",
        "mate_composed.jsonl",
        "mate_loops.jsonl",
        "mate_loops_in_check.jsonl",
        "classics.jsonl",
    ];
    let mut count = 0;
    for problem in names.iter().flat_map(|name| problems(name, 1)) {
        let Some(pv) = problem.pv.as_deref().filter(|pv| !pv.is_empty()) else {
            continue;
        };
        let texts: Option<Vec<MoveText>> = pv.split(' ').map(MoveText::from_usi).collect();
        replay(&start(&problem), Role::Attacker, &texts.expect(pv)).expect(&problem.id);
        count += 1;
    }
    assert!(count > 600, "{count}");
}

#[test]
fn mates_of_games_and_compositions_are_found() {
    solve_all(
        &["mate_selfplay.jsonl", "mate_composed.jsonl"],
        Exactness::Off,
    );
}

#[test]
fn positions_without_mate_are_proven() {
    solve_all(&["nomate_selfplay.jsonl"], Exactness::Off);
}

#[test]
fn lengths_of_compositions_are_exact() {
    solve_all(&["mate_composed.jsonl"], Exactness::Shortest);
}

#[test]
fn lengths_of_games_are_exact() {
    let mut solver = solver(64 << 20, Exactness::Shortest);
    for problem in problems("mate_selfplay.jsonl", 1) {
        if is_slow() || problem.len.is_some_and(|len| len <= 13) {
            let solution = solve(&mut solver, &problem, None);
            let exact = matches!(&solution.answer, Answer::Mate(mate) if mate.length.is_exact());
            assert!(exact, "{}", problem.id);
        }
    }
}

#[test]
fn long_loops_are_solved() {
    let mut first = solver(16 << 20, Exactness::Off);
    let mut shortest = solver(64 << 20, Exactness::Shortest);
    let names = ["mate_loops.jsonl", "mate_loops_in_check.jsonl"];
    for (i, problem) in names.iter().flat_map(|name| problems(name, 1)).enumerate() {
        let problem = &problem;
        solve(&mut first, problem, None);
        if is_slow() || i.is_multiple_of(10) {
            let solution = solve(&mut shortest, problem, None);
            let exact = matches!(&solution.answer, Answer::Mate(mate) if mate.length.is_exact());
            assert!(exact, "{}", problem.id);
        }
    }
}

/// The hardest problems at hardly any nodes and memory: nothing wrong may be said.
#[test]
fn limits_never_make_a_wrong_answer() {
    let names = [
        "classics.jsonl",
        "mate_loops.jsonl",
        "mate_loops_in_check.jsonl",
        "mate_selfplay.jsonl",
        "nomate_selfplay.jsonl",
    ];
    for (hash_bytes, nodes) in [(1, 100), (1 << 20, 1_000), (2 << 20, 3_000)] {
        let mut solver = solver(hash_bytes, Exactness::Shortest);
        for problem in names.iter().flat_map(|name| problems(name, 1)) {
            solve(&mut solver, &problem, Some(nodes));
        }
    }
}

#[test]
fn classics_are_solved() {
    let mut solver = solver(64 << 20, Exactness::Off);
    let nodes = if is_slow() { 20_000_000 } else { 50_000 };
    let all = problems("classics.jsonl", 1);
    let solved = all
        .iter()
        .filter(|problem| {
            !matches!(
                solve(&mut solver, problem, Some(nodes)).answer,
                Answer::Unknown(_)
            )
        })
        .count();
    assert!(solved >= 50, "{solved} of {}", all.len());
}
