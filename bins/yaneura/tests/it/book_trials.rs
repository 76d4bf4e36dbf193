//! Public reports about books and long mates: the cases of `fixtures/trials/shogi`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use test_support::fixture_bytes;

use crate::util::{Engine, copy_with, is_usual, trial};

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
fn start(program: &Path, book: &str, on_the_fly: bool) -> (Engine, Vec<String>) {
    let mut engine = Engine::start_program(program);
    for (name, value) in [
        ("USI_Hash", "1"),
        ("Threads", "1"),
        ("BookDepthLimit", "0"),
        ("BookEvalDiff", "0"),
        ("BookEvalWhiteLimit", "-9999"),
        ("BookFile", book),
        ("BookOnTheFly", if on_the_fly { "true" } else { "false" }),
    ] {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    let messages = get_ready(&mut engine);
    (engine, messages)
}

fn get_ready(engine: &mut Engine) -> Vec<String> {
    engine.send("isready");
    let mut lines = engine.until("readyok");
    lines.pop();
    lines.retain(|line| !is_usual(line));
    lines
}

fn answer(engine: &mut Engine, position: &str) -> String {
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
        let (mut engine, messages) = start(&program, book, on_the_fly);
        let warnings = messages.iter().filter(|line| is_warning(line, book, 5));
        assert_eq!(
            warnings.count(),
            usize::from(is_told),
            "{book}: {messages:?}"
        );
        let errors = messages.iter().filter(|line| line.contains("can't read"));
        assert_eq!(errors.count(), 0, "{messages:?}");
        assert_eq!(answer(&mut engine, EVEN_START), best, "{book}");
        let second = "startpos moves 7g7f";
        assert_eq!(
            answer(&mut engine, second),
            "bestmove 3c3d ponder 2g2f",
            "{book}"
        );
        // Nothing is read or messages anew for the next game.
        assert!(get_ready(&mut engine).is_empty());
        assert_eq!(answer(&mut engine, EVEN_START), best, "{book}");
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
        assert!(answer(&mut engine, EVEN_START).starts_with("bestmove 7g7f"));
        if moved == 0 {
            write(&sorted);
            fs::File::open(&path)
                .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
                .expect("a time");
            let messages = get_ready(&mut engine);
            assert!(
                !messages.iter().any(|messages| messages.contains("sorted")),
                "{messages:?}"
            );
            assert!(answer(&mut engine, EVEN_START).starts_with("bestmove 7g7f"));
        }
        engine.quit();
    }
}

fn start_and_check(program: &Path) -> (Engine, Vec<String>) {
    start(program, "a.db", true)
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
            let (mut engine, messages) = start(&program, book, on_the_fly);
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
        let (mut engine, messages) = start(&program, "book.db", on_the_fly);
        let done = "info string read book done. number of positions = 1";
        assert_eq!(
            messages.last().map(String::as_str),
            Some(done),
            "{messages:?}"
        );
        let best = answer(&mut engine, EVEN_START);
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
        let (mut engine, messages) = start(&program, "flip.db", on_the_fly);
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
            assert_eq!(answer(&mut engine, position), best);
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
            let (mut engine, _) = start(&program, "flip.db", on_the_fly);
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
