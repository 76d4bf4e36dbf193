//! Runs that search: killed again and again, interrupted, and with engines that do what engines do when things go wrong.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command};
use std::time::Duration;
use test_support::{SplitMix64, TestFolder, UsiScript};

use crate::thinking::book;

use crate::util::{RunMakebook, random_records};

/// Waits until so many positions were told to be done.
fn wait_for(child: &mut Child, positions: usize) {
    let out = BufReader::new(child.stdout.as_mut().unwrap());
    let told = out.lines().map_while(Result::ok);
    let told = told.filter(|line| line.contains("\"event\":\"position\""));
    assert!(told.take(positions).count() <= positions);
}

/// Kills `line` again and again at random until it ends by itself, or `state`, the file with which it would go
/// on, shows that it was killed when everything was done; how often it was killed.
fn kill(folder: &TestFolder, line: &str, state: &str, most: usize) -> u32 {
    let mut numbers = SplitMix64::new(5);
    for killed in 0.. {
        let mut child = folder.start(&format!("{line} --json"));
        if killed >= 12 {
            drop(child.stdout.take());
            assert!(child.wait().unwrap().success());
            return killed;
        }
        wait_for(&mut child, numbers.remainder(most));
        std::thread::sleep(Duration::from_micros(numbers.remainder(1_000) as u64));
        child.kill().unwrap();
        // In its last moment a run has nothing to go on with, and its book.
        let (path, book) = (
            folder.path(state),
            folder.path(state.split_once('.').unwrap().0),
        );
        if child.wait().unwrap().success() || (book.with_extension("db").exists() && !path.exists())
        {
            return killed;
        }
    }
    unreachable!()
}

/// Checks a book with the program itself.
fn check(folder: &TestFolder, book: &str) {
    let run = folder.run(&format!("check {book}")).silent();
    assert!(run.text().contains("no problems found"), "{run:?}");
}

fn positions(folder: &TestFolder, book: &str) -> usize {
    let text = String::from_utf8(folder.read(book)).unwrap();
    text.lines()
        .filter(|line| line.starts_with("sfen "))
        .count()
}

#[test]
fn a_killed_s_tera_ends_as_one_that_is_left_alone() {
    let folder = TestFolder::new();
    folder.write(
        "roots.txt",
        "startpos\nstartpos moves 7g7f\nstartpos moves 2g2f\n",
    );
    folder.write("games.sfen", "startpos moves 9g9f 9c9d 1g1f 1c1d\n");
    let line = |book: &str| {
        format!(
            "s_tera write_book {book} root_sfens_name roots.txt kif_sfens_name games.sfen nodes_limit 60 \
             think_limit 70 book_save_interval 9 search_delta 40 --multi 1 --hash 1 -q"
        )
    };
    let whole = folder.run(&line("whole.db")).silent();
    assert!(whole.text().contains("thought   = 70"), "{whole:?}");
    assert_eq!(positions(&folder, "whole.db"), 70);
    check(&folder, "whole.db");
    let killed = kill(&folder, &line("killed.db"), "killed.db.journal", 12);
    assert!(killed >= 5, "{killed}");
    assert!(folder.read("killed.db") == folder.read("whole.db"));
    let names = ["games.sfen", "killed.db", "roots.txt", "whole.db"];
    assert_eq!(folder.names(), names);
    // The book is one of those that stera_convert is for.
    let line = "stera_convert read_book whole.db write_book tera.db root_sfens_name roots.txt";
    let converted = folder.run(line).silent();
    assert!(!converted.text().contains("left out"), "{converted:?}");
    assert!(converted.text().contains("positions = 70"), "{converted:?}");
}

#[test]
fn many_engines_killed_lose_nothing_that_is_done() {
    let folder = TestFolder::new();
    let line = "stera write_book book.db nodes_limit 60 think_limit 120 --multi 4 --hash 1 -q";
    let killed = kill(&folder, line, "book.db.journal", 20);
    assert!(killed >= 3, "{killed}");
    assert_eq!(positions(&folder, "book.db"), 120);
    check(&folder, "book.db");
    assert_eq!(folder.names(), ["book.db"]);
}

#[test]
fn an_interrupted_s_tera_says_so_and_has_its_book() {
    let folder = TestFolder::new();
    let line = "s_tera write_book book.db nodes_limit 60 --multi 1 --hash 1 --json numbered_saves \
                book_save_interval 4";
    let mut child = folder.start(line);
    wait_for(&mut child, 10);
    drop(child.stdout.take());
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(positions(&folder, "book.db") >= 10);
    // More may be known when it is written.
    let [first, second] = ["book.db.000001", "book.db.000002"].map(|name| positions(&folder, name));
    assert!(first >= 4 && second > first, "{first} {second}");
    assert!(folder.names().contains(&"book.db.journal".to_owned()));
}

