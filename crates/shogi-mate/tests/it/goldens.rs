//! Known problems: the files of `fixtures/mate`, with all settings and limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::{Diagram, MoveText, Position};
use shogi_mate::verify::replay;
use shogi_mate::{
    Answer, Exactness, LeafAnswer, LeafSolver, Length, MateLimits, MateLine, Reason, Role,
    SilentMateObserver, Solution, Solver, SolverOptions,
};

use crate::support::{Problem, check_line, problems, solve, solver};

fn start(problem: &Problem) -> Diagram {
    Diagram::from_sfen(&problem.sfen).expect(&problem.id)
}

/// The slow tier of tests is asked for.
fn is_slow() -> bool {
    std::env::var_os("SHOGI_SLOW_TESTS").is_some()
}

/// Solves within `nodes` and checks all that can be checked.
fn solve_problem(solver: &mut Solver, problem: &Problem, nodes: Option<u64>) -> Solution {
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
        let solution = solve_problem(&mut solver, &problem, None);
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
    for (i, problem) in problems("mate_selfplay.jsonl", 1).into_iter().enumerate() {
        if is_slow() || i.is_multiple_of(7) || problem.len.is_some_and(|len| len <= 13) {
            let solution = solve_problem(&mut solver, &problem, None);
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
        solve_problem(&mut first, problem, None);
        if is_slow() || i.is_multiple_of(10) {
            let solution = solve_problem(&mut shortest, problem, None);
            let exact = matches!(&solution.answer, Answer::Mate(mate) if mate.length.is_exact());
            assert!(exact, "{}", problem.id);
        }
    }
}

/// The hardest problems with hardly any nodes and memory: no answer may be wrong.
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
            solve_problem(&mut solver, &problem, Some(nodes));
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
                solve_problem(&mut solver, problem, Some(nodes)).answer,
                Answer::Unknown(_)
            )
        })
        .count();
    assert!(solved >= 50, "{solved} of {}", all.len());
}

fn position(problem: &Problem) -> Position {
    Position::from_sfen(&problem.sfen).unwrap_or_else(|error| panic!("{}: {error}", problem.id))
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

/// Threads change nothing but the time.
#[test]
fn several_threads_give_the_same_lengths() {
    let options = SolverOptions {
        threads: 3,
        ..*solver(8 << 20, Exactness::Shortest).options()
    };
    let mut solver = Solver::new(options);
    for problem in problems("mate_selfplay.jsonl", 17) {
        let solution = solve(&mut solver, &position(&problem), None);
        let Answer::Mate(line) = &solution.answer else {
            panic!("{}: {:?}", problem.id, solution.answer);
        };
        assert_eq!(Some(line.length.plies()), problem.len, "{}", problem.id);
        assert!(line.length.is_exact(), "{}", problem.id);
    }
    for problem in problems("nomate_selfplay.jsonl", 17) {
        let solution = solve(&mut solver, &position(&problem), None);
        assert_eq!(solution.answer, Answer::NoMate, "{}", problem.id);
    }
}

/// With the defender to move a mate is one ply shorter than before the move that led there, and has an even
/// number of plies.
#[test]
fn the_defender_may_be_to_move() {
    let mut solver = solver(8 << 20, Exactness::Shortest);
    for problem in problems("mate_composed.jsonl", 20) {
        let start = position(&problem);
        let line = mate(&solve(&mut solver, &start, None));
        let mut next = start.clone();
        let _ = next.do_move_unchecked(line.moves[0]);
        let solution = solve(&mut solver, &next, None);
        assert_eq!(solution.role, Role::Defender);
        assert_eq!(
            mate(&solution).length,
            Length::Exact(line.length.plies() - 1)
        );
        for m in &line.moves[1..] {
            let _ = next.do_move_unchecked(*m);
        }
        let mated = mate(&solve(&mut solver, &next, None));
        assert_eq!((mated.moves.len(), mated.length), (0, Length::Exact(0)));
    }
}

#[test]
fn nobody_is_mated_outside_of_check_or_without_a_king() {
    let mut solver = solver(1 << 20, Exactness::Off);
    for sfen in ["9/9/9/9/9/9/9/9/9 b 2R 1", "k8/2G6/P8/9/9/9/9/9/9 w - 1"] {
        let position = Position::from_sfen(sfen).unwrap();
        let solution = solve(&mut solver, &position, None);
        assert_eq!(solution.answer, Answer::NoMate, "{sfen}");
    }
}

/// All first moves that mate are found when they are asked for.
#[test]
fn other_first_moves() {
    let options = SolverOptions {
        multi_pv: 100,
        ..*solver(1 << 20, Exactness::Shortest).options()
    };
    let position = Position::from_sfen("8k/9/6GG1/9/9/9/9/9/9 b G 1").unwrap();
    let solution = solve(&mut Solver::new(options), &position, None);
    let best = mate(&solution);
    assert_eq!(best.length, Length::Exact(1));
    let mut others = solution.others.iter().map(|other| match &other.answer {
        Answer::Mate(line) => {
            assert_eq!(line.moves[0], other.first);
            check_line(&position, solution.role, line);
            line.length.plies()
        }
        answer => panic!("{answer:?}"),
    });
    assert!(others.all(|plies| plies % 2 == 1));
    assert!(!solution.others.is_empty());
}

/// A raised flag ends a search that has no other limit.
#[test]
fn the_stop_flag_ends_a_search() {
    let problem = &problems("classics.jsonl", 1)[0];
    let position = position(problem);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let mut solver = solver(1 << 20, Exactness::Off);
            solver.solve(
                &position,
                &MateLimits::default(),
                &stop,
                &mut SilentMateObserver,
            )
        });
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        let solution = search.join().unwrap();
        assert!(matches!(
            solution.answer,
            Answer::Unknown(Reason::Stopped) | Answer::Mate(_)
        ));
        assert!(solution.elapsed < Duration::from_secs(2));
    });
}

fn mate(solution: &Solution) -> MateLine {
    match &solution.answer {
        Answer::Mate(line) => line.clone(),
        answer => panic!("{answer:?}"),
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
