//! Runs that are killed again and again, and what is told of those that cannot be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use test_support::{Nats, Process, ProgramRun, SplitMix64, TestFolder, run_program, wait_until};

use crate::programs;

/// Longest time of a run that is left alone.
const LIMIT: Duration = Duration::from_secs(1800);

/// Kills of a run.
const KILLS: u32 = 20;

/// A small run for shogi: two generations with two candidates each; the second one plays more nodes. The network of the beginning is small, too.
const NNUE: &str = "{
    kind: 'nnue', seed: 7, start: 'none', generations: 2, threads: 2,
    selfplay: { games: 12, nodes: 40, settings: { MAX_GAME_PLY: 80, START_MAX_SCORE: 0 } },
    mix: { older: [0.5], dedup: true },
    training: [
        { name: 'best', from: 'best', arch: 'kp_32x2-8-8', lr: 0.002, epochs: 2, options: ['--batch', '64', '--valid', '10%'] },
        { name: 'new', from: 'nothing', arch: 'kp_32x2-8-8', epochs: 1, options: ['--batch', '64', '--valid', '10%'] },
    ],
    gate: { elo0: -900, elo1: -100, alpha: 0.2, beta: 0.2, games: 8, undecided: 0.1, nodes: 30, made_openings: 6,
            concurrency: 2, options: ['--max-plies', '120'] },
    ladder: { games: 2 },
    at: [{ from: 2, selfplay: { nodes: 50 } }],
}";

/// A small run for othello.
const OTHELLO: &str = "{
    kind: 'othello', seed: 7, start: 'none', generations: 2, threads: 2,
    selfplay: { games: 60, depth: 1, random_plies: '20..40', options: ['--exact', '6'] },
    mix: { older: [1] },
    training: [{ name: 'fit', from: 'nothing', epochs: 2, options: ['--phase', '12', '--parity', '61'] }],
    gate: { elo0: -900, elo1: -100, alpha: 0.2, beta: 0.2, games: 8, undecided: 0.1, level: 1, made_openings: 6, concurrency: 2 },
    ladder: { games: 2 },
}";

/// A small run for policies.
const DEEP: &str = "{
    kind: 'deep', seed: 7, start: 'none', generations: 2, threads: 2,
    selfplay: { games: 3, nodes: 8, settings: { MAX_GAME_PLY: 40 } },
    mix: { older: [1] },
    training: [{ name: 'best', from: 'best', arch: 'resnet1x8', epochs: 1, options: ['--batch', '64', '--valid', '10%'] }],
    gate: { elo0: -900, elo1: -100, alpha: 0.2, beta: 0.2, games: 2, undecided: 0, nodes: 4, made_openings: 0,
            options: ['--max-plies', '30'] },
    ladder: { games: 0 },
}";

/// A folder with the settings of a run.
fn folder_with(settings: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("run.json5", settings);
    folder
}

fn arena(programs: &Path, folder: &TestFolder, line: &str) -> ProgramRun {
    let program = programs.join("arena");
    run_program(
        program,
        &folder.path(""),
        line.split(' '),
        Vec::new(),
        LIMIT,
    )
}