#[test]
fn an_engine_that_tells_nothing_writes_nothing() {
    let folder = TestFolder::new();
    UsiScript::new("mute")
        .go("echo bestmove 7g7f")
        .write(&folder.path("mute"));
    let line = "s_tera write_book book.db think_limit 3 --engine ./mute -q";
    let run = folder.run(line);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.text().contains("1 position given up"), "{run:?}");
    assert!(!run.text().contains("book      ="), "{run:?}");
    assert_eq!(folder.names(), ["mute"]);
}

/// Waits until so many positions were told to be done; whether the run was still going then.
fn wait_for_marks(child: &mut Child, marks: usize) -> bool {
    let out = child.stdout.as_mut().unwrap();
    let mut seen = 0;
    let mut byte = [0];
    while seen < marks {
        match out.read(&mut byte) {
            Ok(1) => seen += usize::from(byte == *b"."),
            _ => return false,
        }
    }
    true
}

#[test]
fn an_interrupted_run_writes_what_it_has() {
    let folder = TestFolder::new();
    folder.write("games.sfen", random_records(24));
    let line = "think games.sfen book.db moves 11 depth 60 nodes 3000 --multi 2 --hash 1 \
                --classic-progress";
    let mut child = folder.start(line);
    assert!(wait_for_marks(&mut child, 3));
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(kill.unwrap().success());
    let code = child.wait_with_output().unwrap().status.code();
    assert_eq!(code, Some(130));
    let positions = book(&folder.read("book.db")).len();
    assert!((3..200).contains(&positions), "{positions}");
    assert_eq!(folder.names(), ["book.db", "games.sfen"]);
}

/// Writes an engine with `answer` for `go`.
fn engine(folder: &TestFolder, answer: &str) {
    UsiScript::new("fake 4.56")
        .go(answer)
        .write(&folder.path("engine"));
}

/// Three positions, of which engines know little.
fn with_engine(answer: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("games.sfen", "startpos moves 7g7f 3c3d\n");
    engine(&folder, answer);
    folder
}

const THINK: &str = "think games.sfen book.db depth 5 multipv 1 --engine ./engine";

/// Plays what is legal at black's and white's first moves alike, turned by 180 degrees.
const SENSIBLE: &str = "case $n in w) m=8c8d;; *) m=2g2f;; esac; echo info depth 3 score cp 100 pv $m; \
                        echo bestmove $m";

/// Remembers whose turn it is.
fn sensible(folder: &TestFolder, first: &str) {
    UsiScript::new("fake 4.56")
        .on("*' w '*", "n=w")
        .on("*' b '*|*startpos*", "n=b")
        .go(&format!("{first} {SENSIBLE}"))
        .write(&folder.path("engine"));
}

#[test]
fn engines_of_others() {
    let folder = with_engine("");
    sensible(&folder, "");
    folder.run(&format!("{THINK} -q")).silent();
    let made = book(&folder.read("book.db"));
    assert_eq!(made.len(), 3);
    for moves in made.values() {
        let [words] = &moves[..] else {
            panic!("{moves:?}")
        };
        // 100 centipawns are a pawn, which is 90 in a book; the version is the count.
        assert_eq!(words[1..], ["none", "90", "5", "456"]);
    }
}

#[test]
fn an_engine_that_dies_costs_nothing() {
    let folder = with_engine("");
    let die = "if [ ! -e died ]; then touch died; exit 1; fi;";
    sensible(&folder, die);
    let run = folder.run(THINK);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("starting it again"), "{run:?}");
    assert_eq!(book(&folder.read("book.db")).len(), 3);
}

#[test]
fn an_engine_that_hangs_is_started_again() {
    let folder = with_engine("");
    let hang = "if [ ! -e hung ]; then touch hung; sleep 60; fi;";
    sensible(&folder, hang);
    let run = folder.run(&format!("{THINK} think_timeout 1"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(book(&folder.read("book.db")).len(), 3);
}

#[test]
fn engines_that_make_no_sense_spoil_no_book() {
    for (answer, told) in [
        (
            "echo info depth 1 score cp 5 pv 1a1b; echo bestmove 1a1b",
            "not legal",
        ),
        ("echo bestmove resign", "reported no line"),
        ("exit 3", "ended"),
    ] {
        let folder = with_engine(answer);
        folder.write("games.sfen", "startpos\n");
        let run = folder.run(THINK);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains(told), "{told}: {run:?}");
        assert!(!folder.names().contains(&"book.db".to_owned()));
    }
}
