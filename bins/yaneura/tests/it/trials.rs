//! Public reports about other engines, and similar cases: `fixtures/trials/shogi`.

use std::fs;
use std::time::{Duration, Instant};

use shogi_core::Position;

use crate::util::{Engine, copy_with, trial};

/// Time after which a search is stopped.
const SHORT: Duration = Duration::from_millis(20);

/// Sends each `go` alone and checks that it is answered once, with a move that is legal at the start of a game.
fn all_are_answered(lines: &[String]) {
    let start = Position::startpos();
    let mut engine = Engine::ready();
    for go in lines {
        engine.send("position startpos");
        let lines = engine.answered_once(go, SHORT);
        let answer = lines.last().expect("an answer");
        let best = answer.split(' ').nth(1).expect("a move");
        assert!(start.move_from_usi(best).is_ok(), "{go}: {answer}");
    }
    engine.quit();
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

#[test]
fn go_with_unknown_words_is_answered() {
    all_are_answered(&trial("01-go-unknown-word/in.txt"));
    all_are_answered(&owned(&[
        "go sideways",
        "GO Infinite",
        "Go Ponder BTime 100",
        "go infinite infinite",
        "go searchmoves",
        "go searchmoves 7g7e",
        "go searchmoves x 7g7e btime 100",
        "go searchmoves 7g7f moves",
        "go go depth 3",
        "go nodes",
        "go depth nodes",
        "go mate_in 3",
        "go movetime infinite",
        "go ponder mate_in 3",
        "go ponder infinite",
        "go ponder searchmoves 7g7f",
        "go perft",
        "go perft -1",
        "go perft 99999999",
        "go \u{fffd} \u{65e5}\u{672c} \u{ad}",
        "go , depth 3",
        "go depth=3",
        "go\tdepth\t3",
    ]));
}

#[test]
fn go_with_numbers_of_any_form_is_answered() {
    all_are_answered(&trial("02-go-number-forms/in.txt"));
    let mut lines = Vec::new();
    for word in [
        "btime",
        "wtime",
        "byoyomi",
        "binc",
        "winc",
        "rtime",
        "movetime",
        "depth",
        "nodes",
        "movestogo",
    ] {
        for number in [
            "0",
            "-1",
            "+1",
            "0.0",
            "1.5",
            ".5",
            "1e3",
            "1e400",
            "99999999999999999999",
            "-99999999999999999999",
            "9223372036854775807",
            "18446744073709551615",
            "4294967295",
            "nan",
            "inf",
            "x",
            "1_000",
            "1,000",
            "0x10",
            "",
        ] {
            lines.push(format!("go {word} {number}"));
            lines.push(format!("go byoyomi 100 {word} {number} ponder"));
        }
    }
    let mut engine = Engine::ready();
    for go in &lines {
        engine.answered_once(go, Duration::ZERO);
    }
    engine.quit();
}

#[test]
fn ponderhit_works_whatever_follows() {
    let mut engine = Engine::ready();
    for hit in [
        "ponderhit",
        "PonderHit",
        "ponderhit now",
        "ponderhit btime 10.5 wtime 10.5 byoyomi 1e1",
        "ponderhit time 5 btime 100",
        "ponderhit btime",
    ] {
        engine.send("position startpos moves 7g7f");
        engine.send("go ponder btime 10 wtime 10");
        engine.silent_for(SHORT);
        engine.send(hit);
        assert!(engine.answer("bestmove").len() > "bestmove ".len(), "{hit}");
    }
    engine.quit();
}

#[test]
fn go_is_answered_without_any_other_command() {
    for go in [
        "go byoyomi 50",
        "go ponder",
        "go infinite",
        "go mate infinite",
        "go searchmoves 7g7f",
    ] {
        let mut engine = Engine::start();
        engine.send("setoption name Hash value 1");
        engine.answered_once(go, SHORT);
        engine.quit();
    }
}

/// A long help mate: no mate search answers it by itself.
const LONG_HELP: &str =
    "position sfen rBKp1r1ss/GL3p1bL/L3klpp1/2G2n2P/1gnnng1P1/P1s1s1P2/1P1P1P3/2P1P4/9 b 5p 1";

#[test]
fn gameover_ends_every_search() {
    let mut engine = Engine::start();
    for line in trial("03-gameover-without-result/in.txt") {
        engine.send(&line);
        if line == "isready" {
            engine.until("readyok");
        }
        if line.starts_with("go ") {
            engine.silent_for(Duration::from_millis(100));
        }
    }
    engine.until("bestmove");
    engine.quit();

    let mut engine = Engine::ready();
    engine.send("setoption name MateKind value help");
    let mut quickest = Duration::MAX;
    for over in [
        "gameover",
        "gameover win",
        "gameover WIN",
        "gameover lose",
        "gameover draw",
        "gameover chudan",
        "gameover \u{4e2d}\u{65ad}",
        "gameover win 1",
        "GAMEOVER",
        "gameover\t",
        "stop",
        "stop it",
        "STOP",
    ] {
        for (position, go) in [
            (
                "position startpos moves 7g7f 3c3d",
                "go ponder btime 5000 wtime 5000 binc 60 winc 60",
            ),
            ("position startpos", "go infinite"),
            ("position startpos", "go movetime 100000"),
            (LONG_HELP, "go mate infinite"),
        ] {
            engine.send(position);
            engine.send(go);
            engine.silent_for(SHORT);
            let begin = Instant::now();
            engine.send(over);
            let answer = if go.contains("mate") {
                "checkmate"
            } else {
                "bestmove"
            };
            engine.until(answer);
            // The best of many: the machine may be busy with other things.
            quickest = quickest.min(begin.elapsed());
            assert!(
                begin.elapsed() < Duration::from_secs(2),
                "{go}, {over}: {:?}",
                begin.elapsed()
            );
        }
    }
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
    engine.quit();
}

#[test]
fn answers_that_are_due_are_written_before_the_end() {
    let last_words = trial("04-quit-while-an-answer-is-due/in.txt").join("\n");
    for last in [
        last_words.as_str(),
        "stop\nquit",
        "gameover\nQUIT",
        "quit",
        "quit now",
        "ponderhit\nquit",
    ] {
        let mut engine = Engine::start();
        for line in trial("04-quit-while-an-answer-is-due/setup.txt") {
            engine.send(&line);
        }
        engine.until("readyok");
        engine.silent_for(SHORT);
        engine.send(last);
        let rest = engine.ends();
        assert_eq!(
            rest.iter()
                .filter(|line| line.starts_with("bestmove "))
                .count(),
            1,
            "{last}: {rest:?}"
        );
        assert!(
            rest.last().unwrap().starts_with("bestmove "),
            "{last}: {rest:?}"
        );
    }
    let mut engine = Engine::ready();
    engine.send("setoption name MateKind value help");
    engine.send(LONG_HELP);
    engine.send("go mate infinite\nquit");
    assert_eq!(engine.ends().last().unwrap(), "checkmate timeout");
}

/// The output of `d` for a position, and the answer to `go` from there.
fn shown_and_answered(engine: &mut Engine, position: &str) -> (String, String) {
    engine.send("position startpos moves 7g7f");
    engine.send(position);
    engine.send("d");
    let shown = loop {
        let line = engine.line();
        if line.starts_with("sfen ") || line.contains("Error! no position") {
            break line;
        }
    };
    let lines = engine.answered_once("go nodes 1", Duration::ZERO);
    let answer = lines.last().expect("an answer").clone();
    (shown, answer)
}

/// Checks that `answer` is a move of the position `shown`.
fn assert_fits(shown: &str, answer: &str) {
    let position = Position::from_sfen(shown.strip_prefix("sfen ").expect(shown)).expect(shown);
    let best = answer.split(' ').nth(1).expect(answer);
    assert!(position.move_from_usi(best).is_ok(), "{shown}: {answer}");
}

#[test]
fn forms_of_sfen_are_read() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let expected = [
        start,
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
        "ln1g4l/1ks1g2+R1/1pppp1n1p/p5p2/9/P1P2r3/1PNPP1P1P/2K2S3/L1SG2GNL b S2P2b2p 19",
        "7k1/9/7P1/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2Pp 1",
        start,
        "2sgkg3/5s3/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 3",
        "ln1gkg2l/2s4s1/p1pp+Bpnpp/1r4p2/7P1/P8/2GPPPP1P/2S6/LN2KG+r1L b BPsn3p 1",
        start,
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    ];
    let lines = trial("08-forms-of-sfen/in.txt");
    assert_eq!(lines.len(), expected.len());
    let mut engine = Engine::ready();
    for (number, (line, expected)) in lines.iter().zip(expected).enumerate() {
        let position = format!("position sfen {line}");
        let (shown, answer) = shown_and_answered(&mut engine, &position);
        let sfen = shown.strip_prefix("sfen ").expect(&position);
        let counted = |text: &str| Position::from_sfen(text).expect(text).to_sfen();
        assert_eq!(sfen, counted(expected), "line {}", number + 1);
        assert_fits(&shown, &answer);
    }
    engine.quit();
}

