//! Games of the deep engine with a small network of random weights.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use pack_format::hcpe3::{Hcpe3Game, Hcpe3Reader};
use shogi_deep::{
    BatchEvaluator, DeepModel, DeepRuntime, EvalServer, EvaluationError, EvaluationQueue,
    NativeNetwork, NetworkModel, PolicyValue, PositionQuery, QueueSettings, ServerSettings,
    VectorLimit,
};

use crate::gensfen::gensfen;

/// The option that names the network.
const NETWORK: &str = concat!(
    "EvalDir=",
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/deep/mtiny.onnx"
);
/// Playouts for each move.
const PLAYOUTS: u32 = 12;

/// Plays with these settings.
#[track_caller]
fn play(folder: &Path, settings: &str, name: &str, more: &[&str]) -> assert_cmd::assert::Assert {
    let nodes = PLAYOUTS.to_string();
    fs::write(folder.join("settings.json5"), settings).unwrap();
    gensfen(folder)
        .args([
            "settings.json5",
            "--run",
            "-q",
            "--games",
            "3",
            "--nodes",
            &nodes,
            "-o",
            name,
        ])
        .args(more)
        .assert()
}

fn games(path: &Path) -> Vec<Hcpe3Game> {
    let bytes = fs::read(path).unwrap();
    let games = Hcpe3Reader::new(&bytes[..]);
    games.collect::<Result<_, _>>().unwrap()
}

const SHORT: &str = "MAX_GAME_PLY: 20, RANDOM_PLIES: 4";

#[test]
fn candidates_are_the_visits_of_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let by_visits = format!("{{{SHORT}, RANDOM_VISITS_PLIES: 10}}");
    let run = |settings: &str, name: &str, multi: &str| {
        let more = ["--option", NETWORK, "--multi", multi];
        play(folder.path(), settings, name, &more).success();
    };
    run(&by_visits, "one.hcpe3", "1");
    run(&by_visits, "two.hcpe3", "2");
    run(&format!("{{{SHORT}}}"), "best.hcpe3", "2");
    // Playouts are counted exactly, so games can be repeated.
    let whole = fs::read(file("one.hcpe3")).unwrap();
    assert_eq!(fs::read(file("two.hcpe3")).unwrap(), whole);
    let mut others = 0;
    for (name, plies) in [("one.hcpe3", 10), ("best.hcpe3", 0)] {
        let games = games(&file(name));
        assert_eq!(games.len(), 3);
        for game in &games {
            assert_eq!(game.plies().len(), 16, "{name}");
            for (index, ply) in game.plies().iter().enumerate() {
                let candidates = game.candidates(index);
                let sum: u32 = candidates.iter().map(|known| u32::from(known.visits)).sum();
                // A part of the tree of the move before is still there.
                assert!(sum >= PLAYOUTS, "{name}: {candidates:?}");
                assert!(index > 0 || sum == PLAYOUTS, "{name}: {candidates:?}");
                // The best comes first.
                assert!(candidates.iter().any(|known| known.mv == ply.mv));
                let is_best = candidates[0].mv == ply.mv;
                assert!(is_best || index < plies, "{name} {index}: {candidates:?}");
                others += u32::from(!is_best);
            }
        }
    }
    assert!(others > 0, "no move was chosen at random");
}

#[test]
fn games_do_not_depend_on_a_shared_queue() {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!("{{{SHORT}, RANDOM_VISITS_PLIES: 10}}");
    let run = |name: &str, multi: &str, queue: &str, largest: &str| {
        let (queue, largest) = (
            format!("DNN_Queue={queue}"),
            format!("DNN_Queue_Batch={largest}"),
        );
        let more = [
            "--option", NETWORK, "--option", &queue, "--option", &largest, "--multi", multi,
        ];
        play(folder.path(), &settings, name, &more).success();
        fs::read(folder.path().join(name)).unwrap()
    };
    let alone = run("alone.hcpe3", "1", "off", "256");
    assert!(!alone.is_empty());
    for (name, multi, largest) in [
        ("one.hcpe3", "1", "256"),
        ("three.hcpe3", "3", "256"),
        ("small.hcpe3", "3", "2"),
    ] {
        assert!(run(name, multi, "on", largest) == alone, "{name}");
    }
}

