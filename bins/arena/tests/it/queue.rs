//! Games of many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use test_support::TestFolder;

use crate::engine::{Process, WALKER, lines, script, start, wait_until};
use crate::tune::iterations;

/// A server, and the address under which it is found. Says so when there is no `nats-server`.
fn nats(folder: &TestFolder) -> Option<(Process, String)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let extra = [PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")];
    let program = std::env::split_paths(&path)
        .chain(extra)
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file());
    let Some(program) = program else {
        eprintln!("SKIPPED: there is no nats-server here (Debian: apt-get install nats-server)");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = port.local_addr().expect("an address").port();
    let child = Command::new(program)
        .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
        .arg(folder.path("nats"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
    Some((Process(child), format!("nats://127.0.0.1:{port}")))
}

#[test]
fn a_match_of_many_machines_survives_kills() {
    let folder = TestFolder::new();
    let Some((_server, url)) = nats(&folder) else {
        return;
    };
    script(&folder, "a", WALKER);
    script(&folder, "b", WALKER);
    let common = [
        "match",
        "./a,Quality=9",
        "./b,Quality=4",
        "--nodes",
        "1",
        "--games",
        "80",
        "--random-plies",
        "0",
        "-q",
        "--lease",
        "2",
        "--queue",
        &url,
    ];
    let with = |more: &[&'static str]| [&common[..], more].concat();
    let mut serve = start(&folder, &with(&["--serve", "--log", "m.jsonl"]));
    let mut first = start(&folder, &with(&["--work"]));
    let log = folder.path("m.jsonl");
    wait_until(|| lines(&log) > 5);
    // A process that plays: its games go to others. Then the one that serves.
    first.kill();
    let mut second = start(&folder, &with(&["--work", "--concurrency", "2"]));
    let before = lines(&log);
    wait_until(|| lines(&log) > before + 3);
    serve.kill();
    let mut serve = start(&folder, &with(&["--serve", "--log", "m.jsonl"]));
    assert_eq!(serve.code(), Some(0));
    assert_eq!(second.code(), Some(0));
    let text = String::from_utf8(folder.read("m.jsonl")).expect("text");
    assert_eq!(text.lines().count(), 81);
    let mut numbers: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["game"]["game"]
                .as_u64()
                .expect("a number")
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..80).collect::<Vec<_>>());
}

#[test]
fn tuning_and_its_closing_match_are_shared() {
    let folder = TestFolder::new();
    let Some((_server, url)) = nats(&folder) else {
        return;
    };
    script(&folder, "walker", WALKER);
    let common = [
        "tune",
        "./walker",
        "--state",
        "s.json",
        "--iterations",
        "30",
        "--nodes",
        "1",
        "--random-plies",
        "0",
        "--check",
        "10",
        "-q",
        "--lease",
        "2",
        "--queue",
        &url,
    ];
    let with = |more: &[&'static str]| [&common[..], more].concat();
    let mut serve = start(&folder, &with(&["--serve", "--ahead", "4"]));
    let mut work = start(&folder, &with(&["--work", "--concurrency", "2"]));
    assert_eq!(serve.code(), Some(0));
    assert_eq!(work.code(), Some(0));
    assert_eq!(iterations(&folder, "s.json"), 30);
    assert_eq!(lines(&folder.path("s.json.match.jsonl")), 11);
}
