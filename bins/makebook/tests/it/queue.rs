//! Thinking with many machines, over a real NATS server. Without `nats-server` on the path these tests are
//! skipped.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::books::random_records;
use crate::nats::{Nats, Process};
use crate::util::Folder;

/// A folder and a server.
pub(crate) struct Place {
    pub(crate) folder: Folder,
    pub(crate) nats: Nats,
}

impl Place {
    /// `None` without `nats-server`.
    pub(crate) fn empty() -> Option<Self> {
        let folder = Folder::new();
        let nats = Nats::new(&folder.path("."))?;
        Some(Self { folder, nats })
    }

    fn new(games: usize) -> Option<Self> {
        let place = Self::empty()?;
        place.folder.write("games.sfen", random_records(games));
        Some(place)
    }

    fn line(book: &str, nodes: u32) -> String {
        format!(
            "think games.sfen {book} moves 11 depth 9 nodes {nodes} multipv 2 --hash 1 --multi 1 -q"
        )
    }

    pub(crate) fn queue(&self, line: &str, role: &str) -> Process {
        let child = Command::new(assert_cmd::cargo::cargo_bin("makebook"))
            .current_dir(self.folder.path("."))
            // All of it is shared, whatever a scheduler says.
            .env("SLURM_ARRAY_TASK_ID", "0")
            .env("SLURM_ARRAY_TASK_COUNT", "2")
            .args(line.split(' '))
            .args(["--queue", &self.nats.url(), "--lease", "2", role])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Process(child)
    }

    fn serve(&self) -> Process {
        self.queue(&Self::line("shared.db", 500), "--serve")
    }

    fn work(&self) -> Process {
        self.queue(&Self::line("elsewhere.db", 500), "--work")
    }

    /// Waits until the serving process has so many more bytes of positions, and is not done.
    #[track_caller]
    fn some_more(&self, serve: &mut Process) {
        self.more(serve, "shared.db", 4000);
    }

    /// The same for another book, and so many bytes.
    #[track_caller]
    pub(crate) fn more(&self, serve: &mut Process, book: &str, bytes: u64) {
        let len = |name: &str| fs::metadata(self.folder.path(name)).map_or(0, |data| data.len());
        serve.writes(bytes, || len(book) + len(&format!("{book}.journal")));
    }

    /// The same book from one machine, and no other file.
    #[track_caller]
    fn assert_same(&self) {
        self.folder.run(&Self::line("alone.db", 500)).succeeded();
        assert!(self.folder.read("shared.db") == self.folder.read("alone.db"));
        let names = ["alone.db", "games.sfen", "nats", "shared.db"];
        assert_eq!(self.folder.names(), names);
    }
}

#[test]
fn two_workers_give_what_one_machine_gives() {
    let Some(place) = Place::new(12) else { return };
    // Whoever comes first waits for the others, and who thinks otherwise waits for somebody else.
    let mut workers = [place.work(), place.work()];
    let _other = place.queue(&Place::line("elsewhere.db", 400), "--work");
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

#[test]
fn everybody_may_be_killed() {
    // Enough that there is something left after all of it, also where this test has to wait for others.
    let Some(place) = Place::new(200) else {
        return;
    };
    let mut server = place.nats.start();
    let mut serve = place.serve();
    let mut first = place.work();
    let mut second = place.work();
    place.some_more(&mut serve);
    // A worker: its positions go to the other one.
    first.kill();
    place.some_more(&mut serve);
    // Who serves: what it has is safe, and it goes on.
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
