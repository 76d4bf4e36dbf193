//! Searches with an evaluation at the leaves.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use othello_core::{Board, Move, Square, State};
use othello_eval::Weights;
use othello_search::{Control, Goal, Limits, PlayLevel, SearchSettings, Searcher, Selectivity};
use test_support::SplitMix64;

use crate::endgame::{check_line, problems, random_board};

static WEIGHTS: LazyLock<Arc<Weights>> = LazyLock::new(|| Arc::new(Weights::untrained()));

fn searcher(threads: usize) -> Searcher {
    let settings = SearchSettings {
        hash_bytes: 1 << 20,
        threads,
    };
    Searcher::new(settings, Arc::clone(&WEIGHTS))
}

fn full_width(depth: u32, lines: usize) -> Goal {
    Goal::new(depth, Selectivity::Exact, lines)
}

/// The score of a board by trying everything to a depth.
fn naive(weights: &Weights, board: Board, depth: u32) -> i32 {
    if board.mover() == 0 {
        return -64;
    }
    if depth == 0 {
        return weights.main().discs(weights.main().evaluate(board));
    }
    match board.state() {
        State::Over => board.score(),
        State::Pass => -naive(weights, board.passed(), depth),
        State::Moves => {
            let moves = board.legal_moves().iter();
            let scores =
                moves.map(|square| -naive(weights, board.play_unchecked(square), depth - 1));
            scores.max().unwrap()
        }
    }
}

#[test]
fn full_width_searches_are_as_trying_everything() {
    let weights = &WEIGHTS;
    let mut has_tenths = false;
    let mut random = SplitMix64::new(7);
    for n in 0..2000 {
        let board = random_board(&mut random, 30 + n % 20);
        let depth = 1 + n % 4;
        let (goal, limits) = (full_width(depth, 1), Limits::default());
        let result = searcher(1).search(board, goal, limits, &Control::default(), &mut ());
        let line = &result.lines[0];
        assert_eq!(
            result.score,
            naive(weights, board, depth),
            "{board:?} {depth}"
        );
        assert_eq!((line.depth, line.is_exact), (depth, false));
        assert!((line.tenths - 10 * line.score).abs() <= 5, "{line:?}");
        has_tenths |= line.tenths % 10 != 0;
        let mut now = board;
        for &mv in &line.pv {
            now = now.after(mv).expect("a legal line");
        }
    }
    assert!(has_tenths);
}

#[test]
fn every_move_is_valued() {
    let weights = &WEIGHTS;
    let mut random = SplitMix64::new(8);
    for _ in 0..20 {
        let board = random_board(&mut random, 40);
        let goal = full_width(3, usize::MAX);
        let control = Control::default();
        let result = searcher(1).search(board, goal, Limits::default(), &control, &mut ());
        if board.state() == State::Pass {
            continue;
        }
        assert_eq!(result.lines.len(), board.legal_moves().len() as usize);
        for line in &result.lines {
            let Move::Place(square) = line.best else {
                panic!("a pass among moves")
            };
            let after = board.play_unchecked(square);
            assert_eq!(line.score, -naive(weights, after, 2), "{board:?} {square}");
        }
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let squares: Vec<Square> = ["c4", "e6"].map(|name| name.parse().unwrap()).to_vec();
    let goal = full_width(4, 9);
    let result = searcher(1).search_moves(
        Board::START,
        Some(&squares),
        goal,
        Limits::default(),
        &Control::default(),
        &mut (),
    );
    let mut found: Vec<_> = result
        .lines
        .iter()
        .map(|line| line.best.to_string())
        .collect();
    found.sort();
    assert_eq!(found, ["c4", "e6"]);
}

#[test]
fn searches_end_that_the_table_contradicts() {
    // A search of four plies of this board went to and fro between two windows without end.
    let moves = "f5f4e3f6g6f2c4g5e2d3f3g3d2d1h6h4f7c1h5h7e6c2g4e8h2b5c3b4f8c5d6g7d8c7c6b6d7e7c8h3";
    let game: othello_core::Game = moves.parse().unwrap();
    let settings = SearchSettings {
        hash_bytes: 4 << 20,
        threads: 1,
    };
    let mut searcher = Searcher::new(settings, Arc::new(Weights::built_in()));
    for depth in [4, 3, 6, 5, 8] {
        let (goal, limits) = (full_width(depth, 1), Limits::default());
        let board = game.position().board();
        let result = searcher.search(board, goal, limits, &Control::default(), &mut ());
        assert_eq!(result.lines[0].depth, depth);
    }
}

#[test]
fn selective_searches_to_the_end_are_nearly_right() {
    let mut searcher = searcher(1);
    let (mut error, mut count) = (0, 0);
    for problem in problems("endgame/selfplay180.jsonl") {
        let empties = problem.board.empty().len();
        if empties > 18 {
            continue;
        }
        searcher.clear();
        let goal = Goal::new(empties, Selectivity::P93, 1);
        let control = Control::default();
        let result = searcher.search(problem.board, goal, Limits::default(), &control, &mut ());
        assert!(!result.lines[0].is_exact);
        error += (result.score - problem.score).abs();
        count += 1;
    }
    // With the untrained evaluation they err by 2.8 discs on average.
    assert!(
        count > 50 && 2 * error <= 7 * count,
        "{error} discs in {count}"
    );
}

#[test]
fn levels_play_whole_games_on_any_number_of_threads() {
    for (threads, level) in [(1, PlayLevel::Egaroucid(5)), (2, PlayLevel::Edax(11))] {
        let mut searcher = searcher(threads);
        let mut board = Board::START;
        while !board.is_over() {
            // From 20 empty squares on it is exact anyway.
            let empties = board.empty().len();
            let goal = if (22..=52).contains(&empties) {
                PlayLevel::Edax(4).goal(empties, 1)
            } else {
                level.goal(empties, 1)
            };
            let control = Control::default();
            let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
            if result.lines[0].is_exact {
                check_line(board, &result.lines[0].pv, result.score);
            }
            board = board.after(result.best().unwrap()).expect("a legal move");
        }
    }
}

#[test]
fn time_ends_a_search_with_what_is_known() {
    let start = Instant::now();
    let limits = Limits {
        until: Some(start + Duration::from_millis(200)),
        ..Limits::default()
    };
    let goal = PlayLevel::Egaroucid(60).goal(60, 1);
    let result = searcher(1).search(Board::START, goal, limits, &Control::default(), &mut ());
    assert!(result.is_interrupted && !result.lines.is_empty());
    assert!(start.elapsed() < Duration::from_secs(2));
}
