//! Runs that are followed, and jobs that are started on the page.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use test_support::{ServerNeed, TestFolder, fixture_bytes, run_program};

use crate::story::{Story, story_in};

const YANEURA: &str = env!("CARGO_BIN_EXE_yaneura");

/// Appends events of a run to a file, as programs do.
fn append(page: &Story, events: &[Value]) {
    let path = page.server().folder().path("gensfen.jsonl");
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).open(path).unwrap();
    for event in events {
        let mut event = event.clone();
        event["run"] = "19ac2f6b0d4-4711".into();
        file.write_all(format!("{event}\n").as_bytes()).unwrap();
    }
}

/// The time now, in milliseconds since 1970.
fn now() -> u64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    time.map_or(0, |time| time.as_millis() as u64)
}

#[test]
fn a_dashboard_follows_a_run_that_grows() {
    let folder = TestFolder::new();
    folder.write("gensfen.jsonl", "");
    let args = ["--watch", "gensfen.jsonl"];
    story_in(ServerNeed::Runs, folder, &json!({}), &args, |page| {
        let at = now();
        page.click("#tab-runs");
        append(
            page,
            &[
                json!({ "event": "run", "at": at, "started": at, "program": "gensfen", "version": "0.1.0",
                    "command": "gensfen --run --games 1000 -o games.pack", "pid": 4711, "host": "farm1" }),
                json!({ "event": "begin", "at": at, "workers": 2, "finished": 0, "total": 1000, "output": "games.pack" }),
            ],
        );
        page.wait("document.querySelector('table.runs')?.textContent.includes('gensfen')");
        page.click("table.runs tbody tr button");
        for (number, result) in ["black", "white", "black"].into_iter().enumerate() {
            append(
                page,
                &[
                    json!({ "event": "game", "at": at + 1000 * number as u64, "worker": 0, "game": number,
                        "plies": 90 + number, "result": result, "reason": "resignation" }),
                ],
            );
            let done = number + 1;
            append(
                page,
                &[
                    json!({ "event": "progress", "at": at + 1000 * number as u64, "state": "running", "stage": "playing",
                        "done": done, "total": 1000, "unit": "games", "rate": 0.5, "elapsed": 10.0, "eta": 3990.0 }),
                ],
            );
            page.wait(&format!(
                "document.querySelector('#panel dl.facts')?.textContent.includes('{done} / 1,000')"
            ));
        }
        page.wait("document.querySelector('#panel').textContent.includes('games.pack')");
        page.wait("document.querySelectorAll('#panel figure').length >= 2");
        append(
            page,
            &[
                json!({ "event": "failed", "at": at + 4000, "worker": 1, "engine": "YaneuraOu", "reason": "no answer for 600 s" }),
                json!({ "event": "end", "at": at + 5000, "state": "complete", "games": 3 }),
            ],
        );
        page.wait("document.querySelector('#panel .failures').textContent.includes('no answer for 600 s')");
        page.wait("document.querySelector('#panel h2').textContent.includes('complete')");
    });
}

#[test]
fn the_events_of_a_real_program_are_followed() {
    let folder = TestFolder::new();
    folder.write("game.kif", fixture_bytes("kifu/game.kif"));
    folder.write("events.jsonl", "");
    let args = ["--watch", "events.jsonl"];
    story_in(ServerNeed::Runs, folder, &json!({}), &args, |page| {
        page.click("#tab-runs");
        let line = "analyze game.kif --nodes 200 --quiet --events events.jsonl";
        let folder = page.server().folder().path("");
        let time = Duration::from_secs(300);
        run_program(YANEURA, &folder, line.split(' '), Vec::new(), time).succeeded();
        page.wait("document.querySelector('table.runs')?.textContent.includes('yaneura')");
        page.click("table.runs tbody tr button");
        page.wait("document.querySelector('#panel h2').textContent.includes('complete')");
    });
}

/// Fills the form of `yaneura analyze` for the game in the root.
fn analyse(page: &Story, nodes: &str, output: &str) {
    page.click("#tab-jobs");
    page.press("yaneura analyze");
    let file = "[...document.querySelectorAll('#dialog .files button')].find((one) => one.textContent.trim() === 'game.kif')";
    page.wait(file);
    page.eval(&format!("{file}.click()"));
    page.wait("document.querySelector('#dialog .key-chip')?.textContent.includes('game.kif')");
    page.fill("#dialog [name=nodes]", nodes);
    page.fill("#dialog [name=output]", output);
    page.press("Start");
}

#[test]
fn a_job_on_the_page_analyses_a_game() {
    let folder = TestFolder::new();
    folder.write("game.kif", fixture_bytes("kifu/game.kif"));
    story_in(ServerNeed::Jobs, folder, &json!({}), &[], |page| {
        analyse(page, "300", "analysed.kif");
        page.wait("document.querySelector('#panel .job')?.textContent.includes('complete')");
        let text = String::from_utf8(page.server().folder().read("analysed.kif")).unwrap();
        assert!(text.contains("評価値"), "{text}");
    });
}

#[test]
fn a_job_is_paused_resumed_and_stopped() {
    let folder = TestFolder::new();
    folder.write("game.kif", fixture_bytes("kifu/game.kif"));
    story_in(ServerNeed::Jobs, folder, &json!({}), &[], |page| {
        analyse(page, "2000000", "analysed.kif");
        let state = |state: &str| format!("document.querySelector('#panel .job.{state}')");
        page.wait(&state("running"));
        page.press("Pause");
        page.wait(&state("paused"));
        page.press("Resume");
        page.wait(&state("running"));
        // It is a run too.
        page.click("#tab-runs");
        page.wait("document.querySelector('table.runs')?.textContent.includes('running')");
        page.click("#tab-jobs");
        page.press("Stop");
        page.wait(&state("stopped"));
    });
}
