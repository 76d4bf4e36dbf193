//! Problems from files, and checks of answers.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use shogi_core::Position;
use shogi_mate::{
    Answer, Exactness, Limits, MateLine, Role, Silent, Solution, Solver, SolverOptions,
};

#[derive(Deserialize)]
pub(crate) struct Problem {
    pub(crate) id: String,
    pub(crate) sfen: String,
    pub(crate) mate: Option<bool>,
    pub(crate) len: Option<u32>,
}

/// Every `step`-th problem of a file under `fixtures/mate/`.
pub(crate) fn problems(file: &str, step: usize) -> Vec<Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/mate")
        .join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let parse = |(number, row)| {
        serde_json::from_str(row).unwrap_or_else(|error| panic!("{file}:{}: {error}", number + 1))
    };
    let rows = text.lines().enumerate().step_by(step).map(parse);
    let problems: Vec<Problem> = rows.collect();
    assert!(!problems.is_empty(), "{file}");
    problems
}

/// A solver for problems whose side to move attacks.
pub(crate) fn solver(hash_bytes: usize, exact: Exactness) -> Solver {
    solver_of(hash_bytes, exact, 1)
}

/// The same with several threads.
pub(crate) fn solver_of(hash_bytes: usize, exact: Exactness, threads: usize) -> Solver {
    Solver::new(SolverOptions {
        hash_bytes,
        threads,
        exact,
        root_is_and_node_if_checked: false,
        report_interval: None,
        ..SolverOptions::default()
    })
}

pub(crate) fn solve(solver: &mut Solver, position: &Position, nodes: Option<u64>) -> Solution {
    let limits = Limits { time: None, nodes };
    let stop = AtomicBool::new(false);
    let solution = solver.solve(position, &limits, &stop, &mut Silent);
    if let Answer::Mate(line) = &solution.answer {
        check_line(position, solution.role, line);
    }
    solution
}

/// Plays a line: every move legal, every move of the attacker a check, mate at the end.
pub(crate) fn check_line(position: &Position, role: Role, line: &MateLine) {
    let attacker = role.attacker(position.side_to_move());
    let mut now = position.clone();
    for m in &line.moves {
        assert!(now.is_legal(*m), "{position} {m}");
        let attacks = now.side_to_move() == attacker;
        let _ = now.do_move(*m);
        assert!(!attacks || now.in_check(), "{position} {m}");
    }
    assert!(now.is_mated(), "{position} {:?}", line.moves);
    if line.length.is_exact() {
        assert_eq!(line.length.plies() as usize, line.moves.len());
    }
}
