//! The commands for people and scripts.

use std::path::Path;

use test_support::{TestFolder, run_program};

use crate::util::{LONG, PROGRAM, one_line, run};

const TSUME: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1";

#[test]
fn questions_about_moves() {
    assert_eq!(one_line("moves").split(' ').count(), 30);
    assert_eq!(one_line("matsuri , moves").split(' ').count(), 207);
    // Pointless non-promotions are legal.
    let moves = one_line("position startpos moves 7g7f 3c3d , moves");
    assert!(moves.split(' ').any(|m| m == "8h2b") && moves.split(' ').any(|m| m == "8h2b+"));
    assert_eq!(
        one_line("position sfen 4k4/4G4/4P4/9/9/9/9/9/9 w - 1 , moves"),
        ""
    );
    assert_eq!(one_line(&format!("{TSUME} , mate1")), "G*5b");
    assert_eq!(one_line("mate1"), "none");
}

#[test]
fn perft() {
    for command in ["perft 3", "go perft 3"] {
        let lines = run(&format!("{command} , quit"), b"");
        assert_eq!(lines.last().unwrap(), "Nodes searched: 25470");
        assert!(lines.contains(&"7g7f: 1110".to_owned()), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.contains(": ")).count(), 31);
    }
    assert_eq!(run("perft 0 , quit", b""), ["Nodes searched: 1"]);
    let lines = run("matsuri , perft 2 , quit", b"");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 28684");
}

#[test]
fn repetition_with_history() {
    let once = "2h3h 8b7b 3h2h 7b8b";
    for (moves, expected) in [
        (String::new(), "rep_none"),
        (format!("moves {once}"), "rep_draw"),
        (format!("moves {once} 7g7f"), "rep_none"),
    ] {
        assert_eq!(
            one_line(&format!("position startpos {moves} , rep")),
            expected,
            "{moves}"
        );
    }
    // Perpetual check: the side that did not check wins.
    let checks = "position sfen 4k4/9/9/9/9/9/9/4R4/K8 w - 1 moves 5a4a 5h4h 4a5a 4h5h";
    assert_eq!(one_line(&format!("{checks} , rep")), "rep_win");
}

#[test]
fn declarations() {
    let entered = "position sfen LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl w - 1";
    assert_eq!(one_line(&format!("{entered} , declare")), "win");
    assert_eq!(one_line("declare"), "none");
    let rule = "setoption name EnteringKingRule value TryRule";
    let near = "position sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1";
    assert_eq!(one_line(&format!("{rule} , {near} , declare")), "5b5a");
    assert_eq!(one_line(&format!("{near} , declare")), "none");
}

#[test]
fn packed_positions() {
    assert_eq!(
        one_line("psfen"),
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"
    );
    assert_eq!(
        one_line("hcp"),
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c"
    );
    for command in ["psfen", "hcp"] {
        let line = one_line(&format!("{TSUME} , {command}"));
        assert!(
            line.starts_with("info string Error! ") && line.contains("king"),
            "{line}"
        );
    }
}

#[test]
fn exchanges() {
    let opening = "position startpos moves 7g7f 3c3d";
    // The bishops are exchanged.
    assert_eq!(one_line(&format!("{opening} , see 8h2b+")), "0");
    assert_eq!(one_line("see 7g7f"), "0");
    assert_eq!(
        one_line("see 7g7e"),
        "info string Error! see: illegal move 7g7e"
    );
    assert_eq!(
        one_line("see x"),
        "info string Error! see: \"x\" is not a move"
    );
}

#[test]
fn evaluation_is_for_the_side_to_move() {
    let value = |commands: &str| -> i32 {
        let line = one_line(&format!("{commands} , e"));
        line.strip_prefix("eval = ")
            .expect("eval")
            .parse()
            .expect("a number")
    };
    let rook_up = "position sfen lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1";
    assert!(value(rook_up) > 1500);
    assert_eq!(value(&format!("{rook_up} , flip")), value(rook_up));
}

