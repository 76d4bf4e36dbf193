//! The opening book in games: loading, choosing, lines, pondering; and public reports about books and long mates, the cases of
//! `fixtures/trials/shogi`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use test_support::fixture_bytes;

use crate::util::{Engine, copy_with, trial};

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
    engine.set(options);
    engine
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
        engine.get_ready(),
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
    engine.get_ready();
    let position = "startpos moves 7g7f 3c3d 2g2f 8c8d";
    engine.set(&[("BookDepthLimit", "8")]);
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
    engine.get_ready();
    let best = "bestmove 7g7f ponder 3c3d";
    assert_eq!(
        go(&mut engine, "startpos", "go depth 1").pop().unwrap(),
        best
    );
    let lines = go(&mut engine, "startpos", "go depth 1 searchmoves 9g9f");
    assert!(lines.last().unwrap().starts_with("bestmove 9g9f"));
    engine.quit();
}

/// The lines up to the first of the search, which comes last.
fn until_search(engine: &mut Engine) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        lines.push(engine.line());
        if lines.last().is_some_and(|line| line.contains(" seldepth ")) {
            return lines;
        }
    }
}

#[test]
fn analysis_shows_the_book_above_the_search() {
    let (_folder, program) = with_default_book();
    for options in [
        &[("BookEvalDiff", "0")][..],
        // What decides about playing a move does not matter.
        &[
            ("BookDepthLimit", "99999"),
            ("BookIgnoreRate", "100"),
            ("NarrowBook", "true"),
        ],
    ] {
        let mut engine = start(&program, options);
        engine.get_ready();
        engine.send("position startpos");
        for _ in 0..3 {
            engine.send("go infinite");
            let mut lines = until_search(&mut engine);
            lines.pop();
            assert!(lines.len() >= 2, "{lines:?}");
            for (number, line) in (1..).zip(&lines) {
                assert!(
                    line.contains(&format!(" multipv {number} ")) && line.ends_with("%)"),
                    "{lines:?}"
                );
            }
            assert!(lines[0].contains(" pv 7g7f "), "{lines:?}");
            // The search goes on until it is stopped.
            engine.silent_for(Duration::from_millis(50));
            engine.send("stop");
            engine.until("bestmove");
        }
        let lines = go(&mut engine, "startpos", "go depth 2 searchmoves 2g2f 1g1f");
        let of_book: Vec<_> = lines.iter().filter(|line| line.ends_with("%)")).collect();
        assert_eq!(of_book.len(), 1, "{lines:?}");
        assert!(
            of_book[0].contains(" multipv 1 ") && of_book[0].contains(" pv 2g2f "),
            "{of_book:?}"
        );
        assert!(
            lines.iter().any(|line| line.contains(" seldepth ")),
            "{lines:?}"
        );
        // Not where the book does not know the position, nor with the book off.
        let unknown = go(
            &mut engine,
            "startpos moves 9g9f 9c9d 1g1f",
            "go depth 1 searchmoves 8c8d",
        );
        assert!(
            unknown.iter().all(|line| !line.ends_with("%)")),
            "{unknown:?}"
        );
        engine.quit();
    }
    let mut engine = start(&program, &[("USI_OwnBook", "false")]);
    engine.get_ready();
    engine.send("position startpos");
    engine.send("go infinite");
    assert_eq!(until_search(&mut engine).len(), 1);
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
        // A folder that has only the binary book.
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
            let lines = engine.get_ready();
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
    assert_eq!(engine.get_ready().len(), 2);
    assert!(engine.get_ready().is_empty());
    engine.set(&[("BookOnTheFly", "true")]);
    assert_eq!(engine.get_ready().len(), 1);
    engine.set(&[("BookOnTheFly", "false"), ("IgnoreBookPly", "true")]);
    assert_eq!(engine.get_ready().len(), 2);
    engine.set(&[("BookMoves", "0")]);
    assert!(engine.get_ready().is_empty());
    let path = folder.path().join("book/standard_book.db");
    let mut text = fs::read(&path).unwrap();
    text.extend_from_slice(b"sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n5i5h\n");
    fs::write(&path, text).unwrap();
    let lines = engine.get_ready();
    assert!(lines[1].ends_with("number of positions = 15"), "{lines:?}");
    engine.set(&[("BookFile", "no_book")]);
    assert!(engine.get_ready().is_empty());
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
    assert_eq!(engine.get_ready(), [quiet]);
    assert!(engine.get_ready().is_empty());
    for (name, reason) in [
        ("user_book1.db", ""),
        ("broken.db", ": line 2: "),
        ("broken.ybb", ""),
        ("broken.txt", ""),
    ] {
        engine.set(&[("BookFile", name)]);
        let last = engine.get_ready().pop().expect("an error");
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
        assert_eq!(engine.get_ready().len(), 1);
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

// Public reports about books and long mates: the cases of `fixtures/trials/shogi`.

const EVEN_START: &str = "startpos";

/// The program with books of a folder of trials in its folder `book`.
fn with_books(folder: &str, names: &[&str]) -> (TempDir, PathBuf) {
    let (home, program) = copy_with(&[]);
    fs::create_dir(home.path().join("book")).expect("a folder");
    for name in names {
        let text = fixture_bytes(format!("trials/shogi/{folder}/{name}"));
        fs::write(home.path().join("book").join(name), text).expect(name);
    }
    (home, program)
}

/// Starts the program; returns also its messages about the book.
fn start_trial(program: &Path, book: &str, on_the_fly: bool) -> (Engine, Vec<String>) {
    let mut engine = Engine::start_program(program);
    engine.set(&[
        ("USI_Hash", "1"),
        ("Threads", "1"),
        ("BookDepthLimit", "0"),
        ("BookEvalDiff", "0"),
        ("BookEvalWhiteLimit", "-9999"),
        ("BookFile", book),
        ("BookOnTheFly", if on_the_fly { "true" } else { "false" }),
    ]);
    let messages = engine.get_ready();
    (engine, messages)
}

fn best_move(engine: &mut Engine, position: &str) -> String {
    engine.send(&format!("position {position}"));
    engine.send("go depth 1");
    engine.answer("bestmove")
}

/// Returns whether a line says that a book is out of order at this line.
fn is_warning(messages: &str, book: &str, line: u32) -> bool {
    let place = messages.contains(book) && messages.contains(&format!("line {line}"));
    place && messages.contains("BookOnTheFly") && messages.contains("sorted")
}

/// Trial 10: a byte order mark, CR LF, and out of order.
#[test]
fn an_unsorted_book_is_reported_and_read_into_memory() {
    let best = "bestmove 7g7f ponder 3c3d";
    for (book, on_the_fly, is_told) in [
        ("sorted.db", false, false),
        ("sorted.db", true, false),
        ("bom_crlf.db", false, false),
        ("bom_crlf.db", true, true),
    ] {
        let (_home, program) = with_books("10-book-bom-crlf-unsorted", &[book]);
        let (mut engine, messages) = start_trial(&program, book, on_the_fly);
        let warnings = messages.iter().filter(|line| is_warning(line, book, 5));
        assert_eq!(
            warnings.count(),
            usize::from(is_told),
            "{book}: {messages:?}"
        );
        let errors = messages.iter().filter(|line| line.contains("can't read"));
        assert_eq!(errors.count(), 0, "{messages:?}");
        assert_eq!(best_move(&mut engine, EVEN_START), best, "{book}");
        let second = "startpos moves 7g7f";
        assert_eq!(
            best_move(&mut engine, second),
            "bestmove 3c3d ponder 2g2f",
            "{book}"
        );
        // Nothing is read or messages anew for the next game.
        assert!(engine.get_ready().is_empty());
        assert_eq!(best_move(&mut engine, EVEN_START), best, "{book}");
        engine.quit();
    }
}

/// The same for any place in a larger book, at its end too; when it has been mended it is looked up in place again.
#[test]
fn any_unsorted_line_is_found() {
    let board = |hand: u32| format!("sfen 4k4/9/9/9/9/9/9/9/4K4 b {hand:02}P 1");
    let record = |hand: u32| format!("{}\n5i5h 5a5b {hand} 10 1\n", board(hand));
    let start =
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 1 10 1\n";
    let sorted: Vec<String> = (10..19).map(record).chain([start.to_owned()]).collect();
    let (home, program) = copy_with(&[("book/a.db", b"")]);
    let path = home.path().join("book/a.db");
    let write = |records: &[String]| {
        let text = format!("#YANEURAOU-DB2016 1.00\n{}", records.concat());
        fs::write(&path, text).expect("a book");
    };
    for moved in 0..sorted.len() - 1 {
        // The last one comes before this one.
        let mut records = sorted.clone();
        let last = records.pop().expect("some");
        records.insert(moved, last);
        write(&records);
        let (mut engine, messages) = start_and_check(&program);
        let line = 2 + 2 * (moved as u32 + 1);
        assert!(
            messages
                .iter()
                .any(|messages| is_warning(messages, "a.db", line)),
            "{moved}: {messages:?}"
        );
        assert!(best_move(&mut engine, EVEN_START).starts_with("bestmove 7g7f"));
        if moved == 0 {
            write(&sorted);
            fs::File::open(&path)
                .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
                .expect("a time");
            let messages = engine.get_ready();
            assert!(
                !messages.iter().any(|messages| messages.contains("sorted")),
                "{messages:?}"
            );
            assert!(best_move(&mut engine, EVEN_START).starts_with("bestmove 7g7f"));
        }
        engine.quit();
    }
}

fn start_and_check(program: &Path) -> (Engine, Vec<String>) {
    start_trial(program, "a.db", true)
}

/// Trial 11: fields that are left out, read into memory and on the fly.
#[test]
fn fields_that_are_left_out() {
    let names = ["none.db", "omitted.db", "two.db"];
    let (_home, program) = with_books("11-book-fields-left-out", &names);
    for on_the_fly in [false, true] {
        for (book, values, best) in [
            ("none.db", [0, 0], "bestmove "),
            ("omitted.db", [5, 3], "bestmove 7g7f ponder 3c3d"),
            ("two.db", [0, 0], "bestmove "),
        ] {
            let (mut engine, messages) = start_trial(&program, book, on_the_fly);
            assert!(
                messages.iter().all(|line| !line.contains("Error!")),
                "{book}: {messages:?}"
            );
            engine.send("position startpos");
            engine.send("go depth 1");
            let lines = engine.until("bestmove");
            assert!(lines.last().unwrap().starts_with(best), "{lines:?}");
            for (number, value) in (1..).zip(values) {
                let line = format!(" multipv {number} score cp {value} ");
                assert!(lines.iter().any(|l| l.contains(&line)), "{book}: {lines:?}");
            }
            engine.quit();
        }
    }
}

/// Trial 12: a book in UTF-16 is read, into memory even if it was to be looked up in place.
#[test]
fn a_book_in_utf16_is_read() {
    let (_home, program) = with_books("12-files-in-utf16", &["book.db"]);
    for on_the_fly in [false, true] {
        let (mut engine, messages) = start_trial(&program, "book.db", on_the_fly);
        let done = "info string read book done. number of positions = 1";
        assert_eq!(
            messages.last().map(String::as_str),
            Some(done),
            "{messages:?}"
        );
        let best = best_move(&mut engine, EVEN_START);
        assert_eq!(best, "bestmove 7g7f ponder 3c3d");
        engine.quit();
    }
}

/// Trial 13: a book that knows a position from the other side only.
#[test]
fn a_book_is_probed_from_both_sides() {
    let (_home, program) = with_books("13-flipped-book", &["flip.db"]);
    let white = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let black = "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 2";
    for on_the_fly in [false, true] {
        let (mut engine, messages) = start_trial(&program, "flip.db", on_the_fly);
        assert!(
            !messages.iter().any(|messages| messages.contains("sorted")),
            "{messages:?}"
        );
        // Black's move is worth -20 in the book.
        engine.send("setoption name BookEvalBlackLimit value -9999");
        for (position, best) in [
            (white, "bestmove 3c3d ponder 2g2f"),
            (black, "bestmove 2g2f ponder 8c8d"),
        ] {
            assert_eq!(best_move(&mut engine, position), best);
        }
        engine.send("setoption name FlippedBook value false");
        for position in [white, black] {
            engine.send(&format!("position {position}"));
            engine.send("go depth 1");
            let lines = engine.until("bestmove");
            assert!(lines[0].contains(" seldepth "), "{lines:?}");
        }
        engine.quit();
    }
}

/// Trial 17: the move of the book is held back while the opponent thinks.
#[test]
fn no_move_of_the_book_before_ponderhit_or_stop() {
    let (_home, program) = with_books("13-flipped-book", &["flip.db"]);
    for on_the_fly in [false, true] {
        for end in ["ponderhit", "stop"] {
            let (mut engine, _) = start_trial(&program, "flip.db", on_the_fly);
            for line in trial("17-book-move-while-pondering/in.txt") {
                engine.send(&line);
            }
            engine.until("readyok");
            engine.silent_for(Duration::from_millis(300));
            engine.send(end);
            assert_eq!(engine.answer("bestmove"), "bestmove 8c8d ponder 2g2f");
            engine.quit();
        }
    }
}

/// Trial 21: a mate that is too long for a search against the clock.
#[test]
fn a_long_mate_in_a_game() {
    let mut engine = Engine::ready();
    let position = trial("21-mate-in-a-game/in.txt").remove(0);
    engine.send(&format!(
        "position {}",
        position.trim_start_matches("position ")
    ));
    engine.send("go byoyomi 300");
    let lines = engine.until("bestmove");
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    assert!(!lines.last().unwrap().ends_with("resign"), "{lines:?}");
    let score = |line: &String| {
        let (_, rest) = line.split_once(" score ")?;
        let (kind, rest) = rest.split_once(' ')?;
        let value: i32 = rest.split(' ').next()?.parse().ok()?;
        Some(if kind == "mate" {
            value.signum() * 30_000
        } else {
            value
        })
    };
    let last = lines.iter().rev().find_map(score).expect("a score");
    assert!(last > 500, "{lines:?}");
    engine.quit();
}
