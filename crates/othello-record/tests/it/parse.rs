//! Round trips in all spellings, and errors for texts that are no game or position.

use othello_core::{Game, Move, Position, Side, State};
use othello_record::{
    BitOrder, Error, ParsedRecord, Problem, RecordKind, diagram, parse, parse_all, parse_lines,
};
use proptest::prelude::*;

/// A game of moves chosen by numbers.
fn game() -> impl Strategy<Value = Game> {
    prop::collection::vec(any::<u16>(), 1..64).prop_map(|choices| {
        let mut game = Game::default();
        for choice in choices {
            let board = game.position().board();
            let moves = board.legal_moves();
            let mv = match board.state() {
                State::Moves => moves
                    .iter()
                    .nth(usize::from(choice) % moves.len() as usize)
                    .map(Move::Place),
                State::Pass => Some(Move::Pass),
                State::Over => None,
            };
            let Some(mv) = mv else { break };
            game.play_unchecked(mv);
        }
        // A pass at the end does not follow from later moves.
        while game.moves().last() == Some(&Move::Pass) {
            game.undo();
        }
        game
    })
}

fn ok(text: &str) -> ParsedRecord {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The moves with signs between them, every one as `spell` has it.
fn joined(game: &Game, between: &str, spell: impl Fn(usize, Move) -> String) -> String {
    let moves = game.moves().iter().enumerate();
    let moves: Vec<_> = moves.map(|(n, &mv)| spell(n, mv)).collect();
    moves.join(between)
}

fn full_width(text: &str) -> String {
    let wide = |c: char| match c {
        '!'..='~' => char::from_u32(c as u32 + 0xfee0).unwrap(),
        c => c,
    };
    text.chars().map(wide).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn transcripts_are_read_back_in_every_spelling(game in game()) {
        let plain = |_: usize, mv: Move| mv.to_string();
        let upper = |_: usize, mv: Move| mv.to_string().to_uppercase();
        let pass = |word: &'static str| move |_: usize, mv: Move| match mv {
            Move::Pass => word.to_owned(),
            mv @ Move::Place(_) => mv.to_string(),
        };
        let pairs = |n: usize, mv: Move| match n % 2 {
            0 => format!("{}. {mv}", n / 2 + 1),
            _ => mv.to_string(),
        };
        let edax = game.to_edax();
        for text in [
            game.to_string(),
            edax.clone(),
            full_width(&edax),
            format!("\u{feff}{edax}\r\n"),
            joined(&game, " ", plain),
            joined(&game, "-", upper),
            joined(&game, ", ", plain),
            joined(&game, "\r\n", pass("PA")),
            joined(&game, " ", pass("--")),
            joined(&game, " ", pass("@@")),
            joined(&game, "", pass("Pass")),
            joined(&game, " ", |n, mv| format!("{}.{mv}", n + 1)),
            joined(&game, " ", |n, mv| format!("{}{mv}", n + 1)),
            joined(&game, " ", pairs),
            format!("{edax} 30-34"),
            format!("[Event \"x\"]\n[Result \"30-34\"]\n\n{} 30-34", joined(&game, " ", pairs)),
        ] {
            prop_assert_eq!(&ok(&text).game, &game, "{}", text);
        }
        let ggf = |n: usize, mv: Move| {
            let side = if n.is_multiple_of(2) { 'B' } else { 'W' };
            format!("{side}[{}/{n}.5/0.1]", mv.to_string().to_uppercase())
        };
        let start = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let ggf = format!("(;GM[Othello]PB[a]PW[b]TY[8]BO[{start}]{};)", joined(&game, "", ggf));
        prop_assert_eq!(&ok(&ggf).game, &game, "{}", ggf);
        let quest = |_: usize, mv: Move| match mv {
            Move::Pass => "{\"m\":\"-\"}".to_owned(),
            mv @ Move::Place(_) => format!("{{\"m\":\"{mv}\",\"t\":10}}"),
        };
        let quest = format!("{{\"position\":{{\"moves\":[{}]}}}}", joined(&game, ",", quest));
        prop_assert_eq!(&ok(&quest).game, &game, "{}", quest);
    }

    #[test]
    fn positions_are_read_back_in_every_form(game in game()) {
        let position = game.position();
        let problem = Problem { position, answers: Vec::new(), comment: "a comment".to_owned() };
        let text = position.to_string();
        let rows: Vec<_> = (0..8).map(|n| &text[n * 8..][..8]).collect();
        let side = if position.side() == Side::Black { "black" } else { "white" };
        for (text, kind) in [
            (text.clone(), RecordKind::Board),
            (text.replace('X', "*").to_lowercase(), RecordKind::Board),
            (full_width(&text), RecordKind::Board),
            (format!("{}\n{side} to move", rows.join("\n")), RecordKind::Board),
            (format!("[8 {} {}]", rows.join(" "), &text[65..]), RecordKind::Ggs),
            (diagram(position), RecordKind::Diagram),
            (problem.to_string(), RecordKind::Problem),
            (format!("{text},21,--,3"), RecordKind::EdaxText),
            (format!("{{\"found\":true,\"board\":\"{text}\"}}"), RecordKind::Json),
        ] {
            let record = ok(&text);
            prop_assert_eq!(record.kind, kind, "{}", text);
            prop_assert_eq!(record.positions().collect::<Vec<_>>(), vec![position], "{}", text);
        }
        // Numbers do not say who is black.
        let board = position.board();
        let a1 = format!("{:016x} {:016x} (a1 = bit 0)", board.mover(), board.opponent());
        let black_white = format!("{} {side}", position.to_bitboards_black_white());
        let black_white = format!("black {}", black_white.replace('\t', " white "));
        for (text, kind) in [
            (position.to_bitboards(), RecordKind::Bitboards(BitOrder::H8)),
            (a1, RecordKind::Bitboards(BitOrder::A1)),
            (black_white, RecordKind::Bitboards(BitOrder::H8)),
        ] {
            let record = ok(&text);
            prop_assert_eq!(record.kind, kind, "{}", text);
            prop_assert_eq!(record.position().board(), board, "{}", text);
            prop_assert_eq!(record.note(), None);
        }
        // Without a word, black's and white's discs are found among the readings.
        let record = ok(&position.to_bitboards_black_white());
        prop_assert!(record.positions().any(|read| read.board() == board));
    }

    #[test]
    fn a_board_and_moves_are_a_game_from_there(game in game(), cut in 0usize..60) {
        let mut start = Game::default();
        for &mv in game.moves().iter().take(cut) {
            start.play_unchecked(mv);
        }
        let rest = &game.moves()[start.moves().len()..];
        prop_assume!(!rest.is_empty());
        let moves: Vec<_> = rest.iter().map(ToString::to_string).collect();
        let text = format!("{} {}", start.position(), moves.concat());
        let record = ok(&text);
        prop_assert_eq!(record.kind, RecordKind::BoardAndMoves);
        prop_assert_eq!(record.game.start(), start.position());
        prop_assert_eq!(record.game.moves(), rest);
    }

    #[test]
    fn any_text_is_parsed_or_an_error(text in "\\PC{0,80}") {
        let _ = parse(&text);
        let _ = parse_all(&text);
        let _ = parse_lines(&text);
    }
}