#[test]
fn the_board() {
    let lines = run("matsuri , d , quit", b"");
    assert_eq!(lines.len(), 14);
    assert_eq!(
        lines.last().unwrap(),
        "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
    );
    let lines = run("position startpos moves 7g7f , flip , d , quit", b"");
    assert_eq!(
        lines.last().unwrap(),
        "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 2"
    );
}

#[test]
fn options_can_be_queried() {
    assert_eq!(
        one_line("setoption name multipv value 5 , getoption MULTIPV"),
        "Options[MultiPV] = 5"
    );
    assert_eq!(
        one_line("getoption Nothing"),
        "info string Error! No such option: Nothing"
    );
    assert!(run("getoption , quit", b"").contains(&"Options[USI_Ponder] = false".to_owned()));
}

#[test]
fn bench_is_the_same_every_time() {
    let nodes = || {
        let line = one_line("bench 3");
        let rest = line.strip_prefix("Nodes searched: ").expect(&line);
        rest.split(',')
            .next()
            .expect("a number")
            .parse::<u64>()
            .expect("a number")
    };
    let first = nodes();
    assert!(first > 100, "{first}");
    assert_eq!(nodes(), first);
}

#[test]
fn params_describe_every_parameter_of_the_search() {
    let lines = run("params , quit", b"");
    assert!(lines.len() > 20, "{lines:?}");
    for line in &lines {
        let fields: Vec<&str> = line.split(", ").collect();
        let [_, "int", numbers @ ..] = &fields[..] else {
            panic!("{line}");
        };
        let numbers: Vec<f64> = numbers
            .iter()
            .map(|number| number.parse().expect(line))
            .collect();
        let [default, min, max, step, rate] = numbers[..] else {
            panic!("{line}");
        };
        assert!(min <= default && default <= max, "{line}");
        assert!(step > 0.0 && rate > 0.0, "{line}");
    }
}

#[test]
fn arguments_and_standard_input_give_the_same() {
    // But for the time that it took.
    let is_time = |line: &String| line.starts_with("Elapsed Time") || line.ends_with(" NPS");
    let untimed = |mut lines: Vec<String>| {
        lines.retain(|line| !is_time(line));
        lines
    };
    let by_argument = untimed(run("matsuri , perft 1 , mate1 , rep , quit", b""));
    let by_input = untimed(run("", b"matsuri\nperft 1\nmate1\nrep\nquit\n"));
    assert_eq!(by_argument, by_input);
    // After the arguments come the lines of the standard input; its end ends the program.
    assert_eq!(run("matsuri", b"rep\n"), ["rep_none"]);
}

#[test]
fn help_and_version() {
    assert!(
        run("--help", b"")
            .join("\n")
            .contains("yaneura position startpos")
    );
    let version = concat!("yaneura ", env!("CARGO_PKG_VERSION"));
    for word in ["--version", "-V", "version"] {
        // Written out, the option also tells commit and processor.
        assert!(run(word, b"")[0].starts_with(version), "{word}");
        assert_eq!(
            run("", format!("{word}\nquit\n").as_bytes()),
            [version],
            "{word}"
        );
    }
    let help = run("--help", b"");
    for word in ["help", "-h"] {
        assert!(
            run(word, b"").join("\n").contains("set the position"),
            "{word}"
        );
    }
    assert_eq!(run("help", b""), help);
    for line in ["help", "--help", "-h", "?", "help go"] {
        assert_eq!(
            run("", format!("{line}\nquit\n").as_bytes()),
            help,
            "{line}"
        );
    }
    // Among other commands they are commands.
    assert_eq!(run("version , rep , quit", b""), [version, "rep_none"]);
}

#[test]
fn unknown_flags_are_wrong_usage() {
    for word in ["--hlep", "-v", "--threads=4"] {
        let run = run_program(PROGRAM, Path::new("."), [word], Vec::new(), LONG);
        assert_eq!(run.failed(2, &[word, "--help"]).text(), "");
    }
}

