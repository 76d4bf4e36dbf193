//! Text that cannot be read.

use pack_format::text::{TextLine, TextProblem, TextReadError, csv, jsonl};
use shogi_core::Position;

use super::text::{AFTER_34FU, AFTER_76FU, START, read_csv, sample, short_game};

/// The line of [`short_game`] with a part replaced.
fn game_line(from: &str, to: &str) -> String {
    let mut line = Vec::new();
    jsonl::write_game(&mut line, 3, 40, &short_game());
    let line = String::from_utf8(line).unwrap();
    assert!(line.contains(from), "{from}");
    line.replacen(from, to, 1)
}

#[test]
fn enough_fields_are_a_game() {
    let line = format!(
        r#"{{"reason": 0, "result": 1, "scores": [100, -100], "moves": "7g7f 3c3d", "start_sfen": "{START}", "who": ["me", {{}}], "note": null}}"#
    );
    assert_eq!(jsonl::parse_line(&line), Ok(TextLine::Game(short_game())));
    for field in ["start_sfen", "moves", "scores", "result", "reason"] {
        let line = line.replacen(&format!("\"{field}\""), "\"other\"", 1);
        assert_eq!(
            jsonl::parse_line(&line),
            Err(TextProblem::Missing(field)),
            "{line}"
        );
    }
    // A selection of games keeps the numbers and offsets of the file it is from.
    assert!(jsonl::parse_line(&game_line("\"offset\": 40", "\"offset\": 7")).is_ok());
}

#[test]
fn wrong_fields_of_games_are_named() {
    let final_sfen = format!("\"{AFTER_34FU} 3\"");
    for (from, to, message) in [
        (
            "\"start_kind\": 1",
            "\"start_kind\": 2",
            "field \"start_kind\": expected 0 (hcp) or 1 (initial), found 2",
        ),
        (
            "b - 1\"",
            "b - 2\"",
            "field \"start_kind\": 1, but by the other fields it is 0",
        ),
        (
            "b - 1\"",
            "b - x\"",
            "field \"start_sfen\": ply field: expected a number, found \"x\"",
        ),
        (
            "b - 1\"",
            "b - 65536\"",
            "ply 65536 of the start position is above 65535",
        ),
        (
            "\"game_ply\": 1",
            "\"game_ply\": 3",
            "field \"game_ply\": 3, but by the other fields it is 1",
        ),
        (
            "0x0081",
            "0x0102",
            "field \"terminator\": 0x0102, but by the other fields it is 0x0081",
        ),
        (
            "\"result\": 1",
            "\"result\": 3",
            "field \"result\": expected 0 (draw), 1 (black) or 2 (white), found 3",
        ),
        (
            "\"result\": 1",
            "\"result\": \"black\"",
            "column 180: field \"result\": invalid type: string \"black\", expected i64",
        ),
        (
            "\"reason\": 0",
            "\"reason\": 256",
            "field \"reason\": expected a number from 0 to 255, found 256",
        ),
        (
            "\"plies\": 2",
            "\"plies\": 3",
            "field \"plies\": 3, but by the other fields it is 2",
        ),
        (
            "3c3d\"",
            "3c3e\"",
            "field \"moves\", ply 2: illegal move 3c3e",
        ),
        (
            "3c3d\"",
            "3z3d\"",
            "field \"moves\", ply 2: \"3z3d\" is not a move",
        ),
        (" 3c3d\"", "\"", "field \"scores\": 2 entries for 1 moves"),
        (
            "7739",
            "7740",
            "field \"move16\": 7740, but by the other fields it is 7739",
        ),
        ("7739, ", "", "field \"move16\": 1 entries for 2 moves"),
        (
            "-100]",
            "-100, 5]",
            "field \"scores\": 3 entries for 2 moves",
        ),
        (
            "-100]",
            "40000]",
            "field \"scores\": expected a number from -32768 to 32767, found 40000",
        ),
        (
            &final_sfen,
            "\"4k4/9/9/9/9/9/9/9/4K4 b - 1\"",
            &format!(
                "field \"final_sfen\": 4k4/9/9/9/9/9/9/9/4K4 b - 1, but by the other fields it is {AFTER_34FU} 3"
            ),
        ),
        (
            "\"bytes\": 12",
            "\"bytes\": 13",
            "field \"bytes\": 13, but by the other fields it is 12",
        ),
        (
            "\"bytes\": 12",
            "\"start_hcp\": \"00\"",
            "field \"start_hcp\": expected a position as 64 hexadecimal digits, found \"00\"",
        ),
    ] {
        let problem = jsonl::parse_line(&game_line(from, to)).unwrap_err();
        assert_eq!(problem.to_string(), message, "{from} -> {to}");
    }
}

