//! Books that learn, killed again and again: alone, with programs that search, with machines that share a NATS server. And
//! what students ask books.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use test_support::{LongJob, Nats, Process, TestFolder};

use crate::program::{fixture, json, run, run_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_othello");

/// Learning that takes a second or two.
const LEARN: [&str; 13] = [
    "book",
    "learn",
    "--level",
    "3",
    "--depth",
    "8",
    "--error",
    "6",
    "--sum",
    "12",
    "--leaf-error",
    "6",
    "-q",
];

fn learn(folder: &TestFolder, output: &str, more: &[&str]) -> (i32, String, String) {
    run_in(
        &folder.path(""),
        &[&LEARN[..], &["-o", output], more].concat(),
    )
}

/// The book that every run has to make.
fn expected(folder: &TestFolder) -> Vec<u8> {
    let (code, out, error) = learn(folder, "whole.egbk3", &["--threads", "2"]);
    assert_eq!(code, 0, "{out}{error}");
    folder.read("whole.egbk3")
}

/// How often what machines share is killed: a hundred times with `YANE_KILLS=100`.
fn kills() -> u32 {
    let kills = std::env::var("YANE_KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(6)
}

#[test]
fn runs_that_are_killed_make_the_same_files() {
    let learn = format!(
        "{} -o book.egbk3 --threads 1 --save-interval 0.002",
        LEARN.join(" ")
    );
    let from_games = "book from_games games.txt -o book.egbk3 --level 4 --threads 1 -q";
    let play = "selfplay -o ends.olp --eval untrained --games 3000 --random 46..50 --plies 50..59 --depth 1 --exact 10 -q";
    for (line, output) in [
        (learn.as_str(), "book.egbk3"),
        (from_games, "book.egbk3"),
        (play, "ends.olp"),
    ] {
        LongJob::new(Path::new(PROGRAM), line, &[output]).survives_kills(|folder| {
            folder.write(
                "games.txt",
                "f5d6c3d3c4f4f6f3e6e7\nf5f6e6f4e3c5c4e7c6d3\nf5d6c5f4e3f6\n",
            );
        });
    }
}

#[test]
fn programs_that_fail_make_the_same_book() {
    let folder = TestFolder::new();
    let whole = expected(&folder);
    let worker = format!("{PROGRAM} book worker");
    let (code, out, error) = learn(
        &folder,
        "programs.egbk3",
        &["--worker", &worker, "--each", "2"],
    );
    assert_eq!(code, 0, "{out}{error}");
    assert!(folder.read("programs.egbk3") == whole);
    // One answers a few searches and ends, one talks nonsense and is given up.
    let some = "n=0; while read line; do echo \"$line\"; n=$((n+1)); [ $n = 6 ] && exit; done";
    folder.write("ends.sh", format!("{{ {some}; }} | {worker}\n"));
    folder.write("nonsense.sh", "while read line; do echo what; done\n");
    let args = [
        "--worker",
        "sh ends.sh",
        "--worker",
        "sh nonsense.sh",
        "--worker",
        &worker,
    ];
    let (code, out, error) = learn(&folder, "failing.egbk3", &args);
    assert_eq!(code, 0, "{out}{error}");
    assert!(folder.read("failing.egbk3") == whole);
    let (code, _, error) = learn(&folder, "none.egbk3", &["--worker", "sh nonsense.sh"]);
    assert!(
        code == 1 && error.contains("no program is left to search"),
        "{error}"
    );
}

#[test]
fn programs_with_other_weights_get_no_search() {
    let folder = TestFolder::new();
    let whole = expected(&folder);
    let worker = format!("{PROGRAM} book worker");
    let untrained = format!("{worker} --eval untrained");
    let (code, _, error) = learn(&folder, "other.egbk3", &["--worker", &untrained]);
    assert_eq!(code, 1, "{error}");
    assert!(
        error.contains("weights untrained\"; \"othello-bookwork 1, weights "),
        "{error}"
    );
    let both = ["--worker", &untrained, "--worker", &worker];
    let (code, out, error) = learn(&folder, "both.egbk3", &both);
    assert_eq!(code, 0, "{out}{error}");
    assert!(folder.read("both.egbk3") == whole);
    // Weights that are named here are those that programs must have, too.
    let same = ["--worker", &untrained, "--eval", "untrained"];
    let (code, out, error) = learn(&folder, "untrained.egbk3", &same);
    assert_eq!(code, 0, "{out}{error}");
    assert!(folder.read("untrained.egbk3") != whole);
}

#[test]
fn machines_that_are_killed_make_the_same_book() {
    let folder = TestFolder::new();
    let Some(nats) = Nats::new(&folder) else {
        return;
    };
    let whole = expected(&folder);
    let mut server = nats.start();
    let url = nats.url();
    let queue = ["--queue", &url, "--lease", "1"];
    let work = [&["book", "worker", "-q", "--threads", "1"][..], &queue].concat();
    let here = folder.path("");
    let start = |args: &[&str]| Process::start(PROGRAM, &here, args);
    let mut workers = [start(&work), start(&work)];
    let (mut kills, limit) = (0, kills());
    // As many books as it takes to kill so often.
    for book in 0.. {
        let name = format!("queue{book}.egbk3");
        let output = ["-o", name.as_str(), "--save-interval", "0.01"];
        let serve = [&LEARN[..], &output, &queue].concat();
        let mut server_of_work = start(&serve);
        let end = Instant::now() + Duration::from_secs(200);
        loop {
            std::thread::sleep(Duration::from_millis(150));
            let ended = server_of_work.has_ended();
            if ended && server_of_work.code() == Some(0) {
                break;
            }
            assert!(Instant::now() < end, "{name} takes too long, {kills} kills");
            if kills < limit {
                match kills % 4 {
                    0 => server_of_work = start(&serve),
                    3 => {
                        server.kill();
                        server = nats.start();
                    }
                    n => workers[n as usize - 1] = start(&work),
                }
                kills += 1;
            } else if ended {
                server_of_work = start(&serve);
            }
        }
        assert!(folder.read(&name) == whole, "{name}, {kills} kills");
        if kills >= limit {
            break;
        }
    }
    eprintln!("{kills} kills");
    drop(server);
}

#[test]
fn budgets_recipes_and_wrong_words() {
    let folder = TestFolder::new();
    let whole = expected(&folder);
    let recipe =
        "{ stages: [ { do: 'learn', level: 3, depth: 8, error: 6, sum: 12, leaf_error: 6 } ] }";
    folder.write("recipe.json5", recipe);
    let here = folder.path("");
    let args = [
        "book",
        "recipe",
        "recipe.json5",
        "-o",
        "recipe.egbk3",
        "--positions",
        "40",
        "--json",
    ];
    let mut runs = 0;
    loop {
        let (code, out, error) = run_in(&here, &args);
        assert_eq!(code, 0, "{error}");
        let summary: Value = serde_json::from_str(&out).unwrap();
        runs += 1;
        if summary["complete"] == true {
            break;
        }
        assert!(error.contains("Reached --positions"), "{error}");
        assert!(run_in(&here, &["book", "check", "recipe.egbk3"]).0 == 0);
    }
    assert!(runs > 1 && folder.read("recipe.egbk3") == whole);
    // It is there, and nothing is to be resumed.
    let (code, _, error) = run_in(&here, &args);
    assert!(code != 0 && error.contains("--force"), "{error}");
    for (args, code, word) in [
        (
            &["learn", "-o", "x.egbk3", "--level", "61"][..],
            2,
            "level 61",
        ),
        (&["learn", "-o", "x.egbk3", "--error", "many"], 2, "inf"),
        (&["learn", "-o", "x.book"], 2, ".egbk3"),
        (&["learn", "none.egbk3", "-o", "x.egbk3"], 1, "none.egbk3"),
        (&["learn", "-o", "x.egbk3", "--start", "f5f5"], 2, "f5"),
        (
            &["recipe", "whole.egbk3", "-o", "x.egbk3"],
            1,
            "whole.egbk3",
        ),
        (
            &["set", "whole.egbk3", "f5", "65", "-o", "x.egbk3"],
            2,
            "64",
        ),
    ] {
        let (found, _, error) = run_in(&here, &[&["book"], args].concat());
        assert!(
            found == code && error.contains(word),
            "{args:?}: {found} {error}"
        );
    }
    assert!(!folder.path("x.egbk3").exists());
}

#[test]
fn values_are_set_by_hand() {
    let folder = TestFolder::new();
    let output = folder.path("set.egbk3");
    let book = fixture("egaroucid/var_a.egbk3");
    let args = [
        "book",
        "set",
        book.to_str().unwrap(),
        "f5d6",
        "-7",
        "-o",
        output.to_str().unwrap(),
    ];
    let (code, out, error) = run(&args);
    assert_eq!(code, 0, "{out}{error}");
    let (code, found) = json(&["book", "lookup", output.to_str().unwrap(), "f5d6"]);
    assert_eq!(
        (code, &found["value"], &found["level"]),
        (0, &7.into(), &70.into()),
        "{found}"
    );
    let (code, out, _) = run(&[
        "book",
        "diff",
        book.to_str().unwrap(),
        output.to_str().unwrap(),
        "--list",
    ]);
    assert!(code == 1 && out.contains("+7@70"), "{out}");
    let (code, _, _) = run(&[
        "book",
        "diff",
        output.to_str().unwrap(),
        output.to_str().unwrap(),
    ]);
    assert_eq!(code, 0);
}

#[test]
fn lines_are_shown() {
    let folder = TestFolder::new();
    let book = fixture("egaroucid/var_g.egbk3");
    let book = book.to_str().unwrap();
    let (code, out, error) = run(&["book", "tree", book, "--depth", "3"]);
    assert!(
        code == 0 && out.lines().count() > 3 && out.contains("line"),
        "{out}{error}"
    );
    let (code, found) = json(&["book", "umigame", book]);
    assert!(
        code == 0 && found["umigame"]["black"].as_u64().unwrap() >= 1,
        "{found}"
    );
    let (code, found) = json(&["book", "draws", book]);
    assert!(code == 0 && found["lines"].is_u64(), "{found}");
    folder.write("games.txt", "f5d6c3\nf5f4\nf5f4\nd3c5\nx9\n");
    let games = folder.path("games.txt");
    let (code, out, error) = run(&["book", "practice", book, games.to_str().unwrap(), "--json"]);
    assert!(code == 1 && error.contains("line 5"), "{out}{error}");
    // Its positions are of level 1.
    let imported = fixture("egaroucid/import_dev_a.egbk3");
    let book = imported.to_str().unwrap();
    let output = folder.path("book.dat");
    let output = output.to_str().unwrap();
    let (code, out, error) = run(&[
        "book", "export", book, "-o", output, "--search", "--level", "edax1", "-q",
    ]);
    assert_eq!(code, 0, "{out}{error}");
    let (code, found) = json(&["book", "info", output, "--no-side-car"]);
    assert!(code == 0 && found["edax_searches"] == 0, "{found}");
}