#[test]
fn placements_that_are_no_position_are_only_evaluated() {
    let kings = "position sfen 9/9/9/4k4/4K4/9/9/9/9 b R 1";
    let lines = run(
        &format!(
            "setoption name Evaluation value material , {kings} , e , go nodes 1 , position startpos , e , quit"
        ),
        b"",
    );
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    // The position alone is no error: it may be for `go mate`.
    assert!(
        has("Error! ") && has("nobody can play from this position"),
        "{lines:?}"
    );
    assert_eq!(
        lines.iter().filter(|line| line.contains("Error!")).count(),
        1
    );
    assert!(lines.contains(&"bestmove resign".to_owned()), "{lines:?}");
    let values: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("eval = "))
        .collect();
    assert!(
        values.len() == 2 && values[0] != "eval = 0" && values[1] == "eval = 0",
        "{lines:?}"
    );
}

#[test]
fn pictures_of_the_board() {
    let folder = TestFolder::new();
    let file = folder.path("board.svg");
    let draw = format!("d svg {}", file.display());
    let search = "setoption name Threads value 1 , position startpos moves 7g7f , go depth 3";
    let lines = run(&format!("{search} , {draw} , {draw} , quit"), b"");
    let wrote = format!("wrote {}", file.display());
    assert!(lines.contains(&wrote), "{lines:?}");
    assert!(
        lines
            .last()
            .unwrap()
            .starts_with("info string Error! d svg: "),
        "{lines:?}"
    );
    let svg = String::from_utf8(folder.read("board.svg")).unwrap();
    assert!(svg.contains("評価値") && svg.contains("読み筋 ☖") && svg.contains("<polygon"));
    // Another position has not been searched.
    let lines = run(
        &format!("{search} , position startpos , {draw} --force , quit"),
        b"",
    );
    assert_eq!(lines.last(), Some(&wrote));
    let svg = String::from_utf8(folder.read("board.svg")).unwrap();
    assert!(svg.contains(">1手目 先手番<") && !svg.contains("<polygon"));
}

#[test]
fn positions_come_from_records_of_games() {
    let kif = test_support::fixture("kifu/game.kif");
    let csa = test_support::fixture("kifu/game.csa");
    let ask = |path: &std::path::Path, rest: &str| {
        let input = format!("position file {}{rest}\npsfen\nquit\n", path.display());
        run("", input.as_bytes())
    };
    let told = ask(&kif, " ply 2");
    assert!(
        told[0].starts_with("info string position: after 2 of 9 moves of 先手太郎"),
        "{told:?}"
    );
    let expected = run("position startpos moves 7g7f 3c3d , psfen , quit", b"");
    assert_eq!(told[1..], expected);
    assert_eq!(ask(&csa, " game 1 ply 2")[1], told[1]);
    assert_eq!(ask(&csa, "")[1], ask(&kif, " ply 9")[1]);
    for (path, rest, words) in [
        (&kif, " ply 10", "9 moves"),
        (&kif, " game 2", "none of number 2"),
        (&kif, " ply x", "expected PATH"),
        (&test_support::fixture("kifu/none.kif"), "", "none.kif"),
        (
            &test_support::fixture("kifu/README.md"),
            "",
            "no game record",
        ),
    ] {
        let told = ask(path, rest);
        assert!(
            told[0].contains("Error! position file") && told[0].contains(words),
            "{told:?}"
        );
        assert!(told[1].contains("no position"), "{told:?}");
    }
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = run(&format!("--completions {shell}"), b"").join("\n");
        for word in ["yaneura", "eval-server", "composer"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let page = run("--man", b"").join("\n");
    assert!(
        page.contains(".SH NAME") && page.contains("yaneura"),
        "{page}"
    );
    let page = run("mate --man", b"").join("\n");
    assert!(page.contains("composer"), "{page}");
    // Among commands it is none of them.
    let words = ["--completions", "cmd"];
    let wrong = run_program(PROGRAM, std::path::Path::new("."), words, Vec::new(), LONG);
    assert_eq!((wrong.code, wrong.text()), (Some(2), ""));
    assert!(
        wrong
            .err
            .contains("expected one of bash, elvish, fish, powershell, zsh, found \"cmd\""),
        "{}",
        wrong.err
    );
}
