//! Exact end games: answers of public programs, and of trying everything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use othello_core::{Board, Game, Move, Position, State};
use othello_eval::Weights;
use othello_search::{
    Control, Goal, Limits, Observer, SearchLine, SearchResult, SearchSettings, Searcher, negamax,
};
use serde_json::Value;
use test_support::SplitMix64;

/// A position with the exact scores of its moves.
pub(crate) struct Problem {
    pub(crate) board: Board,
    pub(crate) score: i32,
    pub(crate) moves: BTreeMap<String, i32>,
}

/// The problems of a file under `fixtures/othello`.
pub(crate) fn problems(path: &str) -> Vec<Problem> {
    let rows: Vec<Value> = test_support::fixture_rows(&format!("othello/{path}"));
    let problem = |row: Value| {
        let position: Position = row["board"].as_str().unwrap().parse().unwrap();
        let moves = row["moves"].as_object().unwrap();
        Problem {
            board: position.board(),
            score: row["score"].as_i64().unwrap() as i32,
            moves: moves
                .iter()
                .map(|(name, score)| (name.clone(), score.as_i64().unwrap() as i32))
                .collect(),
        }
    };
    rows.into_iter().map(problem).collect()
}

fn searcher(threads: usize) -> Searcher {
    let settings = SearchSettings {
        hash_bytes: 16 << 20,
        threads,
    };
    Searcher::new(settings, Arc::new(Weights::untrained()))
}

fn solve(searcher: &mut Searcher, board: Board, lines: usize) -> SearchResult {
    searcher.search(
        board,
        Goal::exact(lines),
        Limits::default(),
        &Control::default(),
        &mut (),
    )
}

/// Checks the score, the best move, and that the line leads to the score.
fn check(problem: &Problem, result: &SearchResult) {
    let board = problem.board;
    assert!(!result.is_interrupted);
    assert_eq!(result.score, problem.score, "{board:?}");
    let line = &result.lines[0];
    let best = line.best.to_string();
    assert_eq!(problem.moves[&best], problem.score, "{board:?} {best}");
    assert_eq!(
        end_of(board, &line.pv),
        Some(problem.score),
        "{board:?} {line:?}"
    );
}

/// The score at the end of a line that is played to the end of the game.
fn end_of(board: Board, pv: &[Move]) -> Option<i32> {
    let mut side = 1;
    let mut now = board;
    for &mv in pv {
        now = now.after(mv)?;
        side = -side;
    }
    now.is_over().then(|| side * now.score())
}

/// Checks that a line leads to the end of the game with a score.
#[track_caller]
pub(crate) fn check_line(board: Board, pv: &[Move], score: i32) {
    assert_eq!(end_of(board, pv), Some(score), "{board:?} {pv:?}");
}

fn check_all(path: &str, searcher: &mut Searcher, of: impl Fn(&Problem) -> bool) -> u64 {
    let problems = problems(path);
    let chosen = problems.iter().filter(|problem| of(problem));
    let nodes = chosen.map(|problem| {
        let result = solve(searcher, problem.board, 1);
        check(problem, &result);
        result.nodes
    });
    nodes.sum()
}

/// A random board with so many empty squares, on which somebody can move.
pub(crate) fn random_board(random: &mut SplitMix64, empties: u32) -> Board {
    loop {
        let mut game = Game::default();
        while game.position().board().empty().len() > empties {
            let board = game.position().board();
            let mv = match board.state() {
                State::Moves => {
                    let moves = board.legal_moves();
                    let n = random.next_u64() % u64::from(moves.len());
                    Move::Place(moves.iter().nth(n as usize).unwrap())
                }
                State::Pass => Move::Pass,
                State::Over => break,
            };
            game.play_unchecked(mv);
        }
        let board = game.position().board();
        if board.empty().len() == empties && !board.is_over() {
            return board;
        }
    }
}

#[test]
fn small_boards_are_solved_as_by_trying_everything() {
    let mut random = SplitMix64::new(34);
    let mut searcher = searcher(1);
    for n in 0..4000 {
        let board = random_board(&mut random, 1 + n % 8);
        let result = solve(&mut searcher, board, 1);
        assert_eq!(result.score, negamax(board), "{board:?}");
        assert_eq!(
            end_of(board, &result.lines[0].pv),
            Some(result.score),
            "{board:?}"
        );
    }
}

#[test]
fn every_move_has_its_score() {
    let mut searcher = searcher(1);
    for problem in problems("endgame/random.jsonl").iter().take(80) {
        let result = solve(&mut searcher, problem.board, usize::MAX);
        assert_eq!(result.lines.len(), problem.moves.len());
        for line in &result.lines {
            assert_eq!(
                line.score,
                problem.moves[&line.best.to_string()],
                "{:?}",
                problem.board
            );
            assert_eq!(end_of(problem.board, &line.pv), Some(line.score));
        }
        assert!(result.lines.is_sorted_by(|a, b| a.score >= b.score));
    }
}

#[test]
fn random_positions_are_solved() {
    check_all("endgame/random.jsonl", &mut searcher(1), |_| true);
}

#[test]
fn positions_of_games_are_solved() {
    check_all("endgame/selfplay180.jsonl", &mut searcher(1), |problem| {
        problem.board.empty().len() <= 17
    });
}

/// `cargo test --release -p yane-othello-search -- --ignored` runs these.
#[test]
#[ignore = "takes minutes without optimisation"]
fn all_positions_of_games_are_solved() {
    let nodes = check_all("endgame/selfplay180.jsonl", &mut searcher(1), |_| true);
    println!("{nodes} nodes");
}