/// A server with the network, in this process.
fn serve(address: &str) -> EvalServer {
    let network = NETWORK.strip_prefix("EvalDir=").unwrap();
    let model = DeepModel::open(Path::new(network), &DeepRuntime::default()).unwrap();
    let queue = Arc::new(model.start_queue(Some(1), 8).unwrap());
    let listener = TcpListener::bind(address).unwrap();
    EvalServer::start(
        listener,
        queue,
        model.hello("small"),
        ServerSettings::default(),
        |_| {},
    )
    .unwrap()
}

/// A run without end, which is killed with the test, and the lines of its standard error.
struct Endless {
    process: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Endless {
    fn start(folder: &Path, more: &[&str]) -> Self {
        let mut process = Command::new(assert_cmd::cargo::cargo_bin("gensfen"))
            .current_dir(folder)
            .args([
                "--run",
                "--nodes",
                "20",
                "--games",
                "1000000",
                "-o",
                "run.hcpe3",
            ])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = process.stderr.take().unwrap();
        Self {
            process,
            lines: BufReader::new(pipe).lines(),
        }
    }

    /// The next line with these words.
    fn told(&mut self, words: &str) -> String {
        let mut lines = self.lines.by_ref().map(Result::unwrap);
        lines.find(|line| line.contains(words)).unwrap()
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn a_server_that_is_lost_and_comes_back_is_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve("127.0.0.1:0");
    let address = server.address();
    let option = format!("DNN_Server={address}");
    let remote = ["--option", "DNN_Runtime=remote", "--option", &option];
    let more = [&remote[..], &["--multi", "3", "--option", NETWORK]].concat();
    let mut run = Endless::start(folder.path(), &more);
    while server.counts().queue.positions < 100 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(server);
    let words = format!("DNN_Server {address}: ");
    let line = run.told(&words);
    assert!(line.ends_with("evaluated here until it is back"), "{line}");
    let server = serve(&address.to_string());
    let line = run.told(&words);
    assert!(line.ends_with("connected again"), "{line}");
    while server.counts().queue.positions < 100 {
        thread::sleep(Duration::from_millis(1));
    }
    // What is told next is that it is lost again: nothing was told twice.
    drop(server);
    let line = run.told(&words);
    assert!(line.ends_with("evaluated here until it is back"), "{line}");
}

/// A card, more or less: each batch takes as long as a full one.
struct Card(NativeNetwork);

impl BatchEvaluator for Card {
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        let begin = Instant::now();
        self.0.evaluate_batch(positions, results)?;
        thread::sleep(Duration::from_millis(50).saturating_sub(begin.elapsed()));
        Ok(())
    }
}

#[test]
fn many_games_fill_the_batches_of_a_server() {
    const GAMES: usize = 256;
    let network = NETWORK.strip_prefix("EvalDir=").unwrap();
    let model = DeepModel::open(Path::new(network), &DeepRuntime::default()).unwrap();
    let kernel = Arc::new(NetworkModel::read(Path::new(network)).unwrap());
    let card = || -> Box<dyn BatchEvaluator> {
        let kernel = Arc::clone(&kernel);
        Box::new(Card(NativeNetwork::new(kernel, 1, VectorLimit::Best)))
    };
    let settings = QueueSettings {
        largest: GAMES,
        // Long, so that a busy machine changes nothing: a batch that is full does not wait.
        patience: Duration::from_millis(500),
    };
    let queue = Arc::new(EvaluationQueue::new(vec![card(), card()], settings).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = ServerSettings::default();
    let server = EvalServer::start(listener, queue, model.hello("card"), settings, |_| {});
    let server = server.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let option = format!("DNN_Server={}", server.address());
    let games = GAMES.to_string();
    // A full batch takes its time on a processor that does other things, too.
    let patience = ["--option", "DNN_Server_Timeout=60000", "--multi", &games];
    let remote = ["--option", "DNN_Runtime=remote", "--option", &option];
    let _run = Endless::start(folder.path(), &[&remote[..], &patience].concat());
    let when = |batches: u64| {
        while server.counts().queue.positions < batches * GAMES as u64 {
            thread::sleep(Duration::from_millis(1));
        }
        server.counts().queue
    };
    // Not the beginning, when games come one after the other. A machine that is busy with other things keeps games from asking in
    // time, so one stretch of several has to be full.
    let stretch = |number: u64| {
        let (before, after) = (when(8 + 16 * number), when(24 + 16 * number));
        let positions = after.positions - before.positions;
        positions as f64 / (after.batches - before.batches) as f64
    };
    let means: Vec<f64> = (0..8)
        .map(stretch)
        .take_while(|&mean| mean < 0.9 * GAMES as f64)
        .collect();
    assert!(means.len() < 8, "{means:?}");
}

#[test]
fn games_do_not_depend_on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!("{{{SHORT}, RANDOM_VISITS_PLIES: 10}}");
    let run = |name: &str, more: &[&str]| {
        play(folder.path(), &settings, name, more).success();
        fs::read(folder.path().join(name)).unwrap()
    };
    let here = run("here.hcpe3", &["--option", NETWORK, "--multi", "1"]);
    let server = serve("127.0.0.1:0");
    let address = format!("DNN_Server={}", server.address());
    let remote = ["--option", "DNN_Runtime=remote", "--option", &address];
    // Without a network here, and with one.
    for (name, multi, more) in [
        ("far.hcpe3", "3", &[][..]),
        ("both.hcpe3", "2", &["--option", NETWORK]),
    ] {
        let more = [&remote[..], &["--multi", multi], more].concat();
        assert!(run(name, &more) == here, "{name}");
    }
    let counts = server.counts();
    assert_eq!(counts.clients, 2);
    assert!(counts.queue.positions > 500, "{counts:?}");
    // A server that is not there is an error.
    drop(server);
    let failed = play(folder.path(), &settings, "none.hcpe3", &remote);
    let output = failed.failure().code(1).get_output().clone();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("remote: 127.0.0.1:"), "{told}");
}

