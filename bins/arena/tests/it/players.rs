//! What a match says about its players, and what they say of themselves.

use test_support::{TestFolder, UsiScript};

use crate::engine::{COUNT_PLIES, WALKER, arena, lines, script};

/// An engine in a folder of its own that plays with `nn.bin` in its `EvalDir`, and says so; else it says of an error and plays with
/// something else, as engines do. It resigns after as many moves as the file says.
fn network_engine(folder: &TestFolder) {
    std::fs::create_dir_all(folder.path("bin")).expect("a folder");
    let walk = WALKER.replace("$quality", "$moves");
    UsiScript::new("NetEngine 1.0")
        .start("dir=eval")
        .option("EvalDir type string default eval")
        .option("Threads type spin default 4 min 1 max 512")
        .option("USI_Hash type spin default 16 min 1 max 1024")
        .ready(
            r#"if [ -f "$dir/nn.bin" ]; then
        moves=$(cat "$dir/nn.bin"); echo "info string evaluation : net of $moves, $dir, 3 ms"
      else
        moves=1; echo "info string Error! : $dir/nn.bin was not found : PLAYING WITH THE EMBEDDED EVALUATION"
      fi"#,
        )
        .on("\"setoption name EvalDir\"*", "dir=\"${line##*value }\"")
        .on("position*", COUNT_PLIES)
        .go(&walk)
        .write(&folder.path("bin/engine"));
}

/// A folder with that engine and two networks, one of which is better.
fn networks() -> TestFolder {
    let folder = TestFolder::new();
    network_engine(&folder);
    for (name, moves) in [("net1", "8"), ("net2", "4")] {
        std::fs::create_dir_all(folder.path(name).join("final")).expect("a folder");
        folder.write(format!("{name}/final/nn.bin"), moves);
    }
    folder
}

const QUICK: [&str; 8] = [
    "--nodes",
    "10",
    "--games",
    "4",
    "--random-plies",
    "0",
    "--option",
    "Threads=1",
];

#[test]
fn relative_paths_are_those_of_the_user_and_not_of_the_engine() {
    let folder = networks();
    let engines = [
        "match",
        "bin/engine,name=first,EvalDir=net1/final",
        "bin/engine,name=second,EvalDir=net2/final",
    ];
    let args = [&engines[..], &["--json"], &QUICK].concat();
    let json = arena(&folder, &args).succeeded().json();
    assert_eq!(json["wins"], 4, "{json}");
    let network = |name: &str| {
        let path = folder.path(name).canonicalize().expect("a folder");
        path.join("final").display().to_string()
    };
    for (number, label, moves, name) in [(0, "first", 8, "net1"), (1, "second", 4, "net2")] {
        let engine = &json["engines"][number];
        assert_eq!(engine["label"], label);
        assert_eq!(engine["name"], "NetEngine 1.0");
        let evaluation = format!("net of {moves}, {}", network(name));
        assert_eq!(engine["evaluation"], evaluation.as_str());
        assert_eq!(
            (&engine["threads"], &engine["hash_mib"]),
            (&1.into(), &16.into())
        );
    }
    // The same for people.
    let text = [&engines[..], &QUICK, &["--option-b", "USI_Hash=64"]].concat();
    let run = arena(&folder, &text).succeeded();
    let line = format!(
        "A: first (NetEngine 1.0), evaluation: net of 8, {}; Threads 1; hash 16 MiB",
        network("net1")
    );
    assert!(run.text().contains(&line), "{}", run.text());
    assert!(
        run.text().contains("; Threads 1; hash 64 MiB"),
        "{}",
        run.text()
    );
}

