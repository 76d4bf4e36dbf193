//! `s_tera` and `mine`: runs that are killed, and what comes of them.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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

/// Waits until so many positions were told to be done.
fn wait_for(child: &mut Child, positions: usize) {
    let out = BufReader::new(child.stdout.as_mut().unwrap());
    let told = out.lines().map_while(Result::ok);
    let told = told.filter(|line| line.contains("\"event\":\"position\""));
    assert!(told.take(positions).count() <= positions);
}

/// Kills `line` again and again at random until it ends by itself, or `state`, the file with which it would go
/// on, shows that it was killed when everything was done; how often it was killed.
fn kill(folder: &Folder, line: &str, state: &str, most: usize) -> u32 {
    let mut numbers = SplitMix64::new(5);
    for killed in 0.. {
        let mut child = start(folder, &format!("{line} --json"));
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
fn check(folder: &Folder, book: &str) {
    let run = folder.run(&format!("check {book}")).succeeded();
    assert!(run.out.contains("no problems found"), "{run:?}");
}

fn positions(folder: &Folder, book: &str) -> usize {
    let text = String::from_utf8(folder.read(book)).unwrap();
    text.lines()
        .filter(|line| line.starts_with("sfen "))
        .count()
}

#[test]
fn a_killed_s_tera_ends_as_one_that_is_left_alone() {
    let folder = Folder::new();
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
    let whole = folder.run(&line("whole.db")).succeeded();
    assert!(whole.out.contains("thought   = 70"), "{whole:?}");
    assert_eq!(positions(&folder, "whole.db"), 70);
    check(&folder, "whole.db");
    let killed = kill(&folder, &line("killed.db"), "killed.db.journal", 12);
    assert!(killed >= 5, "{killed}");
    assert!(folder.read("killed.db") == folder.read("whole.db"));
    let names = ["games.sfen", "killed.db", "roots.txt", "whole.db"];
    assert_eq!(folder.names(), names);
    // The book is one of those that stera_convert is for.
    let line = "stera_convert read_book whole.db write_book tera.db root_sfens_name roots.txt";
    let converted = folder.run(line).succeeded();
    assert!(!converted.out.contains("left out"), "{converted:?}");
    assert!(converted.out.contains("positions = 70"), "{converted:?}");
}

#[test]
fn many_engines_killed_lose_nothing_that_is_done() {
    let folder = Folder::new();
    let line = "stera write_book book.db nodes_limit 60 think_limit 120 --multi 4 --hash 1 -q";
    let killed = kill(&folder, line, "book.db.journal", 20);
    assert!(killed >= 3, "{killed}");
    assert_eq!(positions(&folder, "book.db"), 120);
    check(&folder, "book.db");
    assert_eq!(folder.names(), ["book.db"]);
}

#[test]
fn an_interrupted_s_tera_says_so_and_has_its_book() {
    let folder = Folder::new();
    let line = "s_tera write_book book.db nodes_limit 60 --multi 1 --hash 1 --json numbered_saves \
                book_save_interval 4";
    let mut child = start(&folder, line);
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
fn a_killed_mine_ends_as_one_that_is_left_alone() {
    let folder = Folder::new();
    folder.write("roots.txt", "startpos moves 7g7f\nstartpos moves 2g2f\n");
    let line = |book: &str| {
        format!(
            "mine {book} --roots roots.txt --positions 60 --batch 16 --nodes 60 --eval-diff 40 --multipv 3 \
             --multi 1 --hash 1 -q"
        )
    };
    let whole = folder.run(&line("whole.db")).succeeded();
    assert!(whole.out.contains("in all    = 60 positions"), "{whole:?}");
    assert_eq!(positions(&folder, "whole.db"), 60);
    check(&folder, "whole-peta.db");
    let killed = kill(&folder, &line("killed.db"), "killed.db.mine.json", 10);
    assert!(killed >= 5, "{killed}");
    assert!(folder.read("killed.db") == folder.read("whole.db"));
    assert!(folder.read("killed-peta.db") == folder.read("whole-peta.db"));
    let names = [
        "killed-peta.db",
        "killed.db",
        "roots.txt",
        "whole-peta.db",
        "whole.db",
    ];
    assert_eq!(folder.names(), names);
}

#[test]
fn an_engine_that_tells_nothing_writes_nothing() {
    let folder = Folder::new();
    let script = "#!/bin/sh\nwhile read -r line; do case $line in\n usi) echo id name mute; echo usiok;;\n \
                  isready) echo readyok;;\n go*) echo bestmove 7g7f;;\n quit) exit;;\nesac; done\n";
    folder.write("mute", script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("mute"), mode).unwrap();
    let line = "s_tera write_book book.db think_limit 3 --engine ./mute -q";
    let run = folder.run(line);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("1 positions given up"), "{run:?}");
    assert!(!run.out.contains("book      ="), "{run:?}");
    assert_eq!(folder.names(), ["mute"]);
}
