//! Runs that resume, killed again and again.

use std::path::Path;

use test_support::{LongJob, fixture, fixture_text};

use crate::util::PROGRAM;

#[test]
fn a_training_that_is_killed_gives_the_same_networks() {
    let line = "learn --train teacher.psv --valid 10% --arch kp_32x2-8-8 --batch 256 --mirror 0 --epochs 4 \
                --checkpoint 0 --quiet -o net";
    LongJob::new(Path::new(PROGRAM), line, &["net"]).survives_kills(|folder| {
        std::fs::copy(fixture("learning/valid5k.psv"), folder.path("teacher.psv")).expect("a copy");
    });
}

#[test]
fn a_collection_that_is_killed_gives_the_same_answers() {
    let line = "mate --json --quiet --hash 4 --resume problems.jsonl -o out.jsonl";
    let job = LongJob {
        essence: answers,
        ..LongJob::new(Path::new(PROGRAM), line, &["out.jsonl"])
    };
    job.survives_kills(|folder| {
        folder.write("problems.jsonl", fixture_text("mate/mate_selfplay.jsonl"));
    });
}

/// Answers without the work that they took: nodes and times.
fn answers(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().map(|line| line.split(",\"nodes\"").next());
    lines.flatten().collect::<Vec<_>>().join("\n").into_bytes()
}