#[test]
fn a_match_with_another_evaluation_than_asked_for_is_refused() {
    let folder = networks();
    // A slip of the pen: there is no such folder, neither here nor beside the engine.
    let wrong = "bin/engine,name=second,EvalDir=net3/final";
    let right = "bin/engine,name=first,EvalDir=net1/final";
    let log = ["--log", "match.jsonl"];
    let args = [&["match", right, wrong][..], &log, &QUICK].concat();
    let words = "Error! : net3/final/nn.bin was not found : PLAYING WITH THE EMBEDDED EVALUATION";
    let run = arena(&folder, &args).failed(1, &[words, "engine second", "NetEngine 1.0"]);
    assert!(run.err.contains("--allow-engine-errors"), "{}", run.err);
    // Nothing was played and nothing written.
    assert_eq!(run.text(), "");
    assert!(!folder.path("match.jsonl").exists());
    let allowed = [&args[..], &["--allow-engine-errors", "--json"]].concat();
    let json = arena(&folder, &allowed).succeeded().json();
    assert_eq!(json["wins"], 4);
    // The same in other commands.
    let tail = &QUICK[4..];
    for command in ["gauntlet", "round-robin"] {
        let args = [command, right, wrong, "--nodes", "1", "--rounds", "1"];
        let args = [&args[..], tail].concat();
        arena(&folder, &args).failed(1, &[words]);
    }
    let losses = ["losses", "match.jsonl", right, wrong, "--judge", right];
    let losses = [&losses[..], &["--from", "1", "--tail", "0"]].concat();
    arena(&folder, &losses).failed(1, &[words]);
    let parts = [
        "parts",
        wrong,
        "--part",
        "hash: USI_Hash=32",
        "--nodes",
        "1",
    ];
    arena(&folder, &parts).failed(1, &[words]);
    let tune = ["tune", wrong, "--state", "tune.json", "--spin", "USI_Hash"];
    arena(&folder, &tune).failed(1, &[words]);
}

#[test]
fn networks_in_turn_are_checked_before_the_first_game() {
    let folder = networks();
    let with = |second: &'static str| {
        let args = [
            "match",
            "bin/engine,name=a",
            "bin/engine,name=b",
            "--in-turn",
            "EvalDir=net1/final",
            "--in-turn",
            second,
            "--json",
        ];
        arena(&folder, &[&args[..], &QUICK].concat())
    };
    with("EvalDir=net3/final").failed(1, &["Error! : net3/final/nn.bin"]);
    with("EvalDirectory=net2").failed(1, &["no option EvalDirectory"]);
    let json = with("EvalDir=net2/final").succeeded().json();
    let evaluation = json["engines"][0]["evaluation"].as_str().expect("a text");
    assert!(
        evaluation.contains("net of 8") && evaluation.contains("net of 4"),
        "{evaluation}"
    );
}

#[test]
fn an_error_between_games_stops_the_run() {
    let folder = TestFolder::new();
    // It is ready for the check and for two games.
    UsiScript::new("forgetful")
        .ready("echo x >> ready.txt")
        .ready("if [ $(wc -l < ready.txt) -gt 3 ]; then echo \"info string ERROR: the network is gone\"; fi")
        .go("echo bestmove resign")
        .write(&folder.path("forgetful"));
    script(&folder, "a", WALKER);
    let args = [
        "match",
        "./forgetful",
        "./a",
        "--nodes",
        "1",
        "--games",
        "20",
    ];
    let args = [&args[..], &["--random-plies", "0", "--log", "log"]].concat();
    arena(&folder, &args).failed(1, &["engine forgetful", "ERROR: the network is gone"]);
    // Two games, and none of them is a crash.
    assert_eq!(lines(&folder.path("log")), 3);
    let log = String::from_utf8(folder.read("log")).expect("text");
    assert_eq!(log.matches("\"resign\"").count(), 2, "{log}");
}

