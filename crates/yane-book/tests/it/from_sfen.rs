//! Books from records.

use std::fs;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{Position, parse_position_line};
use yane_book::BookError;
use yane_book::db::{BadLines, LineEnd, LineProblem, MoveLine, Records};
use yane_book::from_sfen::{FromSfen, RecordInput, from_sfen};

use super::util::{files, fixture, golden, jobs, output};

fn all(name: &str) -> Vec<RecordInput> {
    vec![RecordInput::new(fixture(name))]
}

#[test]
fn books_are_those_of_the_reference() {
    let side = |name: &str| {
        if name == "no_file" {
            name.into()
        } else {
            fixture(&format!("from_sfen/{name}"))
        }
    };
    let both = |black, white| RecordInput::black_white(side(black), side(white));
    let cases = [
        (all("from_sfen/games.sfen"), 16, "fs16.db", 1),
        (all("from_sfen/games.sfen"), 3, "fs3.db", 0),
        (both("black.sfen", "white.sfen"), 12, "fsbw.db", 0),
        (both("no_file", "white.sfen"), 12, "fsnob.db", 0),
        (both("black.sfen", "no_file"), 12, "fsnow.db", 0),
    ];
    for (inputs, moves, expected, problems) in cases {
        let expected = golden(&format!("from_sfen/{expected}"));
        for job in jobs() {
            let (folder, output) = output();
            let options = FromSfen {
                moves,
                ..FromSfen::default()
            };
            let report = from_sfen(&inputs, &output, &options, &job).unwrap();
            assert_eq!(fs::read_to_string(&output).unwrap(), expected);
            assert_eq!(report.problems.count, problems);
            assert_eq!(report.positions, expected.matches("sfen ").count() as u64);
            let lines = expected.lines().count() as u64;
            assert_eq!(report.moves, lines - 1 - report.positions);
            assert_eq!(folder.names(), ["output"]);
        }
    }
    assert_eq!(FromSfen::default().moves, 16);
}

#[test]
fn a_bad_move_is_reported_with_its_line() {
    let (_folder, output) = output();
    let (options, [job, ..]) = (FromSfen::default(), jobs());
    let inputs = [all("from_sfen/black.sfen"), all("from_sfen/games.sfen")].concat();
    let black_games = golden("from_sfen/black.sfen").lines().count() as u64;
    let report = from_sfen(&inputs, &output, &options, &job).unwrap();
    let [problem] = &report.problems.first[..] else {
        panic!("one problem is expected")
    };
    assert_eq!(problem.problem, LineProblem::Illegal("5a5b".to_owned()));
    // The reference counts 21: one line is empty.
    assert_eq!((problem.line, problem.game), (22, black_games + 21));
    assert_eq!(problem.path, fixture("from_sfen/games.sfen"));
    let line = "startpos moves 2g2f 3c3d 2f2e 2b3c 7g7f 4a5b 5i5h 5a5b 5h5i";
    assert_eq!(problem.text, line);
}

#[test]
fn strict_reading_writes_nothing() {
    let (folder, output) = output();
    let options = FromSfen {
        bad_lines: BadLines::Fail,
        ..FromSfen::default()
    };
    for job in jobs() {
        let error = from_sfen(&all("from_sfen/games.sfen"), &output, &options, &job);
        assert!(matches!(error, Err(BookError::Line { line: 22, .. })));
        assert!(folder.names().is_empty());
    }
}

#[test]
fn inputs_are_added_up_in_their_order() {
    let text = "startpos moves 7g7f 3c3d 2g2f\n";
    let (_folder, input, output) = files(&text.repeat(3));
    let second = input.with_file_name("second");
    fs::write(
        &second,
        "startpos moves 7g7f 8c8d\nstartpos moves 2g2f 8c8d",
    )
    .unwrap();
    let inputs = [&input, &second].map(RecordInput::new);
    let options = FromSfen {
        line_end: LineEnd::Lf,
        ..FromSfen::default()
    };
    for job in jobs() {
        let report = from_sfen(&inputs, &output, &options, &job).unwrap();
        assert_eq!((report.games, report.positions, report.moves), (5, 2, 3));
        let expected = [
            "#YANEURAOU-DB2016 1.00",
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
            "3c3d 2g2f 0 32 3",
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "7g7f 8c8d 0 32 4",
            "2g2f 8c8d 0 32 1",
            "",
        ];
        assert_eq!(fs::read_to_string(&output).unwrap(), expected.join("\n"));
    }
    let error = from_sfen(&inputs, &second, &options, &jobs()[0]);
    assert!(matches!(
        error,
        Err(BookError::Files(yane_io::Error::OverwritesInput(_)))
    ));
}

/// A game: where it starts, and for each move which of the legal ones is played.
fn line(start: usize, choices: &[u16]) -> String {
    let starts = [
        "startpos",
        "sfen lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 31",
    ];
    let mut line = format!("{} moves", starts[start]);
    for choice in choices {
        let game = parse_position_line(&line).unwrap();
        let moves = game.position().moves::<LegalAll>();
        let Some(m) = moves.get(usize::from(*choice) % moves.len().max(1)) else {
            break;
        };
        line = format!("{line} {m}");
    }
    line
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn books_are_sorted_and_legal(
        games in prop::collection::vec(
            (0usize..3, prop::collection::vec(0u16..4, 0..12)),
            0..40,
        ),
        limit in 0usize..14,
        threads in 1usize..4,
        memory in prop_oneof![Just(1u64), Just(1 << 30)],
    ) {
        let text: Vec<_> = games.iter().map(|(start, choices)| line(*start, choices)).collect();
        let (_folder, input, output) = files(&text.join("\n"));
        let mut job = jobs()[0].clone();
        (job.threads, job.memory) = (threads, memory);
        let options = FromSfen { moves: limit, ..FromSfen::default() };
        // No start is reached from another, so no position has two move numbers.
        let played = text.iter().map(|line| {
            let moves = line.split_once("moves").map_or(0, |(_, moves)| moves.split_whitespace().count());
            moves.saturating_sub(1).min(limit) as u64
        });
        let played: u64 = played.sum();
        let report = from_sfen(&[RecordInput::new(input)], &output, &options, &job);
        if played == 0 {
            prop_assert!(report.is_err() && !output.exists());
            return Ok(());
        }
        let report = report.unwrap();
        prop_assert_eq!(report.games, games.len() as u64);
        prop_assert_eq!(report.problems.count, 0);
        let book = fs::read(&output).unwrap();
        let mut before: &[u8] = b"";
        let mut counts = 0;
        for record in Records::new(&book, 0) {
            prop_assert!(before < record.sfen);
            before = record.sfen;
            let text = std::str::from_utf8(record.sfen).unwrap();
            let position = Position::from_sfen(text).unwrap();
            prop_assert_eq!(position.to_sfen(), text);
            prop_assert!(record.lines().next().is_some());
            for (_, line) in record.lines() {
                let known = MoveLine::parse(line).unwrap().book_move;
                counts += known.count;
                let m = position.move_from_16(known.mv.unwrap()).unwrap();
                let mut next = position.clone();
                let _ = next.do_move_unchecked(m);
                prop_assert!(next.move_from_16(known.ponder.unwrap()).is_some());
            }
        }
        prop_assert!((1..=played).contains(&counts));
    }
}
