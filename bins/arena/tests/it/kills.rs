//! Runs that resume, killed again and again.

use std::path::Path;

use test_support::{LongJob, TestFolder};

use crate::engine::{ARENA, WALKER, script};

fn walkers(folder: &TestFolder) {
    script(folder, "a", WALKER);
    script(folder, "b", WALKER);
}

/// The lines of a log without times, in one order: games end in any.
fn games(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(log);
    let mut lines: Vec<&str> = text
        .lines()
        .map(|line| line.split(",\"usage\"").next().unwrap_or(line))
        .collect();
    lines.sort_unstable();
    lines.join("\n").into_bytes()
}

#[test]
fn a_match_that_is_killed_has_each_game_once() {
    let line = "match ./a,Quality=8 ./b,Quality=4 --nodes 10 --games 80 --random-plies 0 --log match.jsonl \
                --concurrency 2 -q";
    let job = LongJob {
        essence: games,
        ..LongJob::new(Path::new(ARENA), line, &["match.jsonl"])
    };
    job.survives_kills(walkers);
}
