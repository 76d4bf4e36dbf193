//! Files that grow, are cut and replaced, are damaged and large.

use std::fs;
use std::io::{BufWriter, Write as _};

use proptest::prelude::*;
use run_watch::RunWatch;
use serde_json::json;
use test_support::TestFolder;
use yane_io::{RunIdentity, Snapshot};

use crate::support::{append, ask, details, game, results, runs, told};

fn counts(watch: &RunWatch) -> Vec<(String, String)> {
    results(&details(watch))
}

fn count(name: &str, n: u32) -> (String, String) {
    (name.to_owned(), n.to_string())
}

#[test]
fn lines_count_when_they_are_whole() {
    let folder = TestFolder::new();
    let path = folder.path("a.events");
    let watch = RunWatch::new(std::slice::from_ref(&path));
    // It is to come.
    assert!(runs(&watch).is_empty());
    let line = game("r", "black");
    let (first, rest) = line.split_at(20);
    append(&path, first);
    assert!(runs(&watch).is_empty());
    append(&path, rest);
    assert_eq!(counts(&watch), [count("black", 1)]);
    append(&path, &game("r", "draw").repeat(3));
    assert_eq!(counts(&watch), [count("black", 1), count("draw", 3)]);
}

#[test]
fn a_file_that_is_cut_or_replaced_is_followed() {
    let folder = TestFolder::new();
    let path = folder.path("a.events");
    append(&path, &game("r", "black").repeat(5));
    let watch = RunWatch::new(std::slice::from_ref(&path));
    assert_eq!(counts(&watch), [count("black", 5)]);
    // Cut, as by a rotation that copies.
    fs::write(&path, game("r", "draw")).unwrap();
    assert_eq!(counts(&watch), [count("black", 5), count("draw", 1)]);
    // Cut, and grown beyond where it was.
    fs::write(&path, game("r", "white").repeat(9)).unwrap();
    let now = [count("black", 5), count("draw", 1), count("white", 9)];
    assert_eq!(counts(&watch), now);
    // Moved away, written to after that, and made anew.
    append(&path, &game("r", "black"));
    fs::rename(&path, folder.path("a.events.1")).unwrap();
    append(&folder.path("a.events.1"), &game("r", "black"));
    append(&path, &game("r", "black"));
    assert_eq!(counts(&watch)[0], count("black", 8));
    // Gone, it stays as it was.
    fs::remove_file(&path).unwrap();
    assert_eq!(counts(&watch)[0], count("black", 8));
    assert!(told(&watch)["sources"][0]["text"].is_string());
    append(&path, &game("r", "black"));
    assert_eq!(counts(&watch)[0], count("black", 9));
}

#[test]
fn damage_is_counted_and_harms_nothing() {
    let folder = TestFolder::new();
    let path = folder.path("a.jsonl");
    append(&path, &game("r", "black"));
    append(&path, "{\"event\":\"game\",\"run\":\"r\",\"res\n");
    append(&path, "\n\r\n[1,2]\nnull\n");
    append(&path, &format!("\"{}\"\n", "x".repeat(3 << 20)));
    append(&path, &game("r", "black"));
    fs::write(folder.path("b.jsonl"), b"\xff\xfe\x00\n\x00").unwrap();
    fs::create_dir(folder.path("c.events")).unwrap();
    let watch = RunWatch::new(&[folder.path("")]);
    assert_eq!(counts(&watch), [count("black", 2)]);
    let source = told(&watch)["sources"][0].clone();
    assert_eq!(
        (&source["damaged"], &source["lines"]),
        (&json!("5"), &json!("7"))
    );
    let unknown = ask(&watch, "run", json!({ "run": "no" })).unwrap_err();
    assert_eq!(unknown, "there is no run 'no'");
}