#[test]
fn games_with_scores_alone() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        format!("{{{SHORT}, PRESET: 'teacher', RANDOM_MULTI_PV_NODES: 12, START_NODES: 12}}");
    let more = ["--option", NETWORK, "--option", "DNN_Batch_Size=4"];
    play(folder.path(), &settings, "run.pack", &more).success();
    let bytes = fs::read(folder.path().join("run.pack")).unwrap();
    let games: Vec<_> = pack_format::pack::PackReader::new(&bytes[..]).collect();
    assert_eq!(games.len(), 3);
    assert!(games.iter().all(Result::is_ok));
}

#[test]
fn what_cannot_be_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wrong.onnx"), "no network").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let by_visits = format!("{{{SHORT}, RANDOM_VISITS_PLIES: 10}}");
    for (settings, option, words) in [
        ("{}", "EvalDir=wrong.onnx", "wrong.onnx"),
        ("{}", "EvalDir=empty", "empty"),
        (&by_visits, "USI_Hash=1", "RANDOM_VISITS_PLIES needs"),
    ] {
        let run = play(folder.path(), settings, "run.hcpe3", &["--option", option]);
        let output = run.failure().code(1).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn there_is_a_network_in_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, option: &str| {
        let more = ["--option", "Evaluation=deep", "--option", option];
        play(folder.path(), &format!("{{{SHORT}}}"), name, &more)
    };
    run("run.hcpe3", "BookFile=no_book").success();
    let games = games(&folder.path().join("run.hcpe3"));
    assert_eq!(games.len(), 3);
    let visits = games[0].candidates(0).iter();
    let visits: u32 = visits.map(|known| u32::from(known.visits)).sum();
    assert_eq!(visits, PLAYOUTS);
    // One that was named is not replaced.
    for (option, words) in [
        ("DNN_Model=none.onnx", "none.onnx"),
        ("EvalDir=nets", "nets"),
    ] {
        let failed = run("none.hcpe3", option).failure().code(1);
        let told = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
        assert!(told.contains(words), "{told}");
    }
}