#[test]
fn corrections_are_reported() {
    let mut engine = Engine::ready();
    engine.send("position sfen 4k4/9/9/9/9/9/9/9/4K4_B_0");
    assert_eq!(
        engine.line(),
        "info string position: '_' read as a blank; \"B\" read as \"b\"; \"0\" read as \"-\""
    );
    engine.send("position startpos 7g7f 3c3d");
    assert_eq!(
        engine.line(),
        "info string position: the word \"moves\" is missing before the moves"
    );
    assert_eq!(engine.ask("side"), "black");
    assert_eq!(engine.ask("rep"), "rep_none");
    engine.quit();
}

#[test]
fn an_unreadable_position_is_not_played() {
    let mut engine = Engine::ready();
    for position in [
        "position",
        "position 7g7f",
        "position sfen",
        "position startpos moves 7g7f 3c3d 3c3d",
        "position startpos moves 7g7f 3c3d resign",
        "position sfen 9/9/9 b - 1",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] w 0 1",
        "position sfen kk7/9/9/9/9/9/9/9/K8 b - 1",
        "position fen 4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "POSITION startpos moves 7g7e",
        "position\tnonsense",
    ] {
        let (shown, answer) = shown_and_answered(&mut engine, position);
        assert!(
            shown.contains("Error! no position: the last one could not be read: "),
            "{position}: {shown}"
        );
        assert_eq!(answer, "bestmove resign", "{position}");
    }
    engine.quit();
}

