//! The opening book in games: loading, choosing, lines, pondering.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use test_support::fixture_bytes;

use crate::util::{Engine, copy_with, is_usual};

fn book_fixture(name: &str) -> Vec<u8> {
    fixture_bytes(format!("book/{name}"))
}

/// The program with a book under the default name.
fn with_default_book() -> (TempDir, PathBuf) {
    let book = book_fixture("probe/probe_book.db");
    copy_with(&[("book/standard_book.db", &book)])
}

fn start(program: &Path, options: &[(&str, &str)]) -> Engine {
    let mut engine = Engine::start_program(program);
    engine.send("setoption name USI_Hash value 1");
    set(&mut engine, options);
    engine
}

fn set(engine: &mut Engine, options: &[(&str, &str)]) {
    for (name, value) in options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
}

/// The lines before `readyok`.
fn get_ready(engine: &mut Engine) -> Vec<String> {
    engine.send("isready");
    let mut lines = engine.until("readyok");
    lines.pop();
    lines.retain(|line| !is_usual(line));
    lines
}

fn go(engine: &mut Engine, position: &str, go: &str) -> Vec<String> {
    engine.send(&format!("position {position}"));
    engine.send(go);
    engine.until("bestmove")
}

#[test]
fn a_game_begins_from_the_default_book() {
    let (folder, program) = with_default_book();
    let mut engine = Engine::start_program(&program);
    // As ShogiHome does: register, send every option, begin a game.
    engine.send("usi");
    let options = engine.until("usiok");
    assert!(options.iter().all(|line| !line.starts_with("info")));
    for line in options {
        let words: Vec<_> = line.split(' ').collect();
        if let ["option", "name", name, "type", _, "default", value, ..] = words[..] {
            let value = if name == "USI_Hash" { "1" } else { value };
            engine.send(&format!("setoption name {name} value {value}"));
        }
    }
    let path = folder.path().join("book").join("standard_book.db");
    assert_eq!(
        get_ready(&mut engine),
        [
            format!("info string read book file : {}", path.display()),
            "info string read book done. number of positions = 14".to_owned(),
        ]
    );
    engine.send("usinewgame");
    let times = "go btime 600000 wtime 600000 byoyomi 10000";
    let mut lines = go(&mut engine, "startpos", times);
    let best = lines.pop().expect("bestmove");
    assert!(
        ["bestmove 7g7f ponder 3c3d", "bestmove 2g2f ponder 8c8d"].contains(&best.as_str()),
        "{best}"
    );
    let line = |rest: &str| format!("info depth {rest}");
    let nothing = "nodes 0 nps 0 hashfull 0 time 0 pv";
    assert_eq!(
        lines,
        [
            line(&format!(
                "20 multipv 1 score cp 51 {nothing} 7g7f 3c3d 2g2f 8c8d 2f2e (60.00%)"
            )),
            line(&format!(
                "20 multipv 2 score cp 42 {nothing} 2g2f 5c5d (30.00%)"
            )),
            line(&format!("18 multipv 3 score cp 15 {nothing} 9g9f (6.00%)")),
            line(&format!(
                "22 multipv 4 score cp -42 {nothing} 5g5f 5c5d 4i5h (4.00%)"
            )),
            "info string BookEvalDiff = 30 , BookEvalBlackLimit = 0 , 4 moves to 2 moves."
                .to_owned(),
        ]
    );
    // Out of the book the search goes on.
    let lines = go(&mut engine, "startpos moves 9g9f 9c9d", "go depth 2");
    assert!(lines.iter().any(|line| line.contains(" seldepth ")));
    engine.quit();
}

#[test]
fn pondering_holds_the_move_of_the_book_back() {
    let (_folder, program) = with_default_book();
    let mut engine = start(&program, &[("USI_Ponder", "true")]);
    get_ready(&mut engine);
    let position = "startpos moves 7g7f 3c3d 2g2f 8c8d";
    set(&mut engine, &[("BookDepthLimit", "8")]);
    for answer in ["ponderhit", "stop"] {
        engine.send(&format!("position {position}"));
        engine.send("go ponder btime 1000 wtime 1000 byoyomi 1000");
        engine.silent_for(Duration::from_millis(200));
        engine.send(answer);
        assert_eq!(engine.answer("bestmove"), "bestmove 2f2e");
    }
    engine.quit();
}

#[test]
fn analysis_and_named_moves_are_searched() {
    let (_folder, program) = with_default_book();
    let mut engine = start(&program, &[("BookEvalDiff", "0")]);
    get_ready(&mut engine);
    let best = "bestmove 7g7f ponder 3c3d";
    assert_eq!(
        go(&mut engine, "startpos", "go depth 1").pop().unwrap(),
        best
    );
    let lines = go(&mut engine, "startpos", "go depth 1 searchmoves 9g9f");
    assert!(lines.last().unwrap().starts_with("bestmove 9g9f"));
    engine.send("go infinite");
    let first = engine.line();
    assert!(first.contains(" seldepth "), "{first}");
    engine.send("stop");
    engine.until("bestmove");
    engine.quit();
}

