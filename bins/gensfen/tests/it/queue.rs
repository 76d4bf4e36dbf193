//! Games of many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::nats::{Nats, Process};

/// The option that names the small network.
const NETWORK: &str = concat!(
    "EvalDir=",
    env!("CARGO_MANIFEST_DIR"),
    "/../../crates/shogi-deep/assets/small.onnx"
);

struct Place {
    folder: tempfile::TempDir,
    nats: Nats,
    games: &'static str,
}

impl Place {
    fn new(games: &'static str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let nats = Nats::new(folder.path())?;
        Some(Self {
            folder,
            nats,
            games,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn gensfen(&self, more: &[&str]) -> Process {
        self.run(&[&["--nodes", "60"], more].concat())
    }

    /// Plays the games of this place with these arguments.
    fn run(&self, more: &[&str]) -> Process {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("gensfen"));
        for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        let child = command
            .current_dir(self.folder.path())
            .args(["--run", "-q", "--games", self.games])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Process(child)
    }

    fn queue(&self, more: &[&str]) -> Process {
        let url = self.nats.url();
        let queue = ["--queue", url.as_str(), "--lease", "2"];
        self.gensfen(&[&queue, more].concat())
    }

    fn serve(&self) -> Process {
        self.queue(&["--serve", "-o", "shared.pack"])
    }

    fn work(&self) -> Process {
        self.queue(&["--work", "--multi", "1"])
    }

    /// Waits until the serving process has so many more bytes of games, and is not done.
    #[track_caller]
    fn some_more(&self, serve: &mut Process) {
        let journal = self.path("shared.pack.journal");
        serve.writes(4000, || fs::metadata(&journal).map_or(0, |data| data.len()));
    }

    /// The same games on one machine.
    fn assert_same(&self) {
        self.gensfen(&["--multi", "2", "-o", "alone.pack"])
            .succeeds();
        let alone = fs::read(self.path("alone.pack")).unwrap();
        assert!(fs::read(self.path("shared.pack")).unwrap() == alone);
        let index = |name: &str| fs::read_to_string(self.path(name)).unwrap();
        assert_eq!(index("shared.pack.json"), index("alone.pack.json"));
    }
}

#[test]
fn two_workers_give_what_one_machine_gives() {
    let Some(place) = Place::new("60") else {
        return;
    };
    // Whoever comes first waits for the others.
    let mut workers = [place.work(), place.work()];
    let mut serve = place.serve();
    let _server = place.nats.start();
    serve.succeeds();
    workers.iter_mut().for_each(Process::succeeds);
    place.assert_same();
    // There is nothing left to do, and everybody is told.
    place.serve().succeeds();
    place.work().succeeds();
    place.assert_same();
}

/// Certificates for tests.
const TLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/farm");

#[test]
fn a_server_with_tls_is_believed_by_its_certificate_alone() {
    let Some(place) = Place::new("4") else {
        return;
    };
    let file = |name: &str| format!("{TLS}/{name}");
    let (certificate, key) = (file("server.pem"), file("server.key"));
    let _server = place
        .nats
        .start_with(&["--tls", "--tlscert", &certificate, "--tlskey", &key]);
    let url = place.nats.url().replace("nats://", "tls://");
    let queue = ["--queue", url.as_str(), "--nodes", "60"];
    let trusting = |more: &[&str]| {
        let arguments = [&["--run", "-q", "--games", "4"], &queue[..], more].concat();
        let child = Command::new(assert_cmd::cargo::cargo_bin("gensfen"))
            .current_dir(place.folder.path())
            .env("SSL_CERT_FILE", file("ca.pem"))
            .env_remove("SSL_CERT_DIR")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        Process(child.unwrap())
    };
    // Nobody vouches for the certificate here, so that nothing is worked.
    let mut distrusting = place.run(&[&queue[..], &["--work", "--multi", "1"]].concat());
    let mut serve = trusting(&["--serve", "-o", "shared.pack"]);
    let mut worker = trusting(&["--work", "--multi", "1"]);
    serve.succeeds();
    worker.succeeds();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!distrusting.has_ended(), "it believed the server");
    distrusting.kill();
    place.assert_same();
}

#[test]
fn any_process_may_be_killed() {
    // Enough that there is something left after all of it, also where this test has to wait for others.
    let Some(place) = Place::new("600") else {
        return;
    };
    let mut server = place.nats.start();
    let mut serve = place.serve();
    let mut first = place.work();
    let mut second = place.work();
    place.some_more(&mut serve);
    // A worker: its games go to the other one.
    first.kill();
    place.some_more(&mut serve);
    // The server: its results are safe, and it resumes.
    serve.kill();
    let mut serve = place.serve();
    place.some_more(&mut serve);
    // The server: everybody waits until it is back.
    server.kill();
    std::thread::sleep(Duration::from_millis(300));
    let mut server = place.nats.start();
    place.some_more(&mut serve);
    // The server with all it has stored.
    server.kill();
    place.nats.forget();
    let _server = place.nats.start();
    let mut third = place.work();
    serve.succeeds();
    second.succeeds();
    third.succeeds();
    place.assert_same();
}

#[test]
fn games_of_the_deep_engine_are_those_of_one_machine() {
    let Some(place) = Place::new("6") else {
        return;
    };
    let settings = "{MAX_GAME_PLY: 14, RANDOM_PLIES: 4, RANDOM_VISITS_PLIES: 6, NODES: 8}";
    fs::write(place.path("settings.json5"), settings).unwrap();
    let url = place.nats.url();
    let gensfen = |more: &[&str]| {
        let settings = ["settings.json5", "--option", NETWORK];
        place.run(&[&settings[..], more].concat())
    };
    let queue = ["--queue", url.as_str(), "--lease", "2"];
    let _server = place.nats.start();
    for name in ["hcpe3", "pack"] {
        // The format is that of the settings where no file is written.
        let format = format!("{{OUTPUT_FORMAT: '{name}', {}", &settings[1..]);
        fs::write(place.path("settings.json5"), format).unwrap();
        let work = || gensfen(&[&queue[..], &["--work", "--multi", "1"]].concat());
        let mut workers = [work(), work()];
        let shared = format!("shared.{name}");
        let serve = [&queue[..], &["--serve", "-o", &shared]].concat();
        gensfen(&serve).succeeds();
        workers.iter_mut().for_each(Process::succeeds);
        let alone = format!("alone.{name}");
        gensfen(&["--multi", "2", "-o", &alone]).succeeds();
        let alone = fs::read(place.path(&alone)).unwrap();
        assert!(alone.len() > 200);
        assert!(fs::read(place.path(&shared)).unwrap() == alone, "{name}");
    }
}