#[test]
fn a_side_without_a_king_may_move() {
    let [line] = trial("09-no-attacker-king/in.txt")
        .try_into()
        .expect("one line");
    let mut engine = Engine::ready();
    let (shown, answer) = shown_and_answered(&mut engine, &format!("position {line}"));
    assert_eq!(
        shown,
        "sfen 5rkn1/4S+R3/6+S2/4gppp1/4N4/9/9/9/9 w L2b3g2s2n3l15p 2"
    );
    assert_fits(&shown, &answer);
    engine.quit();
}

#[test]
fn a_game_of_ten_seconds() {
    let mut engine = Engine::ready();
    let more = [
        "NetworkDelay 0",
        "NetworkDelay2 0",
        "RoundUpToFullSecond false",
    ];
    let more = more.map(|line| format!("setoption name {}", line.replace(' ', " value ")));
    for line in trial("23-blitz/in.txt").iter().chain(&more) {
        engine.send(line);
    }
    assert_eq!(
        engine.ask("getoption MinimumThinkingTime"),
        "Options[MinimumThinkingTime] = 0"
    );
    let mut times = Vec::new();
    // The best of several tries: the machine may be busy with other things.
    while times.len() < 5 && !times.iter().any(|time| (300..1500).contains(time)) {
        let begin = Instant::now();
        engine.send("go btime 10000 wtime 10000");
        engine.until("bestmove");
        times.push(begin.elapsed().as_millis());
    }
    assert!(
        times.iter().any(|time| (300..1500).contains(time)),
        "{times:?}"
    );
    engine.quit();
}

#[test]
fn an_engine_in_a_japanese_folder() {
    let (folder, program) = copy_with(&[(
        "\u{5c06}\u{68cb} \u{30a8}\u{30f3}\u{30b8}\u{30f3}/\u{8a55}\u{4fa1}/eval_options.txt",
        b"FV_SCALE 24\n",
    )]);
    let home = folder
        .path()
        .join("\u{5c06}\u{68cb} \u{30a8}\u{30f3}\u{30b8}\u{30f3}");
    let moved = home.join("yaneura");
    fs::rename(&program, &moved).unwrap();
    let mut engine = Engine::start_program(&moved);
    engine.send("setoption name USI_Hash value 16");
    engine.send("isready");
    let lines = engine.until("readyok");
    assert!(
        lines.iter().any(|line| line.contains("\u{5c06}\u{68cb} ")),
        "{lines:?}"
    );
    engine.send("position startpos moves 7g7f");
    engine.answered_once("go nodes 2000", Duration::ZERO);
    let dir = home.join("\u{8a55}\u{4fa1}");
    engine.send(&format!("setoption name EvalDir value {}", dir.display()));
    assert_eq!(
        engine.ask("getoption EvalDir"),
        format!("Options[EvalDir] = {}", dir.display())
    );
    engine.send("isready");
    let lines = engine.until("readyok").join("\n");
    assert!(
        lines.contains("engine option override. name = FV_SCALE , value = 24"),
        "{lines}"
    );
    engine.quit();
}

