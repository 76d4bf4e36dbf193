//! Games of many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.
#![cfg(unix)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(120);

/// Where `nats-server` is; says so when it is nowhere.
fn nats() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let extra = [PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")];
    let program = std::env::split_paths(&path)
        .chain(extra)
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file());
    if program.is_none() {
        eprintln!("SKIPPED: there is no nats-server here (Debian: apt-get install nats-server)");
    }
    program
}

/// A process that ends with the test.
struct Process(Child);

impl Process {
    /// `kill -9`.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    fn succeeds(&mut self) {
        let end = Instant::now() + LONG;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

struct Place {
    folder: tempfile::TempDir,
    nats: PathBuf,
    port: u16,
}

impl Place {
    fn new() -> Option<Self> {
        let nats = nats()?;
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        Some(Self { folder, nats, port })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server on what it has stored.
    fn server(&self) -> Process {
        let child = Command::new(&self.nats)
            .args([
                "-js",
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-sd",
            ])
            .arg(self.path("nats"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let end = Instant::now() + LONG;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < end, "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Process(child)
    }

    fn gensfen(&self, more: &[&str]) -> Process {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("gensfen"));
        for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        let child = command
            .current_dir(self.folder.path())
            .args(["--run", "-q", "--nodes", "60", "--games", "60"])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Process(child)
    }

    fn queue(&self, more: &[&str]) -> Process {
        let url = format!("nats://127.0.0.1:{}", self.port);
        let queue = ["--queue", url.as_str(), "--lease", "2"];
        self.gensfen(&[&queue, more].concat())
    }

    fn serve(&self) -> Process {
        self.queue(&["--serve", "-o", "shared.pack"])
    }

    fn work(&self) -> Process {
        self.queue(&["--work", "--multi", "1"])
    }

    /// Waits until the serving process has so many more bytes of games, or all.
    fn some_more(&self) {
        let len = || fs::metadata(self.path("shared.pack.journal")).map_or(0, |data| data.len());
        let (before, end) = (len(), Instant::now() + LONG);
        while len() < before + 4000 && !is_done(&self.path("shared.pack")) {
            assert!(Instant::now() < end, "nothing comes");
            std::thread::sleep(Duration::from_millis(5));
        }
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

/// Whether the file is there and its journal is not.
fn is_done(path: &Path) -> bool {
    path.exists() && !path.with_extension("pack.journal").exists()
}

#[test]
fn two_workers_give_what_one_machine_gives() {
    let Some(place) = Place::new() else { return };
    // Whoever comes first waits for the others.
    let mut workers = [place.work(), place.work()];
    let mut serve = place.serve();
    let _server = place.server();
    serve.succeeds();
    workers.iter_mut().for_each(Process::succeeds);
    place.assert_same();
}

#[test]
fn everybody_may_be_killed() {
    let Some(place) = Place::new() else { return };
    let mut server = place.server();
    let mut serve = place.serve();
    let mut first = place.work();
    let mut second = place.work();
    place.some_more();
    // A worker: its games go to the other one.
    first.kill();
    place.some_more();
    // Who serves: what it has is safe, and it goes on.
    serve.kill();
    let mut serve = place.serve();
    place.some_more();
    // The server: everybody waits until it is back.
    server.kill();
    std::thread::sleep(Duration::from_millis(300));
    let mut server = place.server();
    place.some_more();
    // The server with all it has stored.
    server.kill();
    fs::remove_dir_all(place.path("nats")).unwrap();
    let _server = place.server();
    let mut third = place.work();
    serve.succeeds();
    second.succeeds();
    third.succeeds();
    place.assert_same();
}
