//! `rescore --engine`: new scores by a program.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pack_format::{Psv, record::records};
use test_support::UsiScript;

use crate::util::{Folder, golden};

/// The records of a short file.
const FILE: &str = "selfplay/declaration_n50.psv";

/// Writes an engine whose score is the length of the `position` command and the limit together, after a piece of shell script.
fn engine(folder: &Folder, name: &str, before: &str, ready: &str) {
    lengths(before, ready).write(&folder.path(name));
}

fn lengths(before: &str, ready: &str) -> UsiScript {
    let go = format!(
        "{before}\n      echo \"info depth 1 nodes 1 score cp $((length + ${{line##* }})) pv resign\"\n      \
         echo bestmove resign"
    );
    UsiScript::new("Lengths 1.0")
        .start("threads=none")
        .option("Threads type spin default 4 min 1 max 8")
        .option("EvalDir type string default eval")
        .ready(ready)
        .on("\"setoption name Threads\"*", "threads=\"${line##* }\"")
        .on("position*", "length=${#line}")
        .go(&go)
}

fn scores(psv: &[u8]) -> Vec<i16> {
    let records = records::<Psv>(psv);
    records.map(|record| record.unwrap().score.0).collect()
}

#[test]
fn scores_are_those_of_the_program_on_any_number_of_processes() {
    let folder = Folder::with(&[FILE]);
    engine(&folder, "engine", "", "true");
    let line = "rescore declaration_n50.psv --engine ./engine --force";
    let run = folder
        .run(&format!("{line} -o one.psv --nodes 7 --threads 1"))
        .succeeded();
    assert!(run.err.contains("evaluation: Lengths 1.0"), "{run:?}");
    let one = folder.read("one.psv");
    let by_nodes = scores(&one);
    assert_eq!(by_nodes.len(), 23);
    // `position sfen …` of positions in the late middle game.
    assert!(
        by_nodes.iter().all(|score| (60..200).contains(score)),
        "{by_nodes:?}"
    );
    for threads in [2, 5] {
        let line = format!("{line} -o more.psv --nodes 7 --threads {threads} -q");
        folder.run(&line).silent();
        assert!(folder.read("more.psv") == one, "{threads}");
    }
    let line = format!("{line} -o depth.psv --depth 3 -q --json");
    let json = folder.run(&line).silent().json();
    assert_eq!(json["evaluation"], "Lengths 1.0");
    let by_depth = scores(&folder.read("depth.psv"));
    let less_four = by_nodes.iter().map(|score| score - 4);
    assert_eq!(by_depth, less_four.collect::<Vec<_>>());
}

#[test]
fn a_process_that_dies_or_hangs_is_started_again() {
    let folder = Folder::with(&[FILE]);
    engine(&folder, "engine", "", "true");
    let line = "rescore declaration_n50.psv --nodes 7 --threads 2 --force -q";
    folder
        .run(&format!("{line} -o right.psv --engine ./engine"))
        .silent();
    let right = folder.read("right.psv");
    let once = |what: &str| format!("if mkdir done 2> /dev/null; then {what}; fi");
    for what in ["exit 1", "sleep 1000"] {
        engine(&folder, "bad", &once(what), "true");
        std::fs::remove_dir(folder.path("done")).ok();
        let line = format!("{line} -o out.psv --engine ./bad --think-timeout 1");
        folder.run(&line).silent();
        assert!(folder.path("done").exists(), "{what}");
        assert!(folder.read("out.psv") == right, "{what}");
    }
    // One that always does ends the run, by name.
    engine(&folder, "bad", "exit 1", "true");
    let line = format!("{line} -o never.psv --engine ./bad");
    folder.run(&line).failed(1, &["Lengths 1.0"]);
    assert!(!folder.path("never.psv").exists());
}

