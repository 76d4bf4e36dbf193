//! Games, positions and problems as people have them, from `fixtures/trials/othello` and the FFO test suite.

use othello_core::{Game, Move, Squares};
use othello_record::{BitOrder, ParsedRecord, Problem, RecordKind, parse, parse_wthor, problems};
use serde_json::Value;

fn record(name: &str) -> ParsedRecord {
    let text = test_support::fixture_text(format!("trials/othello/{name}"));
    parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn transcripts_are_read_in_every_spelling() {
    for (file, moves) in [
        ("bom", "f5d6c3"),
        ("numbered", "f5d6c3d3c4"),
        ("dashes", "f5d6c3d3c4"),
        ("commas", "f5d6c3d3c4"),
        ("fullwidth", "f5d6c3d3c4"),
        ("score", "f5d6c3d3c4"),
    ] {
        let record = record(&format!("05-transcript-spellings/{file}.txt"));
        assert_eq!(record.kind, RecordKind::Transcript);
        assert_eq!(record.game.to_string(), moves, "{file}");
        let result = (file == "score").then_some("45-19");
        assert_eq!(record.result.as_deref(), result);
    }
}

#[test]
fn copied_bitboards_keep_their_position() {
    let copied = record("08-copied-bitboards/copied.txt");
    let canonical = record("08-copied-bitboards/canonical.txt");
    assert_eq!(copied.kind, RecordKind::Bitboards(BitOrder::H8));
    let game: Game = "f5d6c3d3c4".parse().unwrap();
    assert_eq!(copied.position(), game.position());
    let board = |record: &ParsedRecord| record.position().board();
    assert_ne!(board(&copied), board(&canonical));
    assert_eq!(
        board(&copied).canonical().board,
        board(&canonical).canonical().board
    );
}

const GAME: &str = "d3e3f4g5f5f6g6c3f7g7d2c4h6e6c5g4b3e2h5a3a2h4f3h7a4b2d1e8c1b5d6e1d7a1g8e7b1h3f2a5f1c6b4g3\
                    c7b7f8h8c8c2a6b6h2a8a7g1h1g2b8d8";

#[test]
fn games_of_all_formats_are_the_same_game() {
    for (file, kind) in [
        ("game.ggf", RecordKind::Ggf),
        ("quest.json", RecordKind::Json),
        ("numbered.pgn", RecordKind::Pgn),
        ("edax.txt", RecordKind::Transcript),
    ] {
        let record = record(&format!("09-game-files/{file}"));
        assert_eq!(record.kind, kind);
        assert_eq!(record.game.to_string(), GAME, "{file}");
        assert_eq!(record.position().board().discs(), 64);
        assert_eq!(record.position().black().count_ones(), 10);
    }
    let bytes = test_support::fixture_bytes("trials/othello/09-game-files/one.wtb");
    let games = parse_wthor(&bytes).unwrap();
    let [game] = games.as_slice() else {
        panic!("{games:?}");
    };
    assert_eq!(game.record.as_ref().unwrap().game.to_string(), GAME);
}

#[test]
fn boards_of_files_are_read() {
    let expected = "f5d6c3".parse::<Game>().unwrap().position();
    let ggs = record("09-game-files/board.ggs");
    assert_eq!(ggs.kind, RecordKind::Ggs);
    let problem = record("09-game-files/problem.obf");
    assert_eq!(problem.kind, RecordKind::Problem);
    for record in [ggs, problem] {
        assert_eq!(record.positions().collect::<Vec<_>>(), [expected]);
        assert_eq!(record.note(), None);
    }
}

// End-game problems of the FFO test suite.

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
