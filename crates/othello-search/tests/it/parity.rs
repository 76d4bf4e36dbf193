//! Scores of the built-in weights at even and odd depths, against exact ones on well-played positions.

use std::path::PathBuf;
use std::sync::Arc;

use othello_core::{Board, Position};
use othello_eval::Weights;
use othello_search::{Control, Goal, Limits, SearchSettings, Searcher, Selectivity};
use serde::Deserialize;

/// A position with its exact score in discs.
#[derive(Deserialize)]
struct Row {
    board: String,
    score: i32,
}

/// The mean of the scores of a depth at 74 % less the exact ones, in discs.
fn bias(positions: &[(Board, i32)], depth: u32) -> f64 {
    let settings = SearchSettings {
        hash_bytes: 16 << 20,
        threads: 1,
    };
    let mut searcher = Searcher::new(settings, Arc::new(Weights::built_in()));
    let goal = Goal::new(depth, Selectivity::P74, 1);
    let errors = positions.iter().map(|&(board, score)| {
        let (limits, control) = (Limits::default(), Control::default());
        let found = searcher.search(board, goal, limits, &control, &mut ());
        f64::from(found.score - score)
    });
    errors.sum::<f64>() / positions.len() as f64
}

/// How far the mean biases of even and odd depths are apart.
fn step_of_parity(positions: &[(Board, i32)], depths: std::ops::RangeInclusive<u32>) -> f64 {
    let biases: Vec<f64> = depths.map(|depth| bias(positions, depth)).collect();
    println!("biases: {biases:.2?}");
    let even = biases.iter().step_by(2).sum::<f64>() / biases.len().div_ceil(2) as f64;
    let odd = biases[1..].iter().step_by(2).sum::<f64>() / (biases.len() / 2) as f64;
    (even - odd).abs()
}

#[test]
fn scores_of_even_and_odd_depths_are_alike() {
    let rows: Vec<Row> = test_support::fixture_rows("othello/eval/well-played.jsonl");
    let positions: Vec<(Board, i32)> = rows
        .into_iter()
        .map(|row| (row.board.parse::<Position>().unwrap().board(), row.score))
        .collect();
    assert!(positions.len() >= 200);
    let step = step_of_parity(&positions, 6..=9);
    assert!(step < 0.3, "{step}");
}

/// With `hard-30.obf` of neural-reversi in the folder `OTHELLO_HARD`: see `docs/othello-weights.md`.
#[test]
#[ignore = "takes a minute, and a file that is not part of the workspace"]
fn scores_of_hard_positions_are_alike_at_even_and_odd_depths() {
    let folder = std::env::var_os("OTHELLO_HARD").expect("OTHELLO_HARD names a folder");
    let path = PathBuf::from(folder).join("hard-30.obf");
    let text = std::fs::read_to_string(&path).unwrap();
    let positions: Vec<(Board, i32)> = text
        .lines()
        .map(|line| {
            let problem: othello_record::Problem = line.parse().unwrap();
            let board = problem.position.board();
            (board, problem.score().expect("a problem with scores"))
        })
        .collect();
    assert_eq!(positions.len(), 289);
    let step = step_of_parity(&positions, 12..=15);
    assert!(step < 0.3, "{step}");
}