#[test]
fn a_program_that_says_of_an_error_is_not_used() {
    let folder = Folder::with(&[FILE]);
    let error = "echo 'info string Error! : no eval/nn.bin'";
    engine(&folder, "engine", "", error);
    let line = "rescore declaration_n50.psv -o out.psv --engine ./engine";
    let words = [
        "Lengths 1.0",
        "Error! : no eval/nn.bin",
        "--allow-engine-errors",
    ];
    folder.run(line).failed(1, &words);
    assert_eq!(folder.names(), ["declaration_n50.psv", "engine"]);
    folder
        .run(&format!("{line} --allow-engine-errors"))
        .succeeded();
}

#[test]
fn options_reach_the_program_as_the_user_means_them() {
    let folder = Folder::with(&[FILE]);
    let told = r#"echo "info string Error! threads $threads dir $dir""#;
    let set = r#"dir="${line##* }""#;
    lengths("", told)
        .on("\"setoption name EvalDir\"*", set)
        .write(&folder.path("engine"));
    std::fs::create_dir(folder.path("net")).unwrap();
    let line = "rescore declaration_n50.psv -o out.psv --engine ./engine --option EvalDir=net";
    let net = folder.path("net").canonicalize().unwrap();
    let dir = format!("dir {}", net.display());
    folder.run(line).failed(1, &["threads 1 ", &dir]);
    let line = format!("{line} --option Threads=2 --option EvalDir=none");
    folder.run(&line).failed(1, &["threads 2 dir none"]);
}

#[test]
fn what_cannot_be_is_told() {
    let folder = Folder::with(&[FILE]);
    engine(&folder, "engine", "", "true");
    folder.write("nobody", "");
    let line = "rescore declaration_n50.psv -o out.psv";
    for (more, code, words) in [
        ("--engine ./engine --eval-only", 2, "--eval-only"),
        ("--engine ./engine --depth 0", 2, "--depth"),
        ("--engine ./engine --depth 2 --nodes 2", 2, "--nodes"),
        ("--engine ./engine --option Thread=1", 2, "no option Thread"),
        ("--engine ./none", 1, "./none: there is no such file"),
        ("--engine ./nobody", 1, "not executable"),
        ("--engine true", 1, "true"),
        ("--think-timeout 5", 2, "--engine"),
    ] {
        folder.run(&format!("{line} {more}")).failed(code, &[words]);
        assert_eq!(folder.names(), ["declaration_n50.psv", "engine", "nobody"]);
    }
}

#[test]
fn an_interrupted_run_resumes_with_the_same_program_only() {
    let folder = Folder::new();
    let records = golden("psv_with_ply/normal_n2000_ply320.psv");
    folder.write("in.psv", &records[..320 * 40]);
    engine(&folder, "engine", "", "true");
    let line = "rescore in.psv --engine ./engine --nodes 7 --threads 2 -q";
    folder.run(&format!("{line} -o whole.psv")).silent();
    engine(&folder, "slow", "sleep 0.02", "true");
    let slow = "rescore in.psv -o out.psv --engine ./slow --nodes 7 --threads 2 -q";
    let len = || {
        let journal = std::fs::metadata(folder.path("out.psv.journal"));
        journal.map_or(0, |data| data.len())
    };
    // Ctrl-C, for the whole group as a terminal sends it.
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("teacher"))
        .current_dir(folder.path(""))
        .args(slow.split(' '))
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while len() == 0 {
        assert!(Instant::now() < end, "no journal");
        std::thread::sleep(Duration::from_millis(5));
    }
    let header = len();
    while len() == header {
        assert!(Instant::now() < end, "nothing comes");
        assert!(child.try_wait().unwrap().is_none(), "too early");
        std::thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    let kill = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path("out.psv").exists());
    // Another version of the program would give scores of its own.
    let script = folder.read("slow");
    engine(&folder, "slow", "sleep 0.01", "true");
    folder
        .run(slow)
        .failed(1, &["out.psv.journal", "another run"]);
    folder.write("slow", script);
    let json = folder.run(&format!("{slow} --json")).silent().json();
    assert!(json["resumed"].as_u64().unwrap() > 0, "{json}");
    assert!(folder.read("out.psv") == folder.read("whole.psv"));
}