/// Solves the FFO problems with these numbers with the built-in weights.
fn solve_ffo(numbers: std::ops::RangeInclusive<u64>) {
    let settings = SearchSettings {
        hash_bytes: 256 << 20,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut searcher = Searcher::new(settings, Arc::new(Weights::built_in()));
    let rows: Vec<Value> = test_support::fixture_rows("othello/ffo/ffo.jsonl");
    for row in rows {
        let id = row["id"].as_u64().unwrap();
        if !numbers.contains(&id) {
            continue;
        }
        let position: Position = row["board"].as_str().unwrap().parse().unwrap();
        let result = solve(&mut searcher, position.board(), 1);
        let score = row["score"].as_i64().unwrap() as i32;
        assert_eq!(result.score, score, "problem {id}");
        let best = result.lines[0].best.to_string();
        let all = row["best"].as_array().unwrap();
        assert!(
            all.iter().any(|known| *known == *best),
            "problem {id}: {best}"
        );
        assert_eq!(end_of(position.board(), &result.lines[0].pv), Some(score));
        println!("problem {id}: {score:+}, {} nodes", result.nodes);
    }
}

#[test]
fn the_first_ffo_problems_are_solved() {
    solve_ffo(1..=12);
}

/// Half a minute on one processor.
#[test]
#[ignore = "takes minutes without optimisation"]
fn ffo_problems_to_44_are_solved() {
    solve_ffo(13..=44);
}

/// A quarter of an hour on one processor.
#[test]
#[ignore = "takes a quarter of an hour"]
fn ffo_problems_to_59_are_solved() {
    solve_ffo(45..=59);
}

#[test]
fn threads_find_the_same() {
    check_all("endgame/selfplay180.jsonl", &mut searcher(3), |problem| {
        problem.board.empty().len() <= 17
    });
}

#[test]
fn a_search_with_one_thread_is_the_same_each_time() {
    let problems = problems("endgame/random.jsonl");
    let run = || {
        let mut searcher = searcher(1);
        let results = problems.iter().map(|problem| {
            let result = solve(&mut searcher, problem.board, 2);
            (result.nodes, result.lines)
        });
        results.collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_stop_ends_the_search_at_once() {
    let board = Board::START;
    for threads in [1, 2] {
        let mut searcher = searcher(threads);
        let control = Control::default();
        let (result, late) = std::thread::scope(|scope| {
            let stopper = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                control.stop();
                Instant::now()
            });
            let result =
                searcher.search(board, Goal::exact(1), Limits::default(), &control, &mut ());
            (result, stopper.join().unwrap().elapsed())
        });
        assert!(result.is_interrupted);
        // 10 ms and what a busy machine adds.
        assert!(late < Duration::from_millis(500), "{late:?}");
    }
}

#[test]
fn limits_end_the_search() {
    let nodes = Limits {
        nodes: Some(200_000),
        ..Limits::default()
    };
    let time = Limits {
        until: Some(Instant::now() + Duration::from_millis(30)),
        ..Limits::default()
    };
    for limits in [nodes, time] {
        let control = Control::default();
        let result = searcher(1).search(Board::START, Goal::exact(1), limits, &control, &mut ());
        assert!(result.is_interrupted);
        assert!(
            limits
                .nodes
                .is_none_or(|_| (200_000..900_000).contains(&result.nodes))
        );
    }
}

/// Keeps the last best line of a finished iteration.
#[derive(Default)]
struct LastLine(Option<SearchLine>);

impl Observer for LastLine {
    fn line(&mut self, _: usize, line: &SearchLine, _: u64, _: Duration) {
        self.0 = Some(line.clone());
    }
}

#[test]
fn a_better_move_of_an_unfinished_iteration_counts() {
    let mut better = 0;
    for problem in problems("endgame/selfplay180.jsonl").iter().take(12) {
        let mut searcher = searcher(1);
        for nodes in (1..60).map(|n| n * 200) {
            searcher.clear();
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let mut last = LastLine::default();
            let control = Control::default();
            let goal = Goal::exact(1);
            let result = searcher.search(problem.board, goal, limits, &control, &mut last);
            let (Some(line), Some(last)) = (result.lines.first(), last.0) else {
                continue;
            };
            if !result.is_interrupted || line.best == last.best {
                continue;
            }
            // Only of a deeper or a surer search, and never as the last word.
            let order = |line: &SearchLine| (line.depth, line.selectivity);
            assert!(order(line) > order(&last) && !line.is_exact, "{line:?}");
            assert_eq!(line.pv.first(), Some(&line.best));
            better += 1;
        }
    }
    assert!(better > 5, "{better}");
}

#[test]
fn finished_games_have_their_score() {
    let board = Board::new(0b11, 0).unwrap();
    let result = solve(&mut searcher(1), board, 1);
    assert!(result.lines.is_empty() && !result.is_interrupted);
    assert_eq!(result.score, 64);
    assert_eq!(solve(&mut searcher(1), board.passed(), 1).score, -64);
}

#[test]
fn a_forced_pass_is_a_move() {
    let mut random = SplitMix64::new(5);
    let boards = std::iter::repeat_with(|| random_board(&mut random, 7));
    let mut searcher = searcher(1);
    for board in boards.filter(|board| board.state() == State::Pass).take(20) {
        let result = solve(&mut searcher, board, 3);
        assert_eq!(result.lines[0].best, Move::Pass);
        assert_eq!(result.score, negamax(board));
        assert_eq!(end_of(board, &result.lines[0].pv), Some(result.score));
    }
}
