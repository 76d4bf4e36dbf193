//! The order of large files, which is checked in the background and remembered.

use serde_json::{Value, json};
use test_support::{TestFolder, wait_until};
use yane_io::Job;

use crate::support::{AFTER_7G7F, HEADER, START, Server};

/// A book of more bytes than are looked at at once: most of them are comments.
fn large(first: &str, last: &str) -> String {
    let comment = format!("#{}\r\n", "x".repeat(99)).repeat(1_000);
    let mut text = format!("{HEADER}sfen {first}\r\n7g7f none 1 2 3\r\n");
    for ply in 10_000..10_680 {
        text += &[
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b G ",
            &ply.to_string(),
            "\r\nG*5e\r\n",
            &comment,
        ]
        .concat();
    }
    text + &format!("sfen {last}\r\n3c3d none 1 2 3\r\n")
}

fn order(server: &Server, book: &str) -> Value {
    server.info(book)["order"].clone()
}

#[test]
fn large_files_are_checked_in_the_background_and_remembered() {
    let folder = TestFolder::new();
    let early = "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    folder.write("a.db", large(early, START));
    std::fs::create_dir(folder.path("own")).unwrap();
    let server = Server::with(&folder, Job::default(), Some(folder.path("own")));
    let book = server.open("a.db");
    if order(&server, &book) == "checking" {
        let info = server.info(&book);
        assert_eq!(
            (&info["can_edit"], &info["positions"], &info["complete"]),
            (&json!(false), &Value::Null, &json!(true))
        );
        assert_eq!(
            server.at(&book, START)["matched"],
            "exact",
            "it is looked up meanwhile"
        );
    }
    wait_until(
        || order(&server, &book) != "checking",
        "the check does not end",
    );
    let info = server.info(&book);
    assert_eq!(
        (&info["order"], &info["positions"], &info["can_edit"]),
        (&json!("sorted"), &json!("682"), &json!(true))
    );
    let told = || server.pages.0.lock().unwrap().clone();
    wait_until(
        || told() == [json!({ "ev": "book_changed", "book": book, "rev": 1 })],
        "the pages are not told",
    );
    // A saved book is known to be sorted too.
    let set = json!({ "sfen": AFTER_7G7F, "changes": [{ "set": { "move": "8c8d", "score": 1 } }] });
    server.change("book.edit", &book, set).unwrap();
    server.change("book.save", &book, json!({})).unwrap();
    assert_eq!(
        (
            order(&server, &book),
            server.info(&book)["positions"].clone()
        ),
        (json!("sorted"), json!("683"))
    );
    drop(server);
    let server = Server::with(&folder, Job::default(), Some(folder.path("own")));
    let book = server.open("a.db");
    assert_eq!(order(&server, &book), "sorted", "remembered");
    assert_eq!(
        server.moves(&book, AFTER_7G7F),
        [("8c8d".to_owned(), Some(1))]
    );
}

#[test]
fn large_files_that_are_not_sorted_are_not_edited() {
    let folder = TestFolder::new();
    folder.write("a.db", large(START, AFTER_7G7F));
    let server = Server::new(&folder);
    let closed = server.open("a.db");
    // Closing ends the check.
    server.ask("book.close", json!({ "book": closed }));
    let book = server.open("a.db");
    wait_until(
        || order(&server, &book) != "checking",
        "the check does not end",
    );
    let info = server.info(&book);
    assert_eq!(
        (&info["order"], &info["unsorted_line"], &info["complete"]),
        (&json!("unsorted"), &json!(4), &json!(false))
    );
    let fields = json!({ "sfen": START, "changes": [{ "comment": "x" }] });
    let failure = server.change("book.edit", &book, fields).unwrap_err();
    assert!(failure.text.contains("sort it first"), "{failure}");
}
