//! Books made by many machines, over a real NATS server. Without `nats-server` on the path these tests are skipped.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use test_support::{Nats, Process, SharedRun, TestFolder};

use crate::util::{MAKEBOOK, RunMakebook, random_records};

/// A folder and a server.
pub(crate) struct Place {
    pub(crate) folder: TestFolder,
    pub(crate) nats: Nats,
}

impl Place {
    /// `None` without `nats-server`.
    pub(crate) fn empty() -> Option<Self> {
        let folder = TestFolder::new();
        let nats = Nats::new(&folder)?;
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
        let mut command = Command::new(MAKEBOOK);
        command
            .current_dir(self.folder.path("."))
            // All of it is shared, whatever a scheduler says.
            .env("SLURM_ARRAY_TASK_ID", "0")
            .env("SLURM_ARRAY_TASK_COUNT", "2")
            .args(line.split(' '))
            .args(["--queue", &self.nats.url(), "--lease", "2", role]);
        Process::spawn(&mut command)
    }

    /// Waits until the serving process has so many more bytes of a book, and is not done.
    #[track_caller]
    pub(crate) fn more(&self, serve: &mut Process, book: &str, bytes: u64) {
        let len = |name: &str| fs::metadata(self.folder.path(name)).map_or(0, |data| data.len());
        serve.writes(bytes, || len(book) + len(&format!("{book}.journal")));
    }
}

impl SharedRun for Place {
    fn nats(&self) -> &Nats {
        &self.nats
    }

    fn serve(&self) -> Process {
        self.queue(&Self::line("shared.db", 500), "--serve")
    }

    fn work(&self) -> Process {
        self.queue(&Self::line("elsewhere.db", 500), "--work")
    }

    #[track_caller]
    fn some_more(&self, serve: &mut Process) {
        self.more(serve, "shared.db", 4000);
    }

    /// There is no other file.
    #[track_caller]
    fn assert_same(&self) {
        self.folder.run(&Self::line("alone.db", 500)).silent();
        assert!(self.folder.read("shared.db") == self.folder.read("alone.db"));
        let names = ["alone.db", "games.sfen", "nats", "shared.db"];
        assert_eq!(self.folder.names(), names);
    }
}

#[test]
fn two_workers_give_what_one_machine_gives() {
    let Some(place) = Place::new(12) else { return };
    // Who thinks otherwise waits for somebody else.
    let _other = place.queue(&Place::line("elsewhere.db", 400), "--work");
    place.is_shared_by_two_workers();
}

#[test]
fn everybody_may_be_killed() {
    // Enough that there is something left after all of it, also where this test has to wait for others.
    let Some(place) = Place::new(200) else {
        return;
    };
    place.survives_kills();
}

/// Ends when there are no lines of five positions left.
fn endless(book: &str) -> String {
    format!(
        "endless_extend_tree {book}.db roots.txt {book}.txt depth 9 nodes 400 moves 5 multipv 3 \
         black_eval_limit -9999 white_eval_limit -9999 --hash 1 --multi 1 -q"
    )
}

fn stera(book: &str, positions: u32) -> String {
    format!(
        "s_tera write_book {book}.db root_sfens_name roots.txt nodes_limit 60 think_limit {positions} \
         book_save_interval 9 search_delta 40 --hash 1 --multi 1 -q"
    )
}

fn place_with_roots() -> Option<Place> {
    let place = Place::empty()?;
    place
        .folder
        .write("roots.txt", "startpos\nstartpos moves 2g2f\n");
    Some(place)
}

/// The moves that a book has for each position, without move numbers.
fn positions(place: &Place, book: &str) -> Vec<String> {
    let text = String::from_utf8(place.folder.read(book)).unwrap();
    let sfens = text.lines().filter_map(|line| line.strip_prefix("sfen "));
    let position = |sfen: &str| sfen.rsplit_once(' ').unwrap().0.to_owned();
    sfens.map(position).collect()
}

#[test]
fn an_endless_run_goes_on_whoever_is_killed() {
    let Some(place) = place_with_roots() else {
        return;
    };
    let _server = place.nats.start();
    let line = endless("shared");
    // A worker with another book waits for a server with that book.
    let mut other = place.queue(&endless("other"), "--work");
    let [mut first, mut second] = [(); 2].map(|()| place.queue(&line, "--work"));
    let mut serve = place.queue(&line, "--serve");
    // Several rounds are over by then.
    place.more(&mut serve, "shared.db", 3000);
    first.kill();
    place.more(&mut serve, "shared.db", 1500);
    serve.kill();
    let mut serve = place.queue(&line, "--serve");
    place.more(&mut serve, "shared.db", 1500);
    serve.succeeds();
    second.succeeds();
    assert!(!other.has_ended());
    place.folder.run(&endless("alone")).silent();
    let books = ["shared.db", "alone.db"].map(|book| place.folder.read(book));
    assert!(books[0] == books[1]);
    assert!(positions(&place, "alone.db").len() > 80);
    // There is nothing left to do, and everybody is told.
    place.queue(&line, "--serve").succeeds();
    place.queue(&line, "--work").succeeds();
    assert!(place.folder.read("shared.db") == books[1]);
    let names = [
        "alone.db",
        "alone.txt",
        "nats",
        "roots.txt",
        "shared.db",
        "shared.txt",
    ];
    assert_eq!(place.folder.names(), names);
}

