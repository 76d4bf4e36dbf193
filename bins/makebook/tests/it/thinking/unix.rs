//! Runs that are killed, and engines that do what engines do when things go wrong.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::book;
use crate::books::random_records;
use crate::util::Folder;
use test_support::SplitMix64;

fn start(folder: &Folder, line: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("makebook"))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until so many positions were told to be done; whether the run was still going then.
fn wait_for(child: &mut Child, marks: usize) -> bool {
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
fn killed_runs_end_as_one_that_is_left_alone() {
    let folder = Folder::new();
    folder.write("games.sfen", random_records(24));
    let line = |book: &str| {
        format!(
            "think games.sfen {book} moves 11 depth 9 nodes 500 multipv 2 --multi 1 --hash 1 \
             --classic-progress"
        )
    };
    let whole = folder.run(&format!("{} -q", line("whole.db"))).succeeded();
    let positions = book(&folder.read("whole.db")).len();
    assert!((200..=241).contains(&positions), "{positions}");
    assert!(
        whole.out.contains(&format!("thought   = {positions}")),
        "{whole:?}"
    );
    let mut numbers = SplitMix64::new(1);
    let mut killed = 0;
    for round in 0..20 {
        // Some of them are killed while they write the book.
        let interval = if round % 3 == 0 { 0 } else { 900 };
        let line = format!("{} book_save_interval {interval}", line("killed.db"));
        let mut child = start(&folder, &line);
        wait_for(&mut child, numbers.remainder(12));
        std::thread::sleep(Duration::from_micros(numbers.remainder(5000) as u64));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
    }
    assert!(killed >= 15, "{killed}");
    let last = folder
        .run(&format!("{} --json -q", line("killed.db")))
        .succeeded();
    let end: serde_json::Value = serde_json::from_str(last.out.lines().last().unwrap()).unwrap();
    // What was done before was not done again.
    assert!(end["known"].as_u64().unwrap() > 20, "{end}");
    assert!(folder.read("killed.db") == folder.read("whole.db"));
    assert_eq!(folder.names(), ["games.sfen", "killed.db", "whole.db"]);
}

#[test]
fn an_interrupted_run_writes_what_it_has() {
    let folder = Folder::new();
    folder.write("games.sfen", random_records(24));
    let line = "think games.sfen book.db moves 11 depth 60 nodes 3000 --multi 2 --hash 1 \
                --classic-progress";
    let mut child = start(&folder, line);
    assert!(wait_for(&mut child, 3));
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(kill.unwrap().success());
    let code = child.wait_with_output().unwrap().status.code();
    assert_eq!(code, Some(130));
    let positions = book(&folder.read("book.db")).len();
    assert!((3..200).contains(&positions), "{positions}");
    assert_eq!(folder.names(), ["book.db", "games.sfen"]);
}

/// Writes a shell script that answers as a USI engine, with `answer` for `go`. `$line` is the command.
fn engine(folder: &Folder, answer: &str) {
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in\n usi) echo id name fake 4.56; echo usiok;;\n \
         isready) echo readyok;;\n go*) {answer};;\n quit) exit;;\nesac; done\n"
    );
    folder.write("engine", script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("engine"), mode).unwrap();
}

/// Three positions, of which engines know little.
fn with_engine(answer: &str) -> Folder {
    let folder = Folder::new();
    folder.write("games.sfen", "startpos moves 7g7f 3c3d\n");
    engine(&folder, answer);
    folder
}

const THINK: &str = "think games.sfen book.db depth 5 multipv 1 --engine ./engine";

/// Plays what is legal at black's and white's first moves alike, turned by 180 degrees.
const SENSIBLE: &str = "case $n in w) m=8c8d;; *) m=2g2f;; esac; echo info depth 3 score cp 100 pv $m; \
                        echo bestmove $m";

/// Remembers whose turn it is.
fn sensible(folder: &Folder, first: &str) {
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in\n usi) echo id name fake 4.56; echo usiok;;\n \
         isready) echo readyok;;\n *' w '*) n=w;;\n *' b '*|*startpos*) n=b;;\n go*) {first} {SENSIBLE};;\n \
         quit) exit;;\nesac; done\n"
    );
    folder.write("engine", script);
}

#[test]
fn engines_of_others() {
    let folder = with_engine("");
    sensible(&folder, "");
    folder.run(&format!("{THINK} -q")).succeeded();
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
