//! Problems whose answers are known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::Position;
use shogi_mate::{
    Answer, Exactness, LeafAnswer, LeafSolver, Length, MateLimits, MateLine, Reason, Role,
    SilentMateObserver, Solution, Solver, SolverOptions,
};

use crate::support::{Problem, check_line, problems, solve, solver};

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
        let _ = next.do_move(line.moves[0]);
        let solution = solve(&mut solver, &next, None);
        assert_eq!(solution.role, Role::Defender);
        assert_eq!(
            mate(&solution).length,
            Length::Exact(line.length.plies() - 1)
        );
        for m in &line.moves[1..] {
            let _ = next.do_move(*m);
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
fn stop_is_heard() {
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
