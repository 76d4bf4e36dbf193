//! A real NATS server, and runs of programs that share their work over it.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

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

/// A run that one process serves, and others work for.
pub trait SharedRun {
    /// The server that is between them.
    fn nats(&self) -> &Nats;

    /// Starts the process that serves, or resumes what it had done.
    fn serve(&self) -> Process;

    /// Starts a process that works.
    fn work(&self) -> Process;

    /// Waits until the serving process has some more results, and is not done.
    fn some_more(&self, serve: &mut Process);

    /// Checks that the results are those of one machine.
    fn assert_same(&self);

    /// Shares the run among two workers.
    ///
    /// # Panics
    /// When the results are others than those of one machine, or a process fails.
    #[track_caller]
    fn is_shared_by_two_workers(&self) {
        // Whoever comes first waits for the others.
        let mut workers = [self.work(), self.work()];
        let mut serve = self.serve();
        let _server = self.nats().start();
        serve.succeeds();
        workers.iter_mut().for_each(Process::succeeds);
        self.assert_same();
        // There is nothing left to do, and everybody is told.
        self.serve().succeeds();
        self.work().succeeds();
        self.assert_same();
    }

    /// Kills each of the processes in turn. There has to be something left to do after all of it, also where others are waited for.
    ///
    /// # Panics
    /// When the results are others than those of one machine, or a process fails that is not killed.
    #[track_caller]
    fn survives_kills(&self) {
        let nats = self.nats();
        let mut server = nats.start();
        let mut serve = self.serve();
        let mut first = self.work();
        let mut second = self.work();
        self.some_more(&mut serve);
        // A worker: what it had goes to the other one.
        first.kill();
        self.some_more(&mut serve);
        // The process that serves: its results are safe, and it resumes.
        serve.kill();
        let mut serve = self.serve();
        self.some_more(&mut serve);
        // The server: everybody waits until it is back.
        server.kill();
        thread::sleep(Duration::from_millis(300));
        let mut server = nats.start();
        self.some_more(&mut serve);
        // The server with all it has stored.
        server.kill();
        nats.forget();
        let _server = nats.start();
        let mut third = self.work();
        serve.succeeds();
        second.succeeds();
        third.succeeds();
        self.assert_same();
    }
}