#[test]
fn new_files_and_books_of_a_folder_appear() {
    let folder = TestFolder::new();
    let watch = RunWatch::new(&[folder.path("")]);
    assert!(runs(&watch).is_empty());
    append(&folder.path("a.events"), &game("a", "black"));
    append(&folder.path("notes.txt"), &game("b", "black"));
    folder.write("book.db", "0123456789");
    let identity = RunIdentity::new("test");
    let state = br#"{"round":3,"thought":100,"seconds":1.5,"list":["x"],"thought_of_list":7}"#;
    Snapshot::write(&folder.path("book.db.mine.state"), &identity, state).unwrap();
    folder.write("other.db.endless.state", "damaged");
    test_support::wait_until(|| runs(&watch).len() == 1, "the file does not appear");
    let books = told(&watch)["books"].clone();
    let books = books.as_array().unwrap();
    assert_eq!(books.len(), 1);
    let name = books[0]["book"].as_str().unwrap();
    assert!(name.ends_with("/book.db"), "{name}");
    let told = ["kind", "round", "searched", "size"].map(|field| books[0][field].clone());
    assert_eq!(told, [json!("mine"), json!("3"), json!("107"), json!("10")]);
}

#[test]
fn a_run_that_says_nothing_is_lost() {
    let folder = TestFolder::new();
    let path = folder.path("a.events");
    append(
        &path,
        "{\"event\":\"run\",\"run\":\"r\",\"at\":1000,\"program\":\"gensfen\"}\n",
    );
    let watch = RunWatch::new(&[path]);
    assert_eq!(runs(&watch)[0]["state"], "lost");
}

/// The bytes of memory that this process has now.
#[cfg(target_os = "linux")]
fn memory() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[cfg(target_os = "linux")]
#[test]
fn a_million_lines_take_little_memory_and_all_count() {
    const LINES: u64 = 1_000_000;
    let folder = TestFolder::new();
    let path = folder.path("large.events");
    let mut file = BufWriter::new(fs::File::create(&path).unwrap());
    for n in 0..LINES {
        let result = ["black", "white", "draw"][(n % 3) as usize];
        writeln!(
            file,
            r#"{{"event":"game","run":"r","at":{},"worker":{},"plies":{},"result":"{result}","reason":"r"}}"#,
            1_795_900_000_000 + n,
            n % 100,
            n % 400
        )
        .unwrap();
    }
    file.flush().unwrap();
    drop(file);
    assert!(fs::metadata(&path).unwrap().len() > 80_000_000);
    let before = memory();
    let watch = RunWatch::new(&[path]);
    let details = details(&watch);
    let grown = memory().saturating_sub(before);
    assert!(grown < 48 << 20, "{grown} bytes");
    let expected = [
        count("black", 333_334),
        count("white", 333_333),
        count("draw", 333_333),
    ];
    assert_eq!(results(&details), expected);
    assert_eq!(details["workers"].as_array().unwrap().len(), 100);
    assert_eq!(details["workers"][7]["done"], "10000");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is in a file, and in whatever pieces it comes: nothing is lost, and nothing is counted twice.
    #[test]
    fn pieces_of_any_size_give_the_same(
        lines in prop::collection::vec(prop_oneof![
            Just(game("r", "black")),
            Just(game("r", "white")),
            "[ -~]{0,40}\n",
        ], 0..30),
        at in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let text = lines.concat();
        let folder = TestFolder::new();
        let path = folder.path("a.events");
        let watch = RunWatch::new(std::slice::from_ref(&path));
        let mut cuts: Vec<usize> = at.iter().map(|at| at.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        for piece in cuts.windows(2) {
            append(&path, &text[piece[0]..piece[1]]);
            watch.read_now();
        }
        let whole = folder.path("b.events");
        append(&whole, &text);
        let other = RunWatch::new(&[whole]);
        let (one, two) = (told(&watch), told(&other));
        for field in ["lines", "damaged"] {
            prop_assert_eq!(&one["sources"][0][field], &two["sources"][0][field]);
        }
        let count = |watch: &RunWatch| {
            let runs = runs(watch).into_iter();
            let runs = runs.filter(|run| run["run"].as_str().unwrap().ends_with("#r"));
            let details = runs.map(|run| ask(watch, "run", json!({ "run": run["run"] })).unwrap());
            details.map(|details| results(&details)).collect::<Vec<_>>()
        };
        prop_assert_eq!(count(&watch), count(&other));
    }
}