/// Texts of all forms, from which others are made by changing some characters.
fn texts() -> Vec<String> {
    let game: Game = "f5d6c3d3c4f4c5b3c2".parse().unwrap();
    let position = game.position();
    vec![
        game.to_string(),
        "1. f5 d6 2. c3 (c5) d3 {x} 3. c4 33-31".to_owned(),
        "B:f5 W:d6 黒c3 ｄ３ c4[1.5] PA".to_owned(),
        position.to_string(),
        diagram(position),
        position.to_bitboards(),
        format!("black {}", position.to_bitboards_black_white()),
        format!("{position}; C4:+2; PA:-2; % x"),
        "[8 -------- -------- --*----- ---**--- ---O**-- ---O---- -------- -------- O]".to_owned(),
        "+--------+\n|--------|\n".to_owned(),
        "8/8/2XO4/2XXX3/3OXX2/3O4/8/8 w f4".to_owned(),
        "(;GM[Othello]BO[8 ---- *]B[F5//1]W[d6];)(;GM[2]AB[d5]AW[d4];B[f5])".to_owned(),
        "[Event \"x\"]\n\n1. f5 d6 ; more\n[Event \"y\"]\n1. d3".to_owned(),
        "{\"moves\":[{\"m\":\"f5\"},{\"m\":\"-\"}],\"board\":\"--\\u0041\"}".to_owned(),
        "0000000810000000 0000001008000000 | 0 0 0 1 | 3 1 5 | 21 | 3:19 | 1:26".to_owned(),
        "transcript,ply\nf5d6,1,2,-3\n# x\n●の番".to_owned(),
    ]
}

