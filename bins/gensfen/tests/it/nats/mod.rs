//! A real NATS server for tests, and processes that end with them.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(300);

/// Waits for something that has to happen.
#[track_caller]
pub(crate) fn wait_until(mut is_so: impl FnMut() -> bool, otherwise: &str) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "{otherwise}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process that ends with the test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits until what it writes, `len` bytes, has grown by `bytes`; it must not have ended by then.
    #[track_caller]
    pub(crate) fn writes(&mut self, bytes: u64, len: impl Fn() -> u64) {
        let before = len();
        wait_until(
            || len() >= before + bytes || self.has_ended(),
            "nothing comes",
        );
        assert!(!self.has_ended(), "too early");
    }

    #[track_caller]
    pub(crate) fn succeeds(&mut self) {
        wait_until(|| self.has_ended(), "it does not end");
        let status = self.0.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A server and the folder of its data.
pub(crate) struct Nats {
    program: PathBuf,
    store: PathBuf,
    port: u16,
}

impl Nats {
    /// A server that has stored nothing yet, and will do so in `folder`. Says so when there is no `nats-server`.
    pub(crate) fn new(folder: &Path) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let extra = [PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")];
        let program = std::env::split_paths(&path)
            .chain(extra)
            .map(|folder| folder.join("nats-server"))
            .find(|program| program.is_file());
        if program.is_none() {
            eprintln!(
                "SKIPPED: there is no nats-server here (Debian: apt-get install nats-server)"
            );
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        Some(Self {
            program: program?,
            store: folder.join("nats"),
            port: port.local_addr().unwrap().port(),
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts the server on what it has stored.
    pub(crate) fn start(&self) -> Process {
        self.start_with(&[])
    }

    /// Starts the server with further arguments.
    pub(crate) fn start_with(&self, more: &[&str]) -> Process {
        let port = self.port.to_string();
        let child = Command::new(&self.program)
            .args(["-js", "-a", "127.0.0.1", "-p", &port, "-sd"])
            .arg(&self.store)
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let listens = || TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        wait_until(listens, "nats-server does not listen");
        Process(child)
    }

    /// Takes away what a server that does not run any more has stored.
    pub(crate) fn forget(&self) {
        fs::remove_dir_all(&self.store).unwrap();
    }
}