#[test]
fn lines_that_are_no_data_are_faults() {
    let problem = |line: &str| jsonl::parse_line(line).unwrap_err().to_string();
    assert_eq!(problem("{}"), TextProblem::Unknown.to_string());
    assert_eq!(problem("[]"), "column 1: not a JSON object");
    assert_eq!(
        problem("{\"move\": "),
        "column 9: field \"move\": EOF while parsing a value"
    );
    assert_eq!(
        problem(r#"{"moves": "", "moves": ""}"#),
        "column 21: duplicate field `moves`"
    );
    assert_eq!(
        problem(r#"{"move": "7g7f"} x"#),
        "column 18: text behind the JSON object"
    );
    let record =
        format!(r#"{{"sfen": "{START} 4", "move": "7g7f", "score": 1, "result": 0, "ply": 4}}"#);
    assert!(jsonl::parse_line(&record).is_ok());
    assert_eq!(
        problem(&record.replace("\"ply\": 4", "\"ply\": 5")),
        "field \"ply\": 5, but by the other fields it is 4"
    );
    assert_eq!(
        problem(&record.replace("7g7f", "7g7e")),
        "field \"move\": illegal move 7g7e"
    );
    assert_eq!(
        problem(&record.replace(" b ", " x ")),
        "field \"sfen\": side field: expected b or w, found \"x\""
    );
    for field in ["sfen", "move", "score", "result"] {
        assert_eq!(
            problem(&record.replacen(&format!("\"{field}\""), "\"_\"", 1)),
            format!("field \"{field}\" is missing")
        );
    }
}

#[test]
fn wrong_fields_of_hcpe3_games_are_named() {
    let good = format!(
        r#"{{"start_sfen": "{START} 1", "moveNum": 1, "result": 4, "gameInfo": 0, "moves": "7g7f", "evals": [1], "candidates": [[["7g7f", 9], ["2g2f", 1]]], "bytes": 50}}"#
    );
    assert!(matches!(jsonl::parse_line(&good), Ok(TextLine::Hcpe3(_))));
    for (from, to, message) in [
        (" 1\"", " 7\"", format!("field \"start_sfen\": {START} 7, but by the other fields it is {START} 1")),
        ("\"moveNum\": 1", "\"moveNum\": 2", "field \"moveNum\": 2, but by the other fields it is 1".to_owned()),
        ("\"result\": 4", "\"result\": 7", "field \"result\": expected 0, 1 or 2, with 4 (repetition), 8 (declaration), 16 (max moves) added, found 7".to_owned()),
        ("\"gameInfo\": 0", "\"gameInfo\": -1", "field \"gameInfo\": expected a number from 0 to 255, found -1".to_owned()),
        ("\"moves\": \"7g7f\"", "\"moves\": \"7g7e\"", "field \"moves\", ply 1: illegal move 7g7e".to_owned()),
        ("[1]", "[1, 2]", "field \"evals\": 2 entries for 1 moves".to_owned()),
        ("[[[", "[[],[[", "field \"candidates\": 2 entries for 1 moves".to_owned()),
        ("2g2f", "2g2e", "field \"candidates\", ply 1: illegal move 2g2e".to_owned()),
        ("2g2f", "2g", "field \"candidates\", ply 1: \"2g\" is not a move".to_owned()),
        ("\"2g2f\", 1", "\"2g2f\", 65536", "field \"candidates\": expected visits from 0 to 65535, found 65536".to_owned()),
        ("\"bytes\": 50", "\"bytes\": 51", "field \"bytes\": 51, but by the other fields it is 50".to_owned()),
        ("\"2g2f\", 1", "\"2g2f\"", "column 192: field \"candidates[0][1]\": invalid length 1, expected a tuple of size 2".to_owned()),
    ] {
        assert!(good.contains(from), "{from}");
        let problem = jsonl::parse_line(&good.replacen(from, to, 1)).unwrap_err();
        assert_eq!(problem.to_string(), message, "{from} -> {to}");
    }
    for field in [
        "start_sfen",
        "moves",
        "evals",
        "candidates",
        "result",
        "gameInfo",
    ] {
        let line = good.replacen(&format!("\"{field}\""), "\"_\"", 1);
        assert_eq!(jsonl::parse_line(&line), Err(TextProblem::Missing(field)));
    }
}

/// What a reader gives, problems as text.
fn outcomes(
    lines: impl Iterator<Item = Result<TextLine, TextReadError>>,
) -> Vec<Result<TextLine, String>> {
    lines
        .map(|line| line.map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn a_reader_goes_on_behind_a_faulty_line() {
    let good = game_line("", "");
    let text = format!("\u{feff}{good}\r\n\n{{}}\n{}", good.trim_end());
    let game = || Ok(TextLine::Game(short_game()));
    let problem = Err(format!("line 4: {}", TextProblem::Unknown));
    let mut text = text.into_bytes();
    assert_eq!(
        outcomes(jsonl::JsonlReader::new(text.as_slice())),
        [game(), problem.clone(), game()]
    );
    text.extend_from_slice(b"\n{\xff}");
    assert_eq!(
        outcomes(jsonl::JsonlReader::new(text.as_slice())),
        [
            game(),
            problem,
            game(),
            Err("line 6: not UTF-8 from byte 2 of the line on".to_owned())
        ]
    );
}

#[test]
fn columns_are_found_by_name() {
    let text = format!(
        "\u{feff}Result;,move,\"sfen\",score,RESULT,remark\r\n\
         ,7g7f,\"{START} 1\", -30 ,White,\"a, \"\"b\"\"\"\r\n"
    );
    assert_eq!(read_csv(text.as_bytes()), [TextLine::Sample(sample(None))]);
    for name in ["sfen", "move", "score", "result"] {
        let text = csv::HEADER.replace(name, "_");
        assert_eq!(
            outcomes(csv::CsvReader::new(text.as_bytes())),
            [Err(format!("line 1: field \"{name}\" is missing"))]
        );
    }
    assert_eq!(read_csv(b""), []);
    assert_eq!(read_csv(csv::HEADER.as_bytes()), []);
}

#[test]
fn a_faulty_row_spoils_its_game_only() {
    let game = |number: u32| {
        format!(
            "{number},1,{START} 1,7g7f,100,black,resign\n\
             {number},2,{AFTER_76FU} 2,3c3d,-100,1,0\n"
        )
    };
    let header = csv::HEADER;
    let good = || Ok(TextLine::Game(short_game()));
    let lone = format!(",,{START} 1,7g7f,-30,2,\n");
    let read = |text: &str| outcomes(csv::CsvReader::new(text.as_bytes()));
    let (zero, one, two) = (game(0), game(1), game(2));
    assert_eq!(
        read(&format!("{header}{zero}{lone}{one}{header}{one}")),
        [good(), Ok(TextLine::Sample(sample(None))), good(), good()]
    );
    for (from, to, message) in [
        ("3c3d", "3c3e", "field \"move\": illegal move 3c3e".to_owned()),
        (",2,lns", ",3,lns", "field \"ply\": 3, but by the other fields it is 2".to_owned()),
        ("100,black", "1x,black", "field \"score\": expected a number from -32768 to 32767, found \"1x\"".to_owned()),
        (",black", ",red", "field \"result\": expected draw, black, white, 0, 1 or 2, found \"red\"".to_owned()),
        (",1,0", ",0,0", "field \"result\": draw, but by the other fields it is black".to_owned()),
        (",1,0", ",1,4", "field \"reason\": time up, but by the other fields it is resign".to_owned()),
        (",1,0", ",1,gone", "field \"reason\": expected an end reason's name or a number from 0 to 255, found \"gone\"".to_owned()),
        (",1,0", ",1", "6 fields, expected 7 as in the header".to_owned()),
        (",1,0", ",1,\"0", "field 7: a quote that is not closed, or text behind one".to_owned()),
        (",3c3d", ",", "field \"move\" is missing".to_owned()),
        (AFTER_76FU, AFTER_34FU, "field \"move\": illegal move 3c3d".to_owned()),
        ("7g7f", "2g2f", format!("field \"sfen\": not the position after the row before, {} 2", {
            let mut after = Position::startpos();
            let _ = after.do_move_unchecked(after.move_from_usi("2g2f").unwrap());
            after.to_sfen_without_ply()
        })),
    ] {
        assert!(one.contains(from), "{from}");
        let line = if one.find(from) < one.find('\n') && from != "7g7f" { 4 } else { 5 };
        let bad = one.replacen(from, to, 1);
        assert_eq!(
            read(&format!("{header}{zero}{bad}{two}")),
            [good(), Err(format!("line {line}: {message}")), good()],
            "{from} -> {to}"
        );
    }
    // A row of nobody's that cannot be read takes no game with it.
    let bad = lone.replace("7g7f", "7g7e");
    assert_eq!(
        read(&format!("{header}{zero}{bad}{two}")),
        [
            good(),
            Err("line 4: field \"move\": illegal move 7g7e".to_owned()),
            good()
        ]
    );
}

#[test]
fn a_stream_that_fails_is_an_error_once() {
    struct Failing;
    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let text = format!("{}0,1,{START} 1,7g7f,100,black,resign\n", csv::HEADER);
    let stream = std::io::BufReader::new(std::io::Read::chain(text.as_bytes(), Failing));
    // The game may have gone on.
    assert_eq!(
        outcomes(csv::CsvReader::new(stream)),
        [Err("gone".to_owned())]
    );
    let stream = std::io::BufReader::new(Failing);
    assert_eq!(
        outcomes(jsonl::JsonlReader::new(stream)),
        [Err("gone".to_owned())]
    );
}
