//! Games of many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use test_support::{Nats, TestFolder, wait_until};

use crate::engine::{WALKER, lines, script, start};
use crate::tune::iterations;

#[test]
fn a_match_of_many_machines_survives_kills() {
    let folder = TestFolder::new();
    let Some((_server, url)) = Nats::running(&folder) else {
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
    wait_until(|| lines(&log) > 5, "no games");
    // A process that plays: its games go to others. Then the one that serves.
    first.kill();
    let mut second = start(&folder, &with(&["--work", "--concurrency", "2"]));
    let before = lines(&log);
    // On a busy machine all may have been played by now.
    wait_until(|| lines(&log) > (before + 3).min(80), "no more games");
    serve.kill();
    let mut serve = start(&folder, &with(&["--serve", "--log", "m.jsonl"]));
    serve.succeeds();
    second.succeeds();
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
    let Some((_server, url)) = Nats::running(&folder) else {
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
    serve.succeeds();
    work.succeeds();
    assert_eq!(iterations(&folder, "s.json"), 30);
    assert_eq!(lines(&folder.path("s.json.match.jsonl")), 11);
}
