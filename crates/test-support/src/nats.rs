//! A real NATS server.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Process, TestFolder, wait_until};

/// A server and the folder of its data.
#[derive(Debug)]
pub struct Nats {
    program: PathBuf,
    store: PathBuf,
    port: u16,
}

impl Nats {
    /// A server that does not run yet and has stored nothing: it will store in the folder `nats` of `folder`. `None`, and a line
    /// that says so, when there is no `nats-server` on this machine.
    #[track_caller]
    pub fn new(folder: &TestFolder) -> Option<Self> {
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
        let port = TcpListener::bind("127.0.0.1:0").expect("a port");
        Some(Self {
            program: program?,
            store: folder.path("nats"),
            port: port.local_addr().expect("an address").port(),
        })
    }

    /// A server that runs, and its URL; see [`Nats::new`].
    #[track_caller]
    pub fn running(folder: &TestFolder) -> Option<(Process, String)> {
        let nats = Self::new(folder)?;
        Some((nats.start(), nats.url()))
    }

    /// The URL under which it is found.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts the server on what it has stored.
    #[track_caller]
    pub fn start(&self) -> Process {
        self.start_with(&[])
    }

    /// Starts the server with further arguments.
    #[track_caller]
    pub fn start_with(&self, more: &[&str]) -> Process {
        let port = self.port.to_string();
        let mut command = Command::new(&self.program);
        command
            .args(["-js", "-a", "127.0.0.1", "-p", &port, "-sd"])
            .arg(&self.store)
            .args(more)
            .stderr(Stdio::null());
        let server = Process::spawn(&mut command);
        let listens = || TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        wait_until(listens, "nats-server does not listen");
        server
    }

    /// Takes away what a server that does not run any more has stored.
    #[track_caller]
    pub fn forget(&self) {
        fs::remove_dir_all(&self.store).expect("a folder that is there");
    }
}
