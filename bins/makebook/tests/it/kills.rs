//! A program that is killed leaves the old file or the complete new one.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::books::random_book;
use crate::util::Folder;
use test_support::SplitMix64;

/// Positions of the books.
const POSITIONS: usize = 20_000;
const OLD: &[u8] = b"#YANEURAOU-DB2016 1.00\nthe old file\n";

fn start(folder: &Folder, line: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("makebook"))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Two books and an old output.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.db", random_book(1, POSITIONS));
    folder.write("b.db", random_book(2, POSITIONS));
    folder.write("out.db", OLD);
    folder
}

/// Kills `line`, which writes `out.db`, `times` times at random moments.
fn kill(line: &str, times: u64) {
    let folder = folder();
    let begin = Instant::now();
    assert!(start(&folder, line).wait().unwrap().success());
    let duration = begin.elapsed();
    let new = folder.read("out.db");
    assert!(new.len() > 100_000);
    folder.write("out.db", OLD);
    let mut numbers = SplitMix64::new(times);
    let (mut killed, mut completed) = (0, 0);
    for _ in 0..times {
        let mut child = start(&folder, line);
        let share = numbers.remainder(1200) as u32;
        std::thread::sleep(duration * share / 1000);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = folder.read("out.db");
        if found == new {
            completed += 1;
            folder.write("out.db", OLD);
        } else {
            assert!(
                found == OLD,
                "{line}: a damaged file of {} bytes",
                found.len()
            );
        }
    }
    assert!(killed > 0, "{line}: {completed} of {times} completed");
    // The next run clears up what the killed ones left.
    folder.write(".out.db.dead.tmp", "half a book");
    assert!(start(&folder, line).wait().unwrap().success());
    assert!(folder.read("out.db") == new);
    assert_eq!(folder.names(), ["a.db", "b.db", "out.db"]);
}

#[test]
fn merge_is_killed() {
    kill("merge a.db b.db out.db", 35);
}

#[test]
fn sort_is_killed() {
    // With so little memory there are temporary files.
    kill("sort a.db out.db --memory 64K", 35);
}

#[test]
fn peta_shock_is_killed() {
    kill("peta_shock a.db out.db", 30);
}

#[test]
fn an_interrupted_run_says_so() {
    let folder = folder();
    let line = "sort a.db out.db --memory 64K --threads 1";
    let mut delay = Duration::ZERO;
    let mut interrupted = false;
    // Too early, the program does not listen yet; too late, it is done.
    for _ in 0..200 {
        let child = start(&folder, line);
        std::thread::sleep(delay);
        let pid = child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
        let code = child.wait_with_output().unwrap().status.code();
        match code {
            Some(130) => {
                assert!(folder.read("out.db") == OLD);
                assert_eq!(folder.names(), ["a.db", "b.db", "out.db"]);
                interrupted = true;
                break;
            }
            Some(0) => {
                folder.write("out.db", OLD);
                delay = Duration::ZERO;
            }
            other => assert_eq!(other, None, "killed before it listened"),
        }
        delay += Duration::from_millis(1);
    }
    assert!(interrupted);
}
