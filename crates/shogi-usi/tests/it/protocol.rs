//! Text and data agree, both ways; errors name what was wrong.

use shogi_usi::{
    BestMove, CheckMate, Command, CommandError, Info, OptionError, OptionSpec, Options, Response,
    Score,
};

fn command(line: &str) -> Command {
    line.parse()
        .unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn error(line: &str) -> String {
    line.parse::<Command>().expect_err(line).to_string()
}

#[test]
fn commands_come_back() {
    for line in [
        "usi",
        "isready",
        "usinewgame",
        "stop",
        "quit",
        "ponderhit",
        "ponderhit btime 10000 wtime 10000 binc 2000 winc 2000",
        "gameover win",
        "gameover lose",
        "gameover draw",
        "gameover",
        "setoption name USI_Hash value 16",
        "setoption name BookDir value ",
        "setoption name ResetLearning",
        "setoption name Skill Level value a b",
        "position startpos moves 7g7f 3c3d",
        "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
        "go",
        "go ponder",
        "go infinite",
        "go ponder btime 10000 wtime 10000 byoyomi 1000",
        "go btime 10000 wtime 10000 binc 2000 winc 2000",
        "go rtime 100",
        "go movetime 1000 depth 5 nodes 10000",
        "go perft 4",
        "go mate infinite",
        "go mate 5000",
        "go depth 3 searchmoves 7g7f P*5e 8h2b+",
    ] {
        assert_eq!(command(line).to_string(), line);
    }
}

#[test]
fn forms_that_are_read_but_not_written() {
    for (line, canonical) in [
        ("  usi \r\n", "usi"),
        ("go mate", "go mate infinite"),
        ("go movestogo 20 btime -5 wtime 7", "go btime 0 wtime 7"),
        ("go mate nodes", "!"),
        ("go mate nodes 5", "go mate infinite nodes 5"),
        (
            "GO Infinite searchmoves 7g7f DEPTH 3",
            "go depth 3 infinite searchmoves 7g7f",
        ),
        ("gameover WIN", "gameover win"),
        ("SetOption NAME a Value b", "setoption name a value b"),
        (
            "setoption name Value x value b",
            "setoption name Value x value b",
        ),
        (
            "position 4k4/9/4P4/9/9/9/9/9/9 b G moves G*5b",
            "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b",
        ),
        (
            "setoption  name   USI_Hash  value  16 ",
            "setoption name USI_Hash value 16",
        ),
    ] {
        match line.parse::<Command>() {
            Ok(command) => assert_eq!(command.to_string(), canonical),
            Err(_) => assert_eq!(canonical, "!", "{line}"),
        }
    }
}

#[test]
fn errors_name_the_place() {
    for (line, message) in [
        ("", "empty line"),
        ("foo bar", "unknown command \"foo\""),
        ("usi now", "usi: unexpected \"now\""),
        ("setoption", "setoption: expected \"name\", found \"\""),
        ("setoption name", "setoption: no name given"),
        ("position", "position: no position given"),
        (
            "position startpos moves 7g7f 7g7e",
            "position: move 2: illegal move 7g7e",
        ),
        (
            "position startpos moves 7g7f x",
            "position: move 2: \"x\" is not a move",
        ),
        (
            "position startpos 7g7f",
            "position: expected \"moves\", found \"7g7f\"",
        ),
        ("go depth", "go: depth needs a number"),
        ("go depth x", "go: depth needs a number, found \"x\""),
        ("go depth -1", "go: depth needs a number, found \"-1\""),
        ("go sideways", "go: unknown word \"sideways\""),
        ("go searchmoves", "go: searchmoves needs moves"),
        (
            "go searchmoves 7g7f 9z",
            "go: searchmoves: \"9z\" is not a move",
        ),
        ("ponderhit 5", "ponderhit: unknown word \"5\""),
        (
            "gameover maybe",
            "gameover: expected win, lose or draw, found \"maybe\"",
        ),
    ] {
        assert_eq!(error(line), message, "{line}");
    }
    let sfen = error("position sfen lnsgkgsnl/1r5b1/ppppxpppp/9/9/9/9/9/9 b - 1");
    assert!(
        sfen.contains("'x'") && sfen.contains("character 21"),
        "{sfen}"
    );
    assert_eq!("\t".parse::<Command>(), Err(CommandError::Empty));
}

/// A command that is read leniently, and its errors.
fn lenient(line: &str) -> (String, String) {
    let (command, errors) = Command::parse_leniently(line).expect(line);
    let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
    (command.to_string(), messages.join("; "))
}

#[test]
fn unknown_words_of_go_are_left_out() {
    for (line, read, messages) in [
        (
            "go time 0 byoyomi 100",
            "go byoyomi 100",
            "go: unknown word \"time 0\"",
        ),
        (
            "go nodestime 100 byoyomi 100 foo",
            "go byoyomi 100",
            "go: unknown word \"nodestime 100\"; go: unknown word \"foo\"",
        ),
        ("go BTIME 100 WTIME 100", "go btime 100 wtime 100", ""),
        (
            "go btime 5 searchmoves",
            "go btime 5",
            "go: searchmoves needs moves",
        ),
        (
            "go searchmoves 9z 7g7f depth 3",
            "go depth 3 searchmoves 7g7f",
            "go: searchmoves: \"9z\" is not a move",
        ),
        ("go depth", "go", "go: depth needs a number"),
        ("go depth nodes 5", "go nodes 5", "go: depth needs a number"),
        (
            "go depth x nodes 5",
            "go nodes 5",
            "go: depth needs a number, found \"x\"",
        ),
        (
            "go depth -1 nodes 5",
            "go nodes 5",
            "go: depth needs a number, found \"-1\"",
        ),
        (
            "go mate x",
            "go mate infinite",
            "go: mate needs a number, found \"x\"",
        ),
        ("go mate nodes 7", "go mate infinite nodes 7", ""),
        ("go movestogo", "go", "go: movestogo needs a number"),
        (
            "go perft five",
            "go",
            "go: perft needs a number, found \"five\"",
        ),
        (
            "go wtime nan",
            "go",
            "go: wtime needs a number, found \"nan\"",
        ),
    ] {
        assert_eq!(
            lenient(line),
            (read.to_owned(), messages.to_owned()),
            "{line}"
        );
    }
}

#[test]
fn numbers_of_go_are_clamped() {
    let years = (1u64 << 40) - 1;
    for (written, read) in [
        ("0.9", 0),
        ("500.0", 500),
        ("10.5", 10),
        ("1e3", 1000),
        ("1e+3", 1000),
        (".5", 0),
        ("-0.5", 0),
        ("500ms", 500),
        ("5,000", 5),
        ("99999999999999999999", years),
        ("9999999999999999999999999999999999999999999", years),
        ("1e300", years),
        ("inf", years),
        ("-1e300", 0),
    ] {
        let messages = format!("go: movetime needs a number, found {written:?}, read as {read}");
        let line = format!("go movetime {written}");
        assert_eq!(
            lenient(&line),
            (format!("go movetime {read}"), messages),
            "{line}"
        );
    }
    for (line, read) in [
        ("go movetime -5", "go movetime 0"),
        ("go movetime +5", "go movetime 5"),
        (
            "go nodes 18446744073709551615",
            "go nodes 18446744073709551615",
        ),
        ("go depth 4294967295", "go depth 4294967295"),
    ] {
        assert_eq!(lenient(line), (read.to_owned(), String::new()), "{line}");
    }
    assert_eq!(lenient("go depth 99999999999").0, "go depth 4294967295");
    assert_eq!(
        lenient("go nodes 18446744073709551616").0,
        "go nodes 18446744073709551615"
    );
}

#[test]
fn commands_are_read_whatever_follows() {
    for (line, read, messages) in [
        ("STOP", "stop", ""),
        ("quit now", "quit", "quit: unexpected \"now\""),
        ("isready 1", "isready", "isready: unexpected \"1\""),
        (
            "ponderhit 5 btime 7.5",
            "ponderhit btime 7",
            "ponderhit: unknown word \"5\"; \
          ponderhit: btime needs a number, found \"7.5\", read as 7",
        ),
        ("gameover", "gameover", ""),
        ("gameover WIN", "gameover win", ""),
        (
            "gameover chudan",
            "gameover",
            "gameover: expected win, lose or draw, found \"chudan\"",
        ),
    ] {
        assert_eq!(
            lenient(line),
            (read.to_owned(), messages.to_owned()),
            "{line}"
        );
    }
    for line in ["", "hello", "setoption", "setoption name", "position x"] {
        assert!(Command::parse_leniently(line).is_err(), "{line}");
    }
    assert_eq!(Command::split(" Go\tdepth 5 "), Some(("go", "depth 5")));
    assert_eq!(Command::split("going"), None);
}

#[test]
fn options_are_found_with_and_without_the_prefix() {
    let mut options = Options::default();
    for spec in [
        OptionSpec::spin("USI_Hash", 16, 1, 1024),
        OptionSpec::spin("MultiPV", 1, 1, 600),
        OptionSpec::spin("USI_Both", 0, 0, 9),
        OptionSpec::spin("Both", 0, 0, 9),
    ] {
        options.define(spec).unwrap();
    }
    options.set("hash", Some("64")).unwrap();
    options.set("usi_MultiPV", Some("3")).unwrap();
    options.set("Both", Some("1")).unwrap();
    options.set("USI_Both", Some("2")).unwrap();
    let values = ["USI_Hash", "MultiPV", "Both", "USI_Both"].map(|name| value(&options, name));
    assert_eq!(values, ["64", "3", "1", "2"]);
    assert!(options.set("USI_", Some("3")).is_err());
}

#[test]
fn responses_come_back() {
    for line in [
        "id name yaneura 0.1.0",
        "id author somebody else",
        "option name Threads type spin default 4 min 1 max 1024",
        "option name EnteringKingRule type combo default CSARule27 var CSARule27 var TryRule",
        "option name DebugLogFile type string default <empty>",
        "option name BookFile type filename default book.db",
        "option name Reset type button",
        "option name USI_Ponder type check default true",
        "usiok",
        "readyok",
        "info depth 13 seldepth 16 multipv 1 score cp -2 nodes 99327 nps 321446 hashfull 41 \
         time 309 pv 8h2b+ 3a2b B*4e",
        "info depth 16 multipv 1 score cp -28 upperbound nodes 7 nps 7 hashfull 0 time 1 pv 4i5h",
        "info depth 5 score mate -4 pv 4i5h rep_draw",
        "info depth 0 multipv 1 score mate -1 nodes 0 nps 0 hashfull 0 time 1 pv resign",
        "info depth 1 score mate + pv win",
        "info currmove P*5e",
        "info string Error! : two  blanks",
        "bestmove 8h2b+",
        "bestmove 4i5h ponder 2a3c",
        "bestmove resign",
        "bestmove win",
        "checkmate G*5b",
        "checkmate nomate",
        "checkmate timeout",
        "checkmate notimplemented",
    ] {
        let Ok(response) = line.parse::<Response>();
        assert!(!matches!(response, Response::Other(_)), "{line}");
        assert_eq!(response.to_string(), line);
    }
}

#[test]
fn strange_responses_are_read_leniently() {
    let read = |line: &str| {
        let Ok(response) = line.parse::<Response>();
        response
    };
    assert_eq!(read("hello"), Response::Other("hello".to_owned()));
    assert_eq!(
        read("bestmove none"),
        Response::Other("bestmove none".to_owned())
    );
    assert_eq!(read("checkmate "), Response::Other("checkmate".to_owned()));
    let Response::Info(info) = read("info depth x nodes 5 foo score mate 0 pv 7g7f (3c3d)") else {
        panic!("an info line");
    };
    assert_eq!((info.depth, info.nodes, info.pv.len()), (None, Some(5), 1));
    assert_eq!(info.score, Some(Score::MateUnknown));
    assert_eq!(read("bestmove win"), Response::BestMove(BestMove::Win));
    assert_eq!(
        read("checkmate nomate"),
        Response::CheckMate(CheckMate::NoMate)
    );
    assert_eq!(Info::text("a\nb").to_string(), "info string a b");
}

#[test]
fn options_check_their_values() {
    let mut options = Options::default();
    let specs = [
        OptionSpec::check_off("USI_Ponder"),
        OptionSpec::spin("USI_Hash", 16, 1, 1024),
        OptionSpec::combo("Rule", "A", &["A", "B"]),
        OptionSpec::string("Dir", ""),
        OptionSpec::filename("File", "x"),
        OptionSpec::button("Press"),
    ];
    for spec in specs {
        options.define(spec).unwrap();
    }
    for (name, value, shown) in [
        ("usi_ponder", "TRUE", "true"),
        ("USI_HASH", "1024", "1024"),
        ("Rule", "b", "B"),
        ("Dir", "a b", "a b"),
        ("Dir", "<empty>", "<empty>"),
        ("Dir", "", "<empty>"),
        ("Press", "", ""),
    ] {
        options.set(name, Some(value)).unwrap();
        assert_eq!(
            options.get(name).unwrap().1.to_string(),
            shown,
            "{name} {value}"
        );
    }
    assert_eq!(value(&options, "dir"), "<empty>");
    for (name, value, message) in [
        ("Nothing", "1", "No such option: Nothing"),
        (
            "USI_Pnoder",
            "true",
            "No such option: USI_Pnoder; did you mean USI_Ponder?",
        ),
        (
            "USI_Hash",
            "0",
            "option USI_Hash: \"0\" is not a number from 1 to 1024",
        ),
        (
            "USI_Hash",
            "x",
            "option USI_Hash: \"x\" is not a number from 1 to 1024",
        ),
        (
            "USI_Ponder",
            "yes",
            "option USI_Ponder: \"yes\" is not true or false",
        ),
        ("Rule", "C", "option Rule: \"C\" is not one of A B"),
    ] {
        assert_eq!(
            options.set(name, Some(value)).unwrap_err().to_string(),
            message
        );
    }
    options.fix("USI_Hash", "5").unwrap();
    assert_eq!(
        options.set("USI_Hash", Some("6")),
        Err(OptionError::Fixed("USI_Hash".into()))
    );
    assert_eq!(value(&options, "USI_Hash"), "5");
    assert!(options.is_fixed("usi_hash") && !options.is_fixed("USI_Ponder"));
    // Values set meanwhile apply afterwards, unless they were invalid.
    assert!(options.set("USI_Hash", Some("0")).is_err());
    options.release("USI_Hash").unwrap();
    assert_eq!(value(&options, "USI_Hash"), "6");
    assert!(!options.is_fixed("USI_Hash"));
    options.set("USI_Hash", Some("7")).unwrap();
    assert_eq!(value(&options, "USI_Hash"), "7");
    assert!(options.release("Nothing").is_err());
}

/// The value of an option, as in `setoption`.
fn value(options: &Options, name: &str) -> String {
    let (_, value) = options.get(name).expect("an option");
    value.to_string()
}

#[test]
fn suggestions_are_a_combo_that_takes_any_text() {
    let mut options = Options::default();
    let spec = OptionSpec::suggestions("BookFile", "a.db", &["no_book", "a.db"]);
    assert_eq!(
        spec.to_string(),
        "name BookFile type combo default a.db var no_book var a.db"
    );
    options.define(spec).unwrap();
    for text in ["no_book", "my own.db", "A.DB"] {
        options.set("BookFile", Some(text)).unwrap();
        assert_eq!(value(&options, "BookFile"), text);
    }
    options.set("BookFile", Some("<empty>")).unwrap();
    assert_eq!(value(&options, "BookFile"), "<empty>");
}

#[test]
fn bad_definitions_are_refused() {
    let mut options = Options::default();
    options.define(OptionSpec::button("A")).unwrap();
    for spec in [
        OptionSpec::button("a"),
        OptionSpec::button("b c"),
        OptionSpec::button(""),
        OptionSpec::spin("d", 0, 1, 2),
        OptionSpec::combo("e", "x", &["y"]),
    ] {
        assert!(options.define(spec.clone()).is_err(), "{spec}");
    }
}

proptest::proptest! {
    #[test]
    fn the_head_of_an_info_is_all_but_its_line_and_text(
        words in proptest::collection::vec(proptest::sample::select(&[
            "depth", "seldepth", "multipv", "score", "cp", "mate", "+", "-3", "12", "nodes", "time", "currmove",
            "lowerbound", "upperbound", "pv", "7g7f", "P*5e", "win", "resign", "rep_draw", "string", "x", "",
        ][..]), 0..20)
    ) {
        let text = words.join(" ");
        let expected = Info { pv: Vec::new(), text: None, ..Info::parse(&text) };
        proptest::prop_assert_eq!(Info::parse_head(&text), expected);
    }
}
