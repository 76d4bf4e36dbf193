//! End-game problems of the FFO test suite.

use othello_core::{Move, Squares};
use othello_record::{Problem, problems};
use serde_json::Value;

/// The text of a file of `fixtures/othello`.
fn text(name: &str) -> String {
    test_support::fixture_text(format!("othello/{name}"))
}

fn best(problem: &Problem) -> Vec<String> {
    let best = problem
        .answers
        .iter()
        .filter(|a| Some(a.1) == problem.score());
    let mut best: Vec<_> = best.map(|(mv, _)| mv.to_string()).collect();
    best.sort_unstable();
    best
}

#[test]
fn problems_are_read_whole_and_their_moves_are_legal() {
    let files = ["1-19", "20-39", "40-59", "60-79"];
    let all: String = files
        .map(|range| text(&format!("ffo/fforum-{range}.obf")))
        .concat();
    let read: Vec<Problem> = problems(&all)
        .map(|(_, problem)| problem.unwrap())
        .collect();
    let rows: Vec<Value> = test_support::fixture_rows("othello/ffo/ffo.jsonl");
    assert_eq!(read.len(), rows.len());
    for (problem, row) in read.iter().zip(&rows) {
        assert_eq!(problem.position.to_string(), row["board"].as_str().unwrap());
        let board = problem.position.board();
        assert_eq!(Some(u64::from(64 - board.discs())), row["empties"].as_u64());
        assert_eq!(problem.score().map(i64::from), row["score"].as_i64());
        let mut expected: Vec<_> = row["best"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s.as_str().unwrap())
            .collect();
        expected.sort_unstable();
        assert_eq!(best(problem), expected);
        let moves: Squares = problem
            .answers
            .iter()
            .filter_map(|&(mv, _)| {
                if let Move::Place(square) = mv {
                    Some(square)
                } else {
                    None
                }
            })
            .collect();
        assert_eq!(moves.0 & !board.legal_moves().0, 0);
        if row["moves_complete"] == true {
            assert_eq!(moves, board.legal_moves());
        }
        assert_eq!(problem.to_string().parse().as_ref(), Ok(problem));
    }
}
