//! `rescore`.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pack_format::{Psv, record::records};
use shogi_deep::{DeepModel, DeepRuntime, EvalServer, ServerSettings};

use crate::util::{Folder, golden};

const QUICK: &str = "--option Evaluation=material";

fn scores(psv: &[u8]) -> Vec<i16> {
    let records = records::<Psv>(psv);
    records.map(|record| record.unwrap().score.0).collect()
}

/// The option that names a small network of random weights.
fn network() -> String {
    let network = test_support::fixture("deep/mtiny.onnx");
    format!("--option EvalDir={}", network.to_str().unwrap())
}

#[test]
fn scores_become_those_of_the_engine() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    let line = format!("rescore declaration_n50.psv -o new.psv --nodes 60 {QUICK}");
    let run = folder.run(&line).succeeded();
    assert!(run.err.contains("evaluation: material"), "{run:?}");
    let told = "declaration_n50.psv -> new.psv: 23 positions, ";
    assert!(run.err.contains(told), "{run:?}");
    let json = folder
        .run(&format!("{line} --force --json --threads 1"))
        .silent()
        .json();
    let (old, new) = (folder.read("declaration_n50.psv"), folder.read("new.psv"));
    let changes = scores(&old).into_iter().zip(scores(&new));
    let changes: Vec<_> = changes.map(|(old, new)| old.abs_diff(new)).collect();
    let changed = changes.iter().filter(|&&change| change > 0).count();
    assert!(changed > 10);
    assert_eq!(
        (&json["positions"], &json["changed"]),
        (&23.into(), &changed.into())
    );
    assert!(json["positions_per_second"].as_f64().unwrap() > 0.0);
    let mean = changes.iter().map(|&change| f64::from(change)).sum::<f64>() / 23.0;
    assert!((json["mean_change"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert_eq!(json["evaluation"], "material");
    assert_eq!(folder.names(), ["declaration_n50.psv", "new.psv"]);
    // The games before were played out to declarations that hold.
    let check = folder.run("check new.psv").silent();
    assert!(check.text().contains("good; 23 positions"), "{check:?}");
}

#[test]
fn every_format_and_both_engines() {
    let folder = Folder::with(&[
        "edge/good/all_end_reasons.pack",
        "hcpe3/multipv8_visits1000_temp200_nodrop_resign1000.hcpe3",
        "selfplay/declaration_n50.hcpe",
    ]);
    for (file, games) in [
        ("all_end_reasons.pack", true),
        ("multipv8_visits1000_temp200_nodrop_resign1000.hcpe3", true),
        ("declaration_n50.hcpe", false),
    ] {
        let extension = file.rsplit('.').next().unwrap();
        for engine in [QUICK, &network()] {
            let line = format!("rescore {file} -o new.{extension} --eval-only --force {engine}");
            let json = folder.run(&format!("{line} --json")).silent().json();
            assert_eq!(json["games"].as_u64().unwrap() > 0, games, "{json}");
            assert!(json["changed"].as_u64().unwrap() > 10, "{json}");
            let new = folder.read(format!("new.{extension}"));
            assert!(new.len() == folder.read(file).len() && new != folder.read(file));
            folder.run(&format!("check new.{extension}")).silent();
            folder.run(&format!("{line} --threads 1 -q")).silent();
            assert!(folder.read(format!("new.{extension}")) == new);
        }
    }
}

#[test]
fn pipes_and_several_files() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    let file = "declaration_n50.psv";
    let two = format!("rescore {file} {file} -o two.psv --eval-only {QUICK} -q");
    folder.run(&two).silent();
    let two = folder.read("two.psv");
    assert!(two[..two.len() / 2] == two[two.len() / 2..]);
    let pipe = format!("rescore - -o - --from psv --eval-only {QUICK} -q");
    let piped = folder.run_with_input(&pipe, golden("selfplay/declaration_n50.psv"));
    assert!(piped.succeeded().out == two[..two.len() / 2]);
    assert_eq!(folder.names(), [file, "two.psv"]);
}

#[test]
fn what_cannot_be_is_told() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    folder.write("model.onnx", "no network");
    folder.write("old.psv", "old");
    folder.write("lines.jsonl", "{\"sfen\":\"\"}\n");
    let file = "declaration_n50.psv";
    for (line, code, words) in [
        (format!("rescore {file} -o old.psv"), 1, "--force"),
        (format!("rescore {file} -o {file}"), 1, "--force"),
        (
            format!("rescore {file} -o a.psv --option EvalDir=model.onnx"),
            1,
            "model.onnx",
        ),
        (
            format!(
                "rescore {file} -o a.psv --option Evaluation=deep --option DNN_Model=none.onnx"
            ),
            1,
            "none.onnx",
        ),
        (
            format!("rescore {file} -o a.psv --option Nothing=1"),
            2,
            "Nothing",
        ),
        (
            format!("rescore {file} -o a.psv --option Nothing"),
            2,
            "NAME=VALUE",
        ),
        (format!("rescore {file} -o a.psv --nodes 0"), 2, "--nodes"),
        (
            format!("rescore {file} -o a.psv --nodes 5 --eval-only"),
            2,
            "--eval-only",
        ),
        (
            format!("rescore {file} -o a.psv --best-move --eval-only"),
            2,
            "--best-move",
        ),
        (format!("rescore {file} -o a.hcpe"), 2, "psv files stay psv"),
        (format!("rescore {file} -o - --json"), 2, "--json"),
        (
            "rescore lines.jsonl -o a.jsonl".to_owned(),
            2,
            "convert it first",
        ),
        ("rescore old.psv -o a.psv".to_owned(), 1, "old.psv"),
        ("rescore none.psv -o a.psv".to_owned(), 1, "none.psv"),
    ] {
        folder.run(&line).failed(code, &[words]);
        assert_eq!(folder.read("old.psv"), b"old");
        assert_eq!(
            folder.names(),
            [file, "lines.jsonl", "model.onnx", "old.psv"]
        );
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_resumes() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    let records = golden("psv_with_ply/normal_n2000_ply320.psv");
    folder.write("in.psv", &records[..1000 * 40]);
    let line = |output: &str, nodes: u32| {
        format!("rescore in.psv -o {output} --nodes {nodes} --threads 2 {QUICK} -q")
    };
    // As many nodes as take some seconds, on this machine as it is now.
    let mut nodes = 500;
    loop {
        let begin = Instant::now();
        folder
            .run(&format!("{} --force", line("whole.psv", nodes)))
            .silent();
        if begin.elapsed() > Duration::from_secs(5) {
            break;
        }
        nodes *= 3;
    }
    let len = || {
        let journal = std::fs::metadata(folder.path("out.psv.journal"));
        journal.map_or(0, |data| data.len())
    };
    for by in ["-KILL", "-INT"] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("teacher"))
            .current_dir(folder.path(""))
            .args(line("out.psv", nodes).split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(120);
        while len() == 0 {
            assert!(Instant::now() < end, "no journal");
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = len();
        while len() == before {
            assert!(Instant::now() < end, "nothing comes");
            assert!(child.try_wait().unwrap().is_none(), "too early");
            std::thread::sleep(Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        let kill = Command::new("kill").args([by, &pid]).status();
        assert!(kill.unwrap().success());
        let code = child.wait().unwrap().code();
        assert_eq!(code, (by == "-INT").then_some(130));
        // Nothing appears before everything is there.
        assert!(!folder.path("out.psv").exists());
    }
    let json = folder
        .run(&format!("{} --json", line("out.psv", nodes)))
        .silent()
        .json();
    assert!(json["resumed"].as_u64().unwrap() > 0, "{json}");
    assert!(folder.read("out.psv") == folder.read("whole.psv"));
    assert_eq!(folder.names(), ["in.psv", "out.psv", "whole.psv"]);
}

/// A server with the network of the tests, in this process.
fn serve(listener: TcpListener) -> EvalServer {
    let network = test_support::fixture("deep/mtiny.onnx");
    let model = DeepModel::open(&network, &DeepRuntime::default()).unwrap();
    let queue = Arc::new(model.start_queue(Some(1), 8).unwrap());
    EvalServer::start(
        listener,
        queue,
        model.hello("small"),
        ServerSettings::default(),
        |_| {},
    )
    .unwrap()
}

/// Ends a server after so many positions.
fn end_after(server: EvalServer, positions: u64) -> JoinHandle<()> {
    thread::spawn(move || {
        while server.counts().queue.positions < positions {
            thread::sleep(Duration::from_millis(1));
        }
    })
}

#[test]
fn a_server_that_is_lost_is_told_of() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    for (how, positions) in [("--nodes 40", 100), ("--eval-only", 5)] {
        let line = format!(
            "rescore declaration_n50.psv -o new.psv {how} --force {}",
            network()
        );
        folder.run(&line).succeeded();
        let expected = folder.read("new.psv");
        let server = serve(TcpListener::bind("127.0.0.1:0").unwrap());
        let address = server.address();
        let lost = end_after(server, positions);
        // Without the cache, so that the server is asked for every position.
        let remote = format!(
            "--option DNN_Runtime=remote --option DNN_Server={address} --option DNN_Cache=0"
        );
        let run = folder.run(&format!("{line} {remote}")).succeeded();
        lost.join().unwrap();
        let told = format!("DNN_Server {address}: ");
        let told: Vec<_> = run.err.lines().filter(|it| it.contains(&told)).collect();
        assert_eq!(told.len(), 1, "{run:?}");
        assert!(told[0].ends_with("evaluated here until it is back"));
        assert!(folder.read("new.psv") == expected, "{how}");
    }
}

#[test]
fn without_a_server_and_a_network_there_is_an_error() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    for (how, positions) in [("--nodes 40", 100), ("--eval-only", 5)] {
        let server = serve(TcpListener::bind("127.0.0.1:0").unwrap());
        let address = server.address();
        let lost = end_after(server, positions);
        let remote = format!(
            "--option DNN_Runtime=remote --option DNN_Server_Timeout=100 --option DNN_Server={address}"
        );
        // What was done is kept for another try.
        let line = format!("rescore declaration_n50.psv -o {positions}.psv {how} {remote}");
        let run = folder.run(&line).failed(1, &["waiting for it"]);
        lost.join().unwrap();
        assert!(
            run.err.contains(&format!("DNN_Server {address}: ")),
            "{run:?}"
        );
        assert!(
            how != "--eval-only" || !run.err.contains("panicked"),
            "{run:?}"
        );
    }
}