/// The files of a run that follow from its settings, by path: all but logs, reports, and what has dates in it.
fn results(folder: &TestFolder) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let root = folder.path("run");
    let mut folders = vec![root.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("below").to_owned();
            let text = name.to_str().expect("UTF-8");
            let ends = [
                ".jsonl", ".out", ".events", ".time", ".lock", ".html", ".svg",
            ];
            if ends.iter().all(|end| !text.ends_with(end)) {
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

/// The ladder without dates.
fn ladder(programs: &Path, folder: &TestFolder) -> Value {
    let mut report = arena(programs, folder, "evolve run --ladder --json")
        .succeeded()
        .json();
    let rows = report["ladder"]["rows"].as_array_mut().expect("rows");
    for row in rows {
        assert!(!row["date"].as_str().expect("a date").is_empty());
        row["date"] = Value::Null;
    }
    report
}

/// Runs the settings once undisturbed, and once with kills (`SIGKILL`) at moments all over the run.
fn survives_kills(settings: &str) -> (TestFolder, Value) {
    let programs = programs::folder();
    let whole = folder_with(settings);
    let run = arena(&programs, &whole, "evolve run.json5 --quiet --json").succeeded();
    assert_eq!(run.json()["end"], "done", "{run:?}");
    let expected = (results(&whole), ladder(&programs, &whole));
    let stages = lines(&whole);

    let folder = folder_with(settings);
    let mut random = SplitMix64::new(20);
    let mut killed = 0;
    while killed < KILLS {
        let args = ["evolve", "run.json5", "--quiet", "--json"];
        let mut process = Process::start(programs.join("arena"), &folder.path(""), args);
        // A part of the run's stages for each kill, and a moment somewhere in a stage.
        let until = stages * (killed as usize + 1) / (KILLS as usize + 1);
        wait_until(
            || process.has_ended() || lines(&folder) >= until,
            "no stage is finished",
        );
        let pause = random.remainder(300);
        std::thread::sleep(Duration::from_millis(pause as u64));
        if process.has_ended() {
            break;
        }
        process.kill();
        killed += 1;
    }
    assert!(killed > KILLS / 2, "only {killed} kills");
    // On another number of threads.
    let line = "evolve run.json5 --quiet --json --threads 1";
    arena(&programs, &folder, line).succeeded();
    let found = (results(&folder), ladder(&programs, &folder));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found.0), names(&expected.0));
    for (name, bytes) in &expected.0 {
        assert!(found.0[name] == *bytes, "{} is another one", name.display());
    }
    assert_eq!(found.1, expected.1);
    assert_eq!(lines(&folder), stages);
    // There is nothing left to do.
    let again = arena(&programs, &folder, line).succeeded();
    assert_eq!(
        again.json()["ladder"]["rows"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(lines(&folder), stages);
    (folder, expected.1)
}

/// Number of lines of the journal.
fn lines(folder: &TestFolder) -> usize {
    fs::read_to_string(folder.path("run/evolve.jsonl")).map_or(0, |text| text.lines().count())
}

pub(crate) fn killed_nnue_runs_end_alike() {
    let (folder, ladder) = survives_kills(NNUE);
    check_best(&folder, &ladder, "nn.bin");
    let names = results(&folder);
    let has = |name: &str| names.contains_key(Path::new(name));
    assert!(has("networks/0002-new/nn.bin") && has("0002/unique-games.pack"));
    // A candidate that was not promoted goes when there is a newer one.
    let promoted = ladder["ladder"]["rows"][0]["network"] == "0001-new";
    assert_eq!(has("networks/0001-new/nn.bin"), promoted);
    // Checkpoints go with the generation.
    assert!(!folder.path("run/0002/best").exists());
    let page = String::from_utf8(folder.read("run/ladder.html")).expect("UTF-8");
    assert!(
        page.contains("<td>") && page.contains("Elo above start"),
        "{page}"
    );
    assert!(folder.read("run/ladder.svg").starts_with(b"<svg"));
}

pub(crate) fn killed_othello_runs_end_alike() {
    let (folder, ladder) = survives_kills(OTHELLO);
    check_best(&folder, &ladder, "weights.yev");
}

/// Checks that the best network is one that passed its gate, and that the file beside it says so.
fn check_best(folder: &TestFolder, ladder: &Value, file: &str) {
    let best: Value = serde_json::from_slice(&folder.read("run/best/best.json")).expect("JSON");
    let network = best["network"].as_str().expect("a name");
    assert_eq!(best["file"], file);
    let (own, trained) = (
        folder.read(format!("run/best/{file}")),
        folder.read(format!("run/networks/{network}/{file}")),
    );
    assert!(own == trained && best["bytes"] == own.len());
    let rows = ladder["ladder"]["rows"].as_array().expect("rows");
    let mut rows = rows.iter().filter(|row| row["promoted"] == true);
    let last = rows.next_back().expect("a promotion");
    assert_eq!(last["network"], network);
    assert_eq!(last["gate"]["passed"], true);
    assert!(last["elo"][1].as_f64().expect("an error") > 0.0);
}

pub(crate) fn policies_grow() {
    let programs = programs::folder();
    let folder = folder_with(DEEP);
    let run = arena(&programs, &folder, "evolve run.json5").succeeded();
    // The first one has nobody to play with, and those after it have.
    assert!(
        run.err
            .contains("generation 1, promote: 0001-best is the best now"),
        "{run:?}"
    );
    assert!(
        run.err
            .contains("generation 2, gate best: against 0001-best"),
        "{run:?}"
    );
    assert!(run.text().contains("Elo above 0001-best"), "{run:?}");
    assert!(folder.path("run/best/model.onnx").is_file());
}

pub(crate) fn other_machines_play_the_same_games() {
    let programs = programs::folder();
    let folder = TestFolder::new();
    let Some((_server, url)) = Nats::running(&folder) else {
        return;
    };
    let queue = format!("queue: {{ url: '{url}' }}, generations: 2");
    folder.write("run.json5", NNUE.replace("generations: 2", &queue));
    let args = ["evolve", "run", "--work", "--threads", "2", "--quiet"];
    fs::create_dir_all(folder.path("run")).expect("a folder");
    let mut worker = Process::start(programs.join("arena"), &folder.path(""), args);
    let line = "evolve run.json5 --quiet --generations 1";
    arena(&programs, &folder, line).succeeded();
    // It ends with the run.
    worker.succeeds();
    let alone = folder_with(NNUE);
    arena(&programs, &alone, line).succeeded();
    let results = |folder: &TestFolder| {
        let mut files = results(folder);
        files.remove(Path::new("evolve.now"));
        files
    };
    let (shared, alone) = (results(&folder), results(&alone));
    assert!(shared.keys().eq(alone.keys()), "{:?}", shared.keys());
    for (name, bytes) in &alone {
        assert!(shared[name] == *bytes, "{} is another one", name.display());
    }
}

pub(crate) fn what_is_wrong_is_told() {
    let programs = programs::folder();
    let run = |folder: &TestFolder, line: &str| arena(&programs, folder, line);
    let small = "{ kind: 'othello', start: 'none', generations: 1, threads: 1, selfplay: { games: 5, depth: 1,
        options: ['--exact', '2'] }, training: [{ name: 'fit', from: 'nothing', epochs: 1, options: [OPTIONS] }],
        gate: { games: 2, level: 0, made_openings: 0 }, ladder: { games: 0 } }";
    let folder = folder_with(&small.replace("OPTIONS", "'--phase', '0'"));
    // The words of the program that failed, and the settings that are wrong.
    let failed = run(&folder, "evolve run.json5");
    failed.failed(
        1,
        &[
            "generation 1, train fit",
            "othello train",
            "exit code 2",
            "--phase",
        ],
    );
    folder.write("run.json5", small.replace("OPTIONS", "'--phase', '20'"));
    let other = run(&folder, "evolve run.json5");
    other.failed(
        1,
        &[
            "is a run with other settings",
            "training[0].options",
            "--force",
        ],
    );
    folder.write("run.json5", small.replace("OPTIONS", "'--phase', '0'"));
    run(&folder, "evolve run.json5 --hours 0.0000001").succeeded();
    folder.write("run.json5", small.replace("OPTIONS", "'--phase', '20'"));
    run(&folder, "evolve run.json5 --force").succeeded();
    let table = run(&folder, "evolve run.json5 --ladder").succeeded();
    assert!(table.text().contains("no"), "{table:?}");
    // Nothing better came, and nothing was shipped that is worse.
    assert_eq!(
        table.text().contains("promoted"),
        folder.path("run/best").exists()
    );
    folder.write("bad.json5", "{ kind: 'nnue', selfplay: { node: 5 } }");
    run(&folder, "evolve bad.json5").failed(1, &["bad.json5: selfplay.node: unknown field"]);
    run(&folder, "evolve none.json5").failed(1, &["none.json5"]);
    run(&folder, "evolve nothing --ladder").failed(1, &["there is no run"]);
    run(&folder, "evolve").failed(2, &["SETTINGS"]);
    let text = run(&folder, "evolve --print-settings deep").succeeded();
    assert!(text.text().contains("kind: \"deep\""), "{text:?}");
}