#[test]
fn options_as_clients_send_them() {
    let changed = [
        (1, "DebugLogFile", "<empty>"),
        (2, "DebugLogFile", "<empty>"),
        (3, "EvalDir", "my eval dir"),
        (4, "USI_Hash", "64"),
        (5, "USI_Ponder", "true"),
        (6, "USI_Hash", "77"),
        (7, "EnteringKingRule", "CSARule24"),
        (10, "USI_Hash", "64"),
        (11, "USI_OwnBook", "false"),
        (12, "MultiPV", "3"),
    ];
    let lines = trial("25-options-as-clients-send-them/in.txt");
    assert_eq!(lines.len(), 13);
    for (number, line) in (1..).zip(&lines) {
        let mut engine = Engine::start();
        let before =
            ["USI_Ponder", "USI_Hash"].map(|name| engine.ask(&format!("getoption {name}")));
        engine.send(line);
        if let Some((_, name, value)) = changed.iter().find(|(changed, ..)| *changed == number) {
            let shown = engine.ask(&format!("getoption {name}"));
            assert_eq!(shown, format!("Options[{name}] = {value}"), "{line}");
        } else {
            assert!(engine.line().starts_with("info string Error! "), "{line}");
            let after =
                ["USI_Ponder", "USI_Hash"].map(|name| engine.ask(&format!("getoption {name}")));
            assert_eq!(before, after, "{line}");
        }
        engine.quit();
    }
}

#[test]
fn options_that_clients_send_to_every_engine_are_no_error() {
    let mut engine = Engine::start();
    for name in [
        "USI_Variant",
        "uci_variant",
        "USI_AnalyseMode",
        "USI_LimitStrength",
        "USI_Strength",
    ] {
        let line = engine.ask(&format!("setoption name {name} value shogi"));
        assert_eq!(
            line,
            format!("info string option {name} has no meaning here and is left alone")
        );
    }
    assert_eq!(engine.answer_of_isready(), "readyok");
    engine.quit();
}

#[test]
fn side_prints_the_side_to_move() {
    let mut engine = Engine::start();
    for line in trial("26-side-command/in.txt") {
        engine.send(&line);
    }
    assert_eq!([engine.line(), engine.line()], ["black", "white"]);
    // A placement that is no position of a game has one too.
    engine.send("position sfen 4k4/4R4/9/9/9/9/9/9/4K4 b - 1");
    engine.until("info");
    assert_eq!(engine.ask("side"), "black");
    engine.quit();
}

#[test]
fn a_king_that_can_be_taken_is_reported() {
    let mut engine = Engine::ready();
    for line in trial("27-king-that-can-be-taken/in.txt") {
        let message = engine.ask(&format!("position {line}"));
        assert_eq!(
            message,
            "info string position: black is to move and could take the king: nobody can play from here, but \
             go mate looks for a mate"
        );
        let lines = engine.answered_once("go byoyomi 100", Duration::ZERO);
        assert_eq!(
            lines,
            [
                "info string Error! the side not to move is in check: nobody can play from this position",
                "bestmove resign"
            ]
        );
    }
    engine.quit();
}

#[test]
fn forms_of_go_mate_are_answered() {
    let mut engine = Engine::ready();
    engine.send("setoption name MateKind value help");
    for go in [
        "go mate",
        "go mate infinite",
        "GO MATE INFINITE",
        "go mate 0",
        "go mate -1",
        "go mate 20.5",
        "go mate 1e1",
        "go mate x",
        "go mate nodes 100",
        "go mate movetime 10",
        "go mate 20 nodes 5",
        "go infinite mate",
        "go ponder mate 10",
        "go mate btime 1000 wtime 1000",
        "go mate 99999999999999999999",
        "go mate searchmoves 7g7f",
    ] {
        for position in [LONG_HELP, "position startpos", "position nonsense"] {
            engine.send(position);
            let lines = engine.answered_once(go, SHORT);
            let answer = lines.last().expect("an answer");
            assert!(answer.starts_with("checkmate "), "{go}: {answer}");
        }
    }
    // Limits count without a stop.
    engine.send(LONG_HELP);
    for go in [
        "go mate nodes 100",
        "go mate movetime 10",
        "go mate infinite nodes 100",
        "go mate 10.9",
    ] {
        engine.send(go);
        assert_eq!(engine.answer("checkmate"), "checkmate timeout", "{go}");
    }
    engine.quit();
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_skipped() {
    let lines = crate::util::run("", "\u{feff}version\r\nquit\r\n".as_bytes());
    assert_eq!(lines, [concat!("yaneura ", env!("CARGO_PKG_VERSION"))]);
}
