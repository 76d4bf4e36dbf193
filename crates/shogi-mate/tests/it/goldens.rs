//! Known problems: every line of `fixtures/mate`.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use shogi_core::{Diagram, MoveText};
use shogi_mate::verify::replay;
use shogi_mate::{Answer, Exactness, Limits, Role, Silent, Solution, Solver};

use crate::support::solver;

/// A problem of the fixtures.
#[derive(Debug, Deserialize)]
struct Problem {
    id: String,
    sfen: String,
    mate: Option<bool>,
    #[serde(default)]
    len: Option<u32>,
    #[serde(default)]
    len_exact: bool,
    #[serde(default)]
    pv: Option<String>,
}

impl Problem {
    fn start(&self) -> Diagram {
        Diagram::from_sfen(&self.sfen).expect(&self.id)
    }
}

fn problems(name: &str) -> Vec<Problem> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mate");
    let text = fs::read_to_string(folder.join(name)).expect(name);
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    text.lines().map(parse).collect()
}

/// The slow tier of tests is asked for.
fn is_slow() -> bool {
    std::env::var_os("SHOGI_SLOW_TESTS").is_some()
}

/// Solves within `nodes` and checks all that can be checked.
fn solve(solver: &mut Solver, problem: &Problem, nodes: Option<u64>) -> Solution {
    let limits = Limits { nodes, time: None };
    let start = problem.start();
    let solution = solver.solve_diagram(&start, &limits, &AtomicBool::new(false), &mut Silent);
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
    for problem in names.iter().flat_map(|name| problems(name)) {
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
    for problem in names.iter().flat_map(|name| problems(name)) {
        let Some(pv) = problem.pv.as_deref().filter(|pv| !pv.is_empty()) else {
            continue;
        };
        let texts: Option<Vec<MoveText>> = pv.split(' ').map(MoveText::from_usi).collect();
        replay(&problem.start(), Role::Attacker, &texts.expect(pv)).expect(&problem.id);
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
    for problem in problems("mate_selfplay.jsonl") {
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
    for (i, problem) in names.iter().flat_map(|name| problems(name)).enumerate() {
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
        for problem in names.iter().flat_map(|name| problems(name)) {
            solve(&mut solver, &problem, Some(nodes));
        }
    }
}

#[test]
fn classics_are_solved() {
    let mut solver = solver(64 << 20, Exactness::Off);
    let nodes = if is_slow() { 20_000_000 } else { 50_000 };
    let all = problems("classics.jsonl");
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
