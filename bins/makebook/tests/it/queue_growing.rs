//! Books that grow by the thought of many machines, over a real NATS server. Without `nats-server` on the path these
//! tests are skipped.

use std::collections::BTreeSet;

use crate::nats::Process;
use crate::queue::Place;

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

fn place() -> Option<Place> {
    let place = Place::empty()?;
    place
        .folder
        .write("roots.txt", "startpos\nstartpos moves 2g2f\n");
    Some(place)
}

/// What a book says of positions, without their move numbers.
fn positions(place: &Place, book: &str) -> Vec<String> {
    let text = String::from_utf8(place.folder.read(book)).unwrap();
    let sfens = text.lines().filter_map(|line| line.strip_prefix("sfen "));
    let position = |sfen: &str| sfen.rsplit_once(' ').unwrap().0.to_owned();
    sfens.map(position).collect()
}

#[test]
fn an_endless_run_goes_on_whoever_is_killed() {
    let Some(place) = place() else { return };
    let _server = place.nats.start();
    let line = endless("shared");
    // Who has another book waits for somebody else.
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
    assert!(other.0.try_wait().unwrap().is_none());
    place.folder.run(&endless("alone")).succeeded();
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

#[test]
fn one_leaf_ahead_gives_what_one_searcher_gives() {
    let Some(place) = place() else { return };
    let _server = place.nats.start();
    let line = stera("shared", 40);
    let mut work = place.queue(&line, "--work");
    place
        .queue(&format!("{line} --ahead 1"), "--serve")
        .succeeds();
    work.succeeds();
    place.folder.run(&stera("alone", 40)).succeeded();
    assert_eq!(positions(&place, "alone.db").len(), 40);
    assert!(place.folder.read("shared.db") == place.folder.read("alone.db"));
    let names = ["alone.db", "nats", "roots.txt", "shared.db"];
    assert_eq!(place.folder.names(), names);
}

#[test]
fn leaves_are_searched_once_whoever_is_killed() {
    let Some(place) = place() else { return };
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
    let check = place.folder.run("check shared.db").succeeded();
    assert!(check.out.contains("no problems found"), "{check:?}");
    assert_eq!(place.folder.names(), ["nats", "roots.txt", "shared.db"]);
}