#[test]
fn an_engine_that_does_not_get_ready_has_lost_nothing() {
    let folder = TestFolder::new();
    // The program stays what it is: one with other contents would be another match.
    let dying = |count: u32| folder.write("deaths.txt", count.to_string());
    UsiScript::new("dying")
        .ready("echo x >> ready.txt; lives=$(wc -l < ready.txt)")
        .ready("if [ $lives -gt 2 ] && [ $lives -le $(cat deaths.txt) ]; then exit 1; fi")
        .go("echo bestmove resign")
        .write(&folder.path("dying"));
    script(&folder, "a", WALKER);
    let args = ["match", "./dying", "./a", "--nodes", "1", "--games", "4"];
    let args = [&args[..], &["--random-plies", "0", "--log", "log"]].concat();
    dying(1000);
    arena(&folder, &args).failed(1, &["engine dying: does not get ready"]);
    let log = String::from_utf8(folder.read("log")).expect("text");
    assert!(!log.contains("crash") && log.lines().count() == 2, "{log}");
    // One that fails twice and then works is started again, and the match resumes.
    std::fs::remove_file(folder.path("ready.txt")).expect("a file");
    dying(4);
    let json = arena(&folder, &[&args[..], &["--json"]].concat());
    let json = json.succeeded().json();
    assert_eq!((&json["losses"], &json["games"]), (&4.into(), &4.into()));
    assert_eq!(json["engines"][0]["violations"]["crashes"], 0);
}

#[test]
fn players_that_are_alike_are_told() {
    let folder = networks();
    let engine = "bin/engine,EvalDir=net1/final";
    let same = [&["match", engine, engine, "--json"][..], &QUICK].concat();
    let run = arena(&folder, &same).succeeded();
    assert!(
        run.err.contains("both players are the same program"),
        "{}",
        run.err
    );
    let json = run.json();
    assert_eq!(json["pairs"], serde_json::json!([0, 0, 2, 0, 0]));
    let elo = |side: &str| json["elo"][side].as_f64().expect("a number");
    assert!(elo("low") < -20.0 && elo("high") > 20.0, "{json}");
    // Both openings are the start: each game is the same as the first.
    assert_eq!(json["repeated_games"], 3);
    let notes = json["notes"].to_string();
    assert!(
        notes.contains("in each of 2 pairs both games are the same"),
        "{notes}"
    );
    // Two that differ, from one opening: their games repeat.
    let other = "bin/engine,EvalDir=net2/final";
    let differ = [&["match", engine, other][..], &QUICK].concat();
    let text = arena(&folder, &differ).succeeded();
    assert!(!text.err.contains("the same program"), "{}", text.err);
    let told = "note: 2 of 4 games of A and B repeat another one, move for move";
    assert!(text.text().contains(told), "{}", text.text());
}

#[test]
fn results_of_a_few_games_are_finite() {
    let folder = networks();
    for (games, name) in [("1", "one"), ("2", "two"), ("40", "forty")] {
        let args = [
            "match",
            "bin/engine,name=a,EvalDir=net1/final",
            "bin/engine,name=b,EvalDir=net2/final",
            "--nodes",
            "1",
            "--games",
            games,
            "--json",
            "-q",
            "--random-plies",
            "0",
            "--log",
            name,
        ];
        let json = arena(&folder, &args).succeeded().json();
        let elo = ["low", "difference", "high"].map(|key| json["elo"][key].as_f64());
        let [low, difference, high] = elo.map(|value| value.expect("a finite number"));
        assert!(low < difference && difference < high, "{json}");
        assert!(json["superiority"].as_f64().expect("a number") > 0.5);
        let rated = arena(&folder, &["rate", name, "--json"]).succeeded().json();
        let error = rated["ratings"][0]["error"].as_f64().expect("a number");
        assert!(error > 1.0, "{rated}");
        let text = arena(&folder, &["rate", name]).succeeded();
        assert!(!text.text().contains("inf") && !text.text().contains("NaN"));
    }
}

#[test]
fn more_threads_than_cores_are_told() {
    let folder = networks();
    let args = [
        "match",
        "bin/engine,name=a,EvalDir=net1/final",
        "bin/engine,name=b,EvalDir=net2/final",
        "--nodes",
        "1",
        "--games",
        "2",
        "--concurrency",
        "2",
        "--json",
    ];
    let with = |threads: &'static str| {
        let run = arena(&folder, &[&args[..], &["--option", threads]].concat());
        run.succeeded()
    };
    let run = with("Threads=500");
    let told = "2 at a time with 500 threads each want 1000 cores";
    assert!(run.err.contains(told), "{}", run.err);
    assert!(run.json()["notes"].to_string().contains(told));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores > 1 {
        let run = with("Threads=1");
        assert!(!run.err.contains("cores"), "{}", run.err);
    }
}
