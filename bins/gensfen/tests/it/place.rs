//! A folder, a NATS server, and runs of `gensfen` that share their games over it.

use std::fs;
use std::process::Command;

use test_support::{Nats, Process, SharedRun, TestFolder};

/// Where so many games are played.
pub(crate) struct Place {
    pub(crate) folder: TestFolder,
    pub(crate) nats: Nats,
    pub(crate) games: u64,
}

impl Place {
    /// `None` without `nats-server`.
    pub(crate) fn new(games: u64) -> Option<Self> {
        let folder = TestFolder::new();
        let nats = Nats::new(&folder)?;
        Some(Self {
            folder,
            nats,
            games,
        })
    }

    /// A run for the games of this place, without anything from the environment.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("gensfen"));
        command
            .current_dir(self.folder.path(""))
            .args(["--run", "-q", "--games", &self.games.to_string()])
            .args(more);
        for name in [
            "SLURM_ARRAY_TASK_ID",
            "JOB_COMPLETION_INDEX",
            "YANE_SECRET",
            "YANE_QUEUE_LOGIN",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// A run over the server, of short searches.
    pub(crate) fn queue(&self, more: &[&str]) -> Command {
        let url = self.nats.url();
        let queue = ["--nodes", "60", "--queue", &url, "--lease", "2"];
        self.command(&[&queue, more].concat())
    }

    /// The run that serves the games and writes `shared.pack`.
    pub(crate) fn serving(&self) -> Command {
        self.queue(&["--serve", "-o", "shared.pack"])
    }

    /// A run that plays games for that.
    pub(crate) fn working(&self) -> Command {
        self.queue(&["--work", "--multi", "1"])
    }

    /// The bytes of a file; 0 if there is none.
    pub(crate) fn len(&self, name: &str) -> u64 {
        fs::metadata(self.folder.path(name)).map_or(0, |data| data.len())
    }
}

impl SharedRun for Place {
    fn nats(&self) -> &Nats {
        &self.nats
    }

    fn serve(&self) -> Process {
        Process::spawn(&mut self.serving())
    }

    fn work(&self) -> Process {
        Process::spawn(&mut self.working())
    }

    #[track_caller]
    fn some_more(&self, serve: &mut Process) {
        serve.writes(4000, || self.len("shared.pack.journal"));
    }

    #[track_caller]
    fn assert_same(&self) {
        let alone = ["--nodes", "60", "--multi", "2", "-o", "alone.pack"];
        Process::spawn(&mut self.command(&alone)).succeeds();
        assert!(self.folder.read("shared.pack") == self.folder.read("alone.pack"));
        let index = |name: &str| String::from_utf8(self.folder.read(name)).unwrap();
        assert_eq!(index("shared.pack.json"), index("alone.pack.json"));
    }
}