/// One of the texts, some of its characters taken out, put in or changed.
fn damaged() -> impl Strategy<Value = String> {
    let signs = "abfh158 0-x.XO*#●白\n\t[](){}|/;:,%\"\\'=+PA・Ａ９\u{feff}é"
        .chars()
        .collect::<Vec<_>>();
    let change = (
        any::<prop::sample::Index>(),
        0..3u8,
        prop::sample::select(signs),
    );
    let changes = prop::collection::vec(change, 0..6);
    (prop::sample::select(texts()), changes).prop_map(|(text, changes)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, how, sign) in changes {
            let at = at.index(chars.len().max(1)).min(chars.len());
            match how {
                0 => chars.insert(at, sign),
                1 if at < chars.len() => {
                    chars.remove(at);
                }
                _ if at < chars.len() => chars[at] = sign,
                _ => {}
            }
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn damaged_texts_are_parsed_or_errors(text in damaged()) {
        for item in parse_all(&text).iter().chain(&parse_lines(&text)) {
            prop_assert!(item.line > 0);
        }
        if let Ok(record) = parse(&text) {
            let position = record.position();
            for text in [position.to_string(), diagram(position)] {
                let again: Vec<_> = ok(&text).positions().collect();
                prop_assert_eq!(again, vec![position], "{}", text);
            }
            let numbers = ok(&position.to_bitboards());
            prop_assert!(numbers.positions().any(|read| read.board() == position.board()));
        }
    }
}

#[test]
fn a_board_without_a_side_has_two_readings() {
    let start = &Position::START.to_string()[..64];
    let record = ok(start);
    assert_eq!(
        record.positions().collect::<Vec<_>>(),
        [Position::START, Position::START.passed()]
    );
    assert_eq!(record.note(), Some("The text does not say who moves."));
    assert!(
        record
            .interpretations()
            .all(|(_, note)| note == record.note())
    );
    // Two numbers of which either may be the mover's.
    let game: Game = "f5d6c3d3c4f4".parse().unwrap();
    let record = ok(&game.position().to_bitboards());
    let notes: Vec<_> = record.interpretations().map(|(_, note)| note).collect();
    assert_eq!(
        notes,
        [
            None,
            Some("The second number is taken for the player to move.")
        ]
    );
}

#[test]
fn words_around_a_game_or_a_board_are_understood() {
    let game: Game = "f5d6c3d3c4".parse().unwrap();
    for text in [
        "Game: f5d6c3d3c4",
        "play f5 d6 c3 d3 c4",
        "棋譜：f5d6c3d3c4",
        "(f5d6c3d3c4)",
        "f5d6c3d3c4 (Black wins)",
        "transcript = f5d6c3d3c4",
    ] {
        assert_eq!(ok(text).game, game, "{text}");
    }
    let position = game.position().to_string();
    let cells = &position[..64];
    let rows: Vec<_> = (0..8).map(|n| &cells[n * 8..][..8]).collect();
    let framed: Vec<_> = rows.iter().map(|row| format!("|{row}|")).collect();
    let numbered: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(n, row)| format!("{} {row}", n + 1))
        .collect();
    for text in [
        format!("white {cells}"),
        format!("O\n{}", rows.join("\n")),
        format!("O to move: {cells}"),
        format!(
            "+--------+\n{}\n+--------+\nwhite to move",
            framed.join("\n")
        ),
        format!("{}\nwhite", numbered.join("\n")),
        format!("{cells} O bm f4; id \"tiger\";"),
        "8/8/2XO4/2XXX3/3OXX2/3O4/8/8 w".to_owned(),
        format!("{{\"board\":\"{cells}\",\"side\":\"white\"}}"),
        "0x0000100010100000\n0x000020380c000000".to_owned(),
    ] {
        let record = ok(&text);
        assert_eq!(record.positions().next(), Some(game.position()), "{text}");
    }
}

