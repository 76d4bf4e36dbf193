//! `makebook serve`: books on a page.

use std::process::{Command, Stdio};

use serde_json::json;
use test_support::{PageClient, Process, run_program};

use crate::util::folder_with;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_makebook");

#[test]
fn books_of_the_command_line_are_open() {
    let folder = folder_with(&["merge/ma.db", "merge/mb.db"]);
    let mut command = Command::new(PROGRAM);
    command
        .args([
            "serve",
            "--port",
            "0",
            "--threads",
            "1",
            "--option",
            "USI_Hash=1",
        ])
        .args(["ma.db", "mb.db"])
        .current_dir(folder.path(""))
        .env("YANEURA_PAGE_FOLDER", folder.path("settings"))
        .stdin(Stdio::null());
    let (_server, url) = Process::spawn_and_read_line(&mut command);
    let mut tab = PageClient::connect(url.trim());
    let books = tab.ask("book.list", json!({})).unwrap();
    let names: Vec<_> = books["books"]
        .as_array()
        .unwrap()
        .iter()
        .map(|book| book["name"].clone())
        .collect();
    assert_eq!(names, ["ma.db", "mb.db"]);
    let think = tab.ask("think", json!({ "depth": 1 })).unwrap();
    assert_eq!(
        (&think["final"], &think["engine"]),
        (&json!(true), &json!("own"))
    );
    assert!(tab.ask("jobs", json!({})).is_ok() && tab.ask("runs", json!({})).is_ok());
}

#[test]
fn the_help_has_examples() {
    let folder = folder_with(&[]);
    let args = ["serve", "--help"];
    let help = run_program(
        PROGRAM,
        &folder.path(""),
        args,
        Vec::new(),
        std::time::Duration::from_secs(60),
    )
    .succeeded();
    for word in [
        "--open",
        "--engine",
        "--book",
        "--watch",
        "makebook serve --open book.db",
    ] {
        assert!(help.text().contains(word), "{word}");
    }
}