#[test]
fn any_file_in_any_folder_and_format() {
    let text = book_fixture("ybb/acyclic.db");
    let binary = book_fixture("ybb/acyclic_nd.ybb");
    let (folder, program) = copy_with(&[
        ("my books/a.db", &text),
        ("my books/b.ybb", &binary),
        ("c.ybb", &binary),
    ]);
    let elsewhere = folder.path().join("my books");
    let elsewhere = elsewhere.to_str().unwrap();
    for (dir, file) in [
        ("my books", "a.db"),
        (elsewhere, "a.db"),
        ("my books", "b.ybb"),
        // Where only the binary one exists.
        ("my books", "b.db"),
        (".", "c.ybb"),
    ] {
        for on_the_fly in ["false", "true"] {
            let options = [
                ("BookDir", dir),
                ("BookFile", file),
                ("BookOnTheFly", on_the_fly),
                ("BookEvalDiff", "0"),
                ("BookDepthLimit", "0"),
            ];
            let mut engine = start(&program, &options);
            let lines = get_ready(&mut engine);
            assert!(lines[0].starts_with("info string read book file : "));
            let best = go(&mut engine, "startpos", "go depth 1").pop().unwrap();
            assert!(best.starts_with("bestmove 9g9f"), "{dir} {file}: {best}");
            engine.quit();
        }
    }
}

#[test]
fn a_book_is_read_again_when_something_has_changed() {
    let (folder, program) = with_default_book();
    let mut engine = start(&program, &[]);
    assert_eq!(get_ready(&mut engine).len(), 2);
    assert!(get_ready(&mut engine).is_empty());
    set(&mut engine, &[("BookOnTheFly", "true")]);
    assert_eq!(get_ready(&mut engine).len(), 1);
    set(
        &mut engine,
        &[("BookOnTheFly", "false"), ("IgnoreBookPly", "true")],
    );
    assert_eq!(get_ready(&mut engine).len(), 2);
    set(&mut engine, &[("BookMoves", "0")]);
    assert!(get_ready(&mut engine).is_empty());
    let path = folder.path().join("book/standard_book.db");
    let mut text = fs::read(&path).unwrap();
    text.extend_from_slice(b"sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n5i5h\n");
    fs::write(&path, text).unwrap();
    let lines = get_ready(&mut engine);
    assert!(lines[1].ends_with("number of positions = 15"), "{lines:?}");
    set(&mut engine, &[("BookFile", "no_book")]);
    assert!(get_ready(&mut engine).is_empty());
    let lines = go(&mut engine, "startpos", "go depth 1");
    assert!(lines[0].contains(" seldepth "), "{lines:?}");
    engine.quit();
}

#[test]
fn without_its_book_the_engine_plays_all_the_same() {
    let (folder, program) = copy_with(&[
        ("book/broken.db", b"sfen 9/9/9/9/9/9/9/9/9 b - 1\nhello\n"),
        ("book/broken.ybb", b"hello"),
    ]);
    let path = |name: &str| folder.path().join("book").join(name).display().to_string();
    let mut engine = start(&program, &[]);
    let quiet = format!(
        "info string no opening book : {} is not there",
        path("standard_book.db")
    );
    assert_eq!(get_ready(&mut engine), [quiet]);
    assert!(get_ready(&mut engine).is_empty());
    for (name, reason) in [
        ("user_book1.db", ""),
        ("broken.db", ": line 2: "),
        ("broken.ybb", ""),
        ("broken.txt", ""),
    ] {
        set(&mut engine, &[("BookFile", name)]);
        let last = get_ready(&mut engine).pop().expect("an error");
        let expected = format!(
            "info string Error! : can't read file : {}{reason}",
            path(name)
        );
        assert!(last.starts_with(&expected), "{last}");
        let lines = go(&mut engine, "startpos", "go depth 1");
        assert!(lines.last().unwrap().starts_with("bestmove "));
    }
    engine.quit();
}

#[test]
fn the_second_profile_has_options_of_its_own() {
    let book = book_fixture("probe/probe_book.db");
    for line in [&b"BOOK_OPTIONS=V2\n"[..], b"\n BOOK_OPTIONS_V2 \r\n"] {
        let (_folder, program) = copy_with(&[
            ("engine_option_profile.txt", line),
            ("user_book1.db", &book),
        ]);
        let mut engine = start(&program, &[]);
        engine.send("usi");
        let options = engine.until("usiok");
        let has = |text: &str| options.iter().any(|line| line.starts_with(text));
        for text in [
            "option name BookMoves type spin default 200 ",
            "option name BookFile type combo default user_book1.db ",
            "option name BookDir type string default .",
            "option name BookEvalBlackDiff type spin default 0 ",
            "option name BookDepthWhiteLimit type spin default 5 ",
            "option name BookOnTheFly type check default true",
        ] {
            assert!(has(text), "{text}");
        }
        for name in [
            "BookEvalDiff",
            "BookDepthLimit",
            "NarrowBook",
            "ConsiderBookMoveCount",
        ] {
            assert!(!has(&format!("option name {name} ")), "{name}");
        }
        assert_eq!(get_ready(&mut engine).len(), 1);
        let lines = go(&mut engine, "startpos", "go depth 1");
        let note =
            "info string BookEvalBlackDiff = 0 , BookEvalBlackLimit = 0 , 4 moves to 1 moves.";
        assert_eq!(
            lines[lines.len() - 2..],
            [note.to_owned(), "bestmove 7g7f ponder 3c3d".to_owned()]
        );
        engine.quit();
    }
}