#[test]
fn several_records_in_one_text_are_separated() {
    let board = Position::START.to_string();
    let drawn = diagram(Position::START);
    let tagged = "[Event \"x\"]\n\n1. f5 d6\n[Event \"y\"]\n\n1. d3 c3\n";
    let ggf = "(;GM[Othello]B[f5])(;GM[Othello]B[d3])";
    let rows: Vec<_> = (0..8).map(|n| &board[n * 8..][..8]).collect();
    let rows = rows.join("\n");
    for (text, kinds) in [
        (
            "# head\n\nf5d6c3\n0x0000000810000000 0x0000001008000000\nzzz\n".to_owned(),
            "tb!",
        ),
        (format!("{board};\n{board} % x\n"), "pp"),
        (format!("{drawn}\n\n{drawn}\n"), "dd"),
        (format!("{rows}\nX\n{rows}\nO\n"), "oo"),
        (tagged.to_owned(), "gg"),
        (ggf.to_owned(), "GG"),
        ("f5d6c3\nf5d6c4\nf5f6\n".to_owned(), "ttt"),
        (
            "transcript,ply,expected,found\nf5d6,1,2,-3\nf5f6,1,0,1\n".to_owned(),
            "cc",
        ),
        (
            "{\"transcript\":\"f5\"}\n{\"transcript\":\"d3\"}\n".to_owned(),
            "jj",
        ),
    ] {
        let items = parse_all(&text);
        let found: String = items
            .iter()
            .map(
                |item| match item.record.as_ref().map(|record| record.kind) {
                    Ok(RecordKind::Transcript) => 't',
                    Ok(RecordKind::Bitboards(_)) => 'b',
                    Ok(RecordKind::Problem) => 'p',
                    Ok(RecordKind::Diagram) => 'd',
                    Ok(RecordKind::Board) => 'o',
                    Ok(RecordKind::Pgn) => 'g',
                    Ok(RecordKind::Ggf) => 'G',
                    Ok(RecordKind::Csv) => 'c',
                    Ok(RecordKind::Json) => 'j',
                    Ok(_) => '?',
                    Err(_) => '!',
                },
            )
            .collect();
        assert_eq!(found, kinds, "{text}");
        assert!(items.iter().all(|item| !item.text.is_empty()));
    }
    let games = parse_lines("(;GM[Othello]B[f5]\n;)\n\n(;GM[Othello]B[d3];)");
    assert_eq!(
        games.iter().map(|game| game.line).collect::<Vec<_>>(),
        [1, 4]
    );
    let lines: Vec<_> = parse_lines("# head\n\nf5\n\nzz\n")
        .iter()
        .map(|item| item.line)
        .collect();
    assert_eq!(lines, [3, 5]);
    // One game over several lines is one, unless one a line is asked for.
    assert_eq!(parse_all("f5\nd6\n").len(), 1);
    assert_eq!(parse_lines("f5\nd3\n").len(), 2);
}

#[test]
fn errors_say_what_was_expected() {
    for (text, expected) in [
        ("f5z9", "move 2: 'z9' is neither a square nor a pass"),
        ("f5f5", "move 2: 'f5' is not legal"),
        (
            "hello",
            "'hello' is no game and no position: moves such as f5d6c3, a board of 64 squares or two hexadecimal \
             numbers were expected",
        ),
        ("f5d6 99-1", "move 3: '99' is neither a square nor a pass"),
        (
            "- -",
            "moves such as f5d6c3, a board of 64 squares or two hexadecimal numbers were expected",
        ),
        ("3 1", "both players have a disc on h8"),
        (
            "f5d6c3d3c4 4519",
            "move 6: '4519' is neither a square nor a pass",
        ),
        ("f5 d6 PASS c3", "move 3: 'PASS' is not legal"),
        ("f5 12 0 d6", "move 2: '12' is neither a square nor a pass"),
        (
            "0x3 0x10 0x40",
            "two hexadecimal numbers of at most 64 bits were expected, not '0x3 0x10 0x40'",
        ),
        (
            "---------------------------OX------XO-------------------------- X",
            "the text ends after 63 of 64 squares, or lacks the side to move",
        ),
        (
            "{\"a\":1}",
            "JSON: it has neither moves nor a transcript nor a board",
        ),
        (
            "(;GM[Othello]B[f5]W[f5])",
            "GGF: move 2: W[f5] is not legal",
        ),
    ] {
        let error = parse(text).map_err(|error| error.to_string());
        assert_eq!(error, Err(expected.to_owned()), "{text}");
    }
    let two = "(;GM[Othello]B[f5])(;GM[Othello]B[d3])";
    assert_eq!(parse(two), Err(Error::Several(2)));
}
