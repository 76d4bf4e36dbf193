//! Kills, Ctrl-C and full disks, for any command line that makes `out`. The tests of `pack2hcpe` use it
//! too.
#![allow(dead_code, reason = "each program needs a part of it")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use test_support::ProgramRun;

use crate::util::{Folder, PROGRAM};

fn start(folder: &Folder, line: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin(PROGRAM))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills `line`, which writes `out` in `folder`, `times` times at moments all over its run.
pub(crate) fn kill(folder: &Folder, line: &str, out: &str, times: u32) {
    let others = folder.names();
    let begin = Instant::now();
    assert!(start(folder, line).wait().unwrap().success(), "{line}");
    let duration = begin.elapsed();
    let new = folder.read(out);
    assert!(new.len() > 100_000, "{line}: too small to be killed");
    let (mut killed, mut completed) = (0, 0);
    for time in 0..times {
        folder.write(out, "old");
        let mut child = start(folder, line);
        std::thread::sleep(duration * time / times);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = folder.read(out);
        completed += u32::from(found == new);
        let len = found.len();
        assert!(found == b"old" || found == new, "{line}: {len} bytes");
    }
    assert!(killed > 0, "{line}: {completed} of {times} completed");
    // The next run clears up what the killed ones left.
    assert!(start(folder, line).wait().unwrap().success());
    assert!(folder.read(out) == new);
    std::fs::remove_file(folder.path(out)).unwrap();
    assert_eq!(folder.names(), others, "{line}");
}

/// Interrupts `line`, which writes `out` in `folder`, with Ctrl-C.
pub(crate) fn interrupt(folder: &Folder, line: &str, out: &str) {
    folder.write(out, "old");
    let names = folder.names();
    let mut delay = Duration::ZERO;
    // Too early, the program does not listen yet; too late, it is done.
    for _ in 0..500 {
        let child = start(folder, line);
        std::thread::sleep(delay);
        let pid = child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
        match child.wait_with_output().unwrap().status.code() {
            Some(130) => {
                assert!(folder.read(out) == b"old");
                assert_eq!(folder.names(), names);
                return;
            }
            Some(0) => {
                folder.write(out, "old");
                delay = Duration::ZERO;
            }
            other => assert_eq!(other, None, "killed before it listened"),
        }
        delay += Duration::from_millis(1);
    }
    panic!("{line}: never interrupted");
}

/// Runs `line`, which writes `out` in `folder`, with room for 4 or 8 KiB a file.
pub(crate) fn fill_disk(folder: &Folder, line: &str, out: &str) {
    folder.write(out, "old");
    let names = folder.names();
    let output = Command::new("sh")
        .current_dir(folder.path("."))
        .args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(assert_cmd::cargo::cargo_bin(PROGRAM))
        .args(line.split(' '))
        .output()
        .unwrap();
    ProgramRun::new(output).failed(1, &["File too large", out]);
    assert_eq!(folder.read(out), b"old", "{line}");
    assert_eq!(folder.names(), names, "{line}");
}

/// Runs `line`, which writes to the standard output, with that full.
#[cfg(target_os = "linux")]
pub(crate) fn fill_stdout(folder: &Folder, line: &str) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let output = Command::new(assert_cmd::cargo::cargo_bin(PROGRAM))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .stdout(full.unwrap())
        .output()
        .unwrap();
    ProgramRun::new(output).failed(1, &["standard output: No space left"]);
}

/// Runs `line`, which writes a lot to the standard output, without a reader for it.
pub(crate) fn close_stdout(folder: &Folder, line: &str) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin(PROGRAM))
        .current_dir(folder.path("."))
        .args(line.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = ProgramRun::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
}