/// `line` with the small network.
fn with_network(line: &str) -> String {
    let network = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/shogi-deep/assets/small.onnx"
    );
    format!("{line} --option EvalDir={network} -q")
}

#[test]
fn the_deep_engine_gives_what_it_gives_on_one_machine() {
    let Some(place) = Place::new(4) else { return };
    let _server = place.nats.start();
    let think = |book: &str| {
        with_network(&format!(
            "think games.sfen {book}.db moves 5 nodes 16 multipv 4 --multi 1"
        ))
    };
    // Engines with another network, or none, do other work.
    let network = test_support::fixture("deep/mtiny.onnx");
    let network = format!(" --option EvalDir={}", network.to_str().unwrap());
    let mut others = ["", &network].map(|engine| {
        let line = "think games.sfen other.db moves 5 nodes 16 multipv 4 --multi 1 -q";
        place.queue(&format!("{line}{engine}"), "--work")
    });
    let mut workers = [(); 2].map(|()| place.queue(&think("elsewhere"), "--work"));
    place.queue(&think("shared"), "--serve").succeeds();
    workers.iter_mut().for_each(Process::succeeds);
    for other in &mut others {
        assert!(!other.has_ended());
    }
    place.folder.run(&think("alone")).silent();
    assert!(place.folder.read("shared.db") == place.folder.read("alone.db"));
    assert!(positions(&place, "alone.db").len() > 10);
}

#[test]
fn a_book_grows_by_the_deep_engine() {
    let Some(place) = place_with_roots() else {
        return;
    };
    let _server = place.nats.start();
    let endless = |book: &str| {
        with_network(&format!(
            "endless_extend_tree {book}.db roots.txt {book}.txt nodes 16 moves 4 multipv 2 \
             black_eval_limit -9999 white_eval_limit -9999 --multi 1"
        ))
    };
    let line = endless("grown");
    let mut workers = [(); 2].map(|()| place.queue(&line, "--work"));
    place.queue(&line, "--serve").succeeds();
    workers.iter_mut().for_each(Process::succeeds);
    place.folder.run(&endless("alone")).silent();
    assert!(place.folder.read("grown.db") == place.folder.read("alone.db"));
    assert!(positions(&place, "alone.db").len() > 10);
    let stera = |book: &str| {
        with_network(&format!(
            "s_tera write_book {book}.db root_sfens_name roots.txt nodes_limit 16 think_limit 12 --multi 1"
        ))
    };
    let line = stera("tera");
    let mut worker = place.queue(&line, "--work");
    let server = format!("{line} --ahead 1");
    place.queue(&server, "--serve").succeeds();
    worker.succeeds();
    place.folder.run(&stera("lone")).silent();
    assert!(place.folder.read("tera.db") == place.folder.read("lone.db"));
    assert_eq!(positions(&place, "lone.db").len(), 12);
}

#[test]
fn one_leaf_ahead_gives_what_one_searcher_gives() {
    let Some(place) = place_with_roots() else {
        return;
    };
    let _server = place.nats.start();
    let line = stera("shared", 40);
    let mut work = place.queue(&line, "--work");
    place
        .queue(&format!("{line} --ahead 1"), "--serve")
        .succeeds();
    work.succeeds();
    place.folder.run(&stera("alone", 40)).silent();
    assert_eq!(positions(&place, "alone.db").len(), 40);
    assert!(place.folder.read("shared.db") == place.folder.read("alone.db"));
    let names = ["alone.db", "nats", "roots.txt", "shared.db"];
    assert_eq!(place.folder.names(), names);
}

#[test]
fn leaves_are_searched_once_whoever_is_killed() {
    let Some(place) = place_with_roots() else {
        return;
    };
    let server = place.nats.start();
    let line = stera("shared", 150);
    let mut workers: Vec<_> = (0..3).map(|_| place.queue(&line, "--work")).collect();
    let serve = || place.queue(&format!("{line} --ahead 4"), "--serve");
    let mut serving = serve();
    // A position with its moves has about 300 bytes there.
    place.more(&mut serving, "shared.db.journal", 6000);
    workers[0].kill();
    place.more(&mut serving, "shared.db.journal", 6000);
    serving.kill();
    let mut serving = serve();
    place.more(&mut serving, "shared.db.journal", 6000);
    drop(server);
    let _server = place.nats.start();
    serving.succeeds();
    workers[1..].iter_mut().for_each(Process::succeeds);
    let found = positions(&place, "shared.db");
    assert_eq!(found.len(), 150);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 150);
    let check = place.folder.run("check shared.db").silent();
    assert!(check.text().contains("no problems found"), "{check:?}");
    assert_eq!(place.folder.names(), ["nats", "roots.txt", "shared.db"]);
}
