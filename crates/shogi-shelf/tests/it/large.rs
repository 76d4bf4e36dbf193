//! Figures of a large book, for whoever wants to measure: name one by `YANEURA_LARGE_BOOK`, such as
//! `cargo xtask synth-book --positions 10000000 --seed 1 large.db` makes.

use std::time::{Duration, Instant};

use serde_json::json;
use shogi_core::movegen::LegalAll;
use shogi_core::{Game, Position};
use test_support::{SplitMix64, TestFolder};
use yane_io::Job;

use crate::support::Server;

/// A line of `/proc/self/status`, in MiB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    let number = line
        .split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse::<u64>().ok());
    number.unwrap_or(0) >> 10
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "{what}: median {:?}, p95 {:?}, most {:?}; RssAnon {} MiB, RssFile {} MiB",
        at(50),
        at(95),
        at(100),
        memory("RssAnon"),
        memory("RssFile"),
    );
}

/// SFENs of a book, here and there.
fn some(path: &std::path::Path, count: usize) -> Vec<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = std::fs::File::open(path).unwrap();
    let len = file.metadata().unwrap().len();
    let mut random = SplitMix64::new(1);
    let mut sfens = Vec::new();
    while sfens.len() < count {
        file.seek(SeekFrom::Start(random.next_u64() % (len - 4096)))
            .unwrap();
        let mut bytes = vec![0; 4096];
        file.read_exact(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().collect();
        let whole = &lines[1..lines.len() - 1];
        sfens.extend(
            whole
                .iter()
                .filter_map(|line| line.strip_prefix("sfen "))
                .take(1)
                .map(str::to_owned),
        );
    }
    sfens
}

#[test]
#[ignore = "measures with a large book"]
fn figures_of_a_large_book() {
    let Some(path) = std::env::var_os("YANEURA_LARGE_BOOK") else {
        println!("YANEURA_LARGE_BOOK names no book");
        return;
    };
    let path = std::path::PathBuf::from(path);
    let folder = TestFolder::new();
    let job = Job::default();
    let server = Server::with(&folder, job, Some(&folder.path("")));
    println!("before: RssAnon {} MiB", memory("RssAnon"));
    let begin = Instant::now();
    let book = server.shelf.open(&path).unwrap();
    println!(
        "open: {:?}; {}",
        begin.elapsed(),
        server.info(&book)["order"]
    );
    let begin = Instant::now();
    while server.info(&book)["order"] == "checking" {
        std::thread::sleep(Duration::from_millis(20));
    }
    let info = server.info(&book);
    println!(
        "order: {:?}; {} of {} positions; RssAnon {} MiB, RssFile {} MiB",
        begin.elapsed(),
        info["order"],
        info["positions"],
        memory("RssAnon"),
        memory("RssFile")
    );
    let sfens = some(&path, 2_000);
    let books = server.playing.lock().unwrap().clone();
    for round in ["first", "again"] {
        let times = sfens.iter().map(|sfen| {
            let position = Position::from_sfen(sfen).unwrap();
            let begin = Instant::now();
            let found = books.find(&position);
            let time = begin.elapsed();
            assert!(found.is_some(), "{sfen}");
            time
        });
        report(&format!("find, {round}"), times.collect());
    }
    let mut absent = Vec::new();
    let mut game = Game::new(Position::startpos());
    let mut random = SplitMix64::new(7);
    while absent.len() < 400 {
        let moves = game.position().moves::<LegalAll>();
        if moves.is_empty() || game.len() > 60 {
            game = Game::new(Position::startpos());
            continue;
        }
        game.play_unchecked(moves[random.next_u64() as usize % moves.len()]);
        absent.push(game.position().clone());
    }
    let times = absent.iter().map(|position| {
        let begin = Instant::now();
        let _ = books.find(position);
        begin.elapsed()
    });
    report("find, mostly absent", times.collect());
    let times = sfens.iter().take(400).map(|sfen| {
        let begin = Instant::now();
        let entry = server.at(&book, sfen);
        let time = begin.elapsed();
        assert_eq!(entry["matched"], "exact");
        time
    });
    report("book.at", times.collect());
    let begin = Instant::now();
    let found = server.list(
        "book.search",
        json!({ "book": book, "score": [400, 500], "most": 1000 }),
        "found",
        "positions",
    );
    println!(
        "search: {:?}, {} found; RssAnon {} MiB",
        begin.elapsed(),
        found.len(),
        memory("RssAnon")
    );
    let begin = Instant::now();
    let again = Server::with(&folder, Job::default(), Some(&folder.path("")));
    let book = again.shelf.open(&path).unwrap();
    println!(
        "open again: {:?}; {}",
        begin.elapsed(),
        again.info(&book)["order"]
    );
}
