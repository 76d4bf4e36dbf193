//! Ctrl-C at any moment: a signal to the whole process group, as terminals send it, writes no result.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use test_support::{Process, SplitMix64, TestFolder, wait_until};

use crate::engine::{ARENA, WALKER, arena, lines, playing, program, script};

/// Starts `arena` in a group of its own, as a shell does for a command.
fn start_in_group(folder: &TestFolder, args: &[&str]) -> Process {
    let mut command = Command::new(ARENA);
    command
        .args(args)
        .current_dir(folder.path(""))
        .stderr(Stdio::null())
        .process_group(0);
    Process::spawn(&mut command)
}

/// Ctrl-C.
fn interrupt(arena: &Process) {
    let group = format!("-{}", arena.id());
    let mut kill = Command::new("kill");
    kill.args(["-INT", "--", &group]).stderr(Stdio::null());
    // It may have ended by itself.
    kill.status().expect("kill");
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn an_interruption_at_any_moment_writes_no_result() {
    let folder = TestFolder::new();
    // Slow enough to be interrupted while it gets ready, moves, and is told the end of a game.
    let slow = WALKER.replace("turn=", "sleep 0.004; turn=");
    for name in ["a", "b"] {
        let engine = playing(name, &slow).ready("sleep 0.03");
        engine.write(&folder.path(name));
    }
    let args = [
        "match",
        "./a,Quality=6",
        "./b,Quality=3",
        "--nodes",
        "10",
        "--games",
        "120",
        "--random-plies",
        "0",
        "--log",
        "match.jsonl",
        "--concurrency",
        "3",
        "--json",
    ];
    let log = folder.path("match.jsonl");
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = seed.map_or(1, |time| time.as_nanos() as u64);
    let mut random = SplitMix64::new(seed);
    let mut played = 0;
    for round in 0..8 {
        let mut arena = start_in_group(&folder, &args);
        if round > 1 {
            // In the middle of games.
            wait_until(|| lines(&log) > played.max(1), "no more games");
        }
        std::thread::sleep(Duration::from_millis(random.next_u64() % 200));
        interrupt(&arena);
        let code = arena.code();
        // Before it catches signals it ends by them.
        assert!(
            matches!(code, None | Some(130 | 0)),
            "{code:?}, seed {seed}"
        );
        let text = text(&log);
        for word in ["crash", "time_forfeit", "illegal_move"] {
            assert!(!text.contains(word), "seed {seed}: {text}");
        }
        assert!(lines(&log) >= played);
        played = lines(&log);
    }
    assert!(played > 1, "nothing was played");
    let json = arena(&folder, &args).succeeded().json();
    assert_eq!((&json["wins"], &json["games"]), (&120.into(), &120.into()));
    for engine in 0..2 {
        assert_eq!(json["engines"][engine]["violations"]["crashes"], 0);
    }
}

#[test]
fn engines_behind_scripts_end_with_the_run() {
    let folder = TestFolder::new();
    let engine = script(&folder, "real", WALKER);
    // The script notes the number of what it starts, which does not end by itself.
    let wrapper = format!(
        "#!/bin/sh\nsleep 1000 > /dev/null 2>&1 &\necho $! >> helpers.txt\n{}\n",
        engine.display()
    );
    program(&folder, "a", &wrapper);
    script(&folder, "b", WALKER);
    let args = [
        "match",
        "./a",
        "./b",
        "--nodes",
        "1",
        "--games",
        "100000",
        "--random-plies",
        "0",
        "--log",
        "log",
    ];
    let mut arena = start_in_group(&folder, &args);
    wait_until(|| lines(&folder.path("log")) > 3, "no games");
    interrupt(&arena);
    assert_eq!(arena.code(), Some(130));
    let helpers = text(&folder.path("helpers.txt"));
    assert!(!helpers.is_empty());
    for helper in helpers.lines() {
        let is_gone = || {
            let ps = Command::new("ps")
                .args(["-o", "stat=", "-p", helper])
                .output();
            let stat = ps.expect("ps").stdout;
            let stat = String::from_utf8_lossy(&stat).trim().to_owned();
            stat.is_empty() || stat.starts_with('Z')
        };
        wait_until(is_gone, "a helper is left");
    }
}
