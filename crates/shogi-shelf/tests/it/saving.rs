//! The bytes of saved books; servers that were killed; files that others change; books that are not sorted.

use page_messages::PageService as _;
use serde_json::json;
use test_support::TestFolder;
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_io::Job;

use crate::support::{AFTER_7G7F, START, Server, book, folder, small};

/// A page that hears nothing.
struct Nobody;
impl page_messages::EventSink for Nobody {
    fn event(&self, _: &str, _: serde_json::Value) {}
    fn state(&self, _: &str, _: u64, _: serde_json::Value) {}
    fn broadcast(&self, _: &str, _: serde_json::Value) {}
}

fn score(mv: &str, score: i32) -> serde_json::Value {
    json!([{ "set": { "move": mv, "score": score, "depth": 99, "count": "1" } }])
}

#[test]
fn a_saved_book_is_that_of_the_command() {
    let folder = folder("from_sfen/fs16.db", "a.db");
    let server = Server::new(&folder);
    let name = server.open("a.db");
    folder.write(
        "overlay.db",
        book(&[(START, &["9g9f none 5 99 1", "1g1f none -5 99 1"])]),
    );
    let had = server.moves(&name, START);
    let mut changes: Vec<_> = had.iter().map(|(mv, _)| json!({ "remove": mv })).collect();
    changes.push(json!({ "set": { "move": "9g9f", "score": 5, "depth": 99, "count": "1" } }));
    changes.push(json!({ "set": { "move": "1g1f", "score": -5, "depth": 99, "count": "1" } }));
    server.edit(&name, START, &json!(changes));
    let inputs = ["a.db", "overlay.db"].map(|name| MergeInput::new(folder.path(name)));
    merge(
        &inputs,
        &folder.path("merged.db"),
        MergeOptions::default(),
        &Job::default(),
    )
    .unwrap();
    server.change("book.save", &name, json!({})).unwrap();
    assert!(folder.read("a.db") == folder.read("merged.db"));
    // It goes on with the saved book.
    let info = server.info(&name);
    assert_eq!(
        (&info["edits"], &info["can_edit"], &info["order"]),
        (&json!(0), &json!(true), &json!("sorted"))
    );
    server.edit(&name, START, &score("9g9f", 9));
    server.change("book.save", &name, json!({})).unwrap();
    drop(server);
    let server = Server::new(&folder);
    let name = server.open("a.db");
    assert_eq!(server.moves(&name, START)[0], ("9g9f".to_owned(), Some(9)));
    assert_eq!(folder.names(), ["a.db", "merged.db", "overlay.db"]);
}

#[test]
fn a_server_that_is_killed_goes_on_where_it_was() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    server.edit(&book, START, &score("7g7f", 1));
    server.edit(&book, AFTER_7G7F, &score("3c3d", 2));
    server.edit(&book, START, &score("2g2f", 3));
    server.change("book.undo", &book, json!({})).unwrap();
    // Nothing is closed in order.
    drop(server);
    assert!(folder.names().contains(&"a.db.edits".to_owned()));
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let info = server.info(&book);
    assert_eq!((&info["edits"], &info["redos"]), (&json!(2), &json!(1)));
    assert!(
        server
            .moves(&book, AFTER_7G7F)
            .contains(&("3c3d".to_owned(), Some(2)))
    );
    server.change("book.redo", &book, json!({})).unwrap();
    assert!(
        server
            .moves(&book, START)
            .contains(&("2g2f".to_owned(), Some(3)))
    );
    // Closing leaves them too.
    server.ask("book.close", json!({ "book": book }));
    let book = server.open("a.db");
    assert_eq!(server.info(&book)["edits"], 3);
    server.change("book.save", &book, json!({})).unwrap();
    assert_eq!(folder.names(), ["a.db"]);
}

#[test]
fn a_file_that_another_program_changed_is_not_overwritten() {
    let folder = small();
    let server = Server::new(&folder);
    let book_name = server.open("a.db");
    server.edit(&book_name, START, &score("7g7f", 1));
    let other = book(&[(START, &["5g5f"])]);
    // As programs of this workspace write: to another file that takes the name.
    folder.write("new", &other);
    std::fs::rename(folder.path("new"), folder.path("a.db")).unwrap();
    for op in ["save", "undo", "edit"] {
        let fields = json!({ "sfen": START, "changes": score("7g7f", 5) });
        let failure = server
            .change(&format!("book.{op}"), &book_name, fields)
            .unwrap_err();
        assert!(
            failure.text.contains("another program changed the file"),
            "{op}: {failure}"
        );
    }
    assert!(folder.read("a.db") == other.as_bytes());
    assert_eq!(server.info(&book_name)["edits"], 1);
    // The edits are of another state of the file, which is told when it is opened again.
    drop(server);
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let info = server.info(&book);
    assert_eq!(
        (&info["edits"], &info["can_edit"]),
        (&json!(0), &json!(false))
    );
    let note = info["note"].as_str().unwrap();
    assert!(
        note.contains("a.db.edits: is the journal of another run"),
        "{note}"
    );
    server.change("book.discard", &book, json!({})).unwrap();
    assert_eq!(server.info(&book)["can_edit"], true);
    server.edit(&book, START, &score("7g7f", 5));
    server.change("book.save", &book, json!({})).unwrap();
    assert_eq!(folder.names(), ["a.db"]);
}

#[test]
fn a_book_has_one_writer() {
    let folder = small();
    let (one, other) = (Server::new(&folder), Server::new(&folder));
    let (book, same) = (one.open("a.db"), other.open("a.db"));
    one.edit(&book, START, &score("7g7f", 1));
    let fields = json!({ "sfen": START, "changes": score("7g7f", 5) });
    let failure = other.change("book.edit", &same, fields).unwrap_err();
    assert!(
        failure.text.contains("is in use by another process"),
        "{failure}"
    );
}

#[test]
fn a_disk_that_refuses_costs_nothing() {
    let folder = small();
    let before = folder.read("a.db");
    let server = Server::new(&folder);
    let book = server.open("a.db");
    server.edit(&book, START, &score("7g7f", 1));
    // A save that is stopped is as one that the disk refuses: nothing was written.
    let rev = server.info(&book)["rev"].clone();
    let stop = page_messages::StopFlag::default();
    stop.stop();
    let request =
        page_messages::PageRequest::new(1, "book.save", json!({ "book": book, "rev": rev }));
    assert!(server.shelf.answer(&request, &Nobody, &stop).is_err());
    assert!(folder.read("a.db") == before);
    let info = server.info(&book);
    assert_eq!(
        (&info["edits"], &info["can_edit"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(
        server
            .moves(&book, START)
            .iter()
            .find(|mv| mv.0 == "7g7f")
            .unwrap()
            .1,
        Some(1)
    );
    // A journal that cannot be written refuses the edit.
    server.change("book.discard", &book, json!({})).unwrap();
    std::fs::create_dir(folder.path("a.db.edits")).unwrap();
    let fields = json!({ "sfen": START, "changes": score("7g7f", 5) });
    let failure = server.change("book.edit", &book, fields).unwrap_err();
    assert!(failure.text.contains("a.db.edits"), "{failure}");
    assert_eq!(server.info(&book)["edits"], 0);
}

#[test]
fn books_that_are_not_sorted_say_so() {
    let folder = TestFolder::new();
    folder.write("a.db", book(&[(START, &["7g7f"]), (AFTER_7G7F, &["3c3d"])]));
    let server = Server::new(&folder);
    let name = server.open("a.db");
    let info = server.info(&name);
    assert_eq!(
        (
            &info["order"],
            &info["unsorted_line"],
            &info["complete"],
            &info["can_edit"]
        ),
        (&json!("unsorted"), &json!(4), &json!(true), &json!(true)),
        "a small one is indexed"
    );
    for sfen in [START, AFTER_7G7F] {
        assert_eq!(server.at(&name, sfen)["matched"], "exact");
    }
    server.edit(&name, START, &score("2g2f", 1));
    server.change("book.save", &name, json!({})).unwrap();
    assert_eq!(server.info(&name)["order"], "unsorted");
    assert_eq!(server.moves(&name, START).len(), 2);
}

#[test]
fn files_that_jobs_wrote_are_opened_again() {
    let folder = small();
    let server = Server::new(&folder);
    let name = server.open("a.db");
    assert_eq!(server.shelf.edits_of(&folder.path("a.db")), Some(0));
    assert_eq!(server.shelf.edits_of(&folder.path("b.db")), None);
    folder.write("a.db", book(&[(START, &["5g5f none 7 1 1"])]));
    server.shelf.written(&folder.path("a.db")).unwrap();
    assert_eq!(server.moves(&name, START), [("5g5f".to_owned(), Some(7))]);
    let told = server.pages.0.lock().unwrap().clone();
    assert_eq!(
        told,
        [json!({ "ev": "book_changed", "book": name, "rev": 2 })]
    );
    // With edits it stays as it was, and saving says why.
    server.edit(&name, START, &score("5g5f", 8));
    folder.write("a.db", book(&[(START, &["1g1f none 7 1 1"])]));
    server.shelf.written(&folder.path("a.db")).unwrap();
    assert_eq!(server.moves(&name, START), [("5g5f".to_owned(), Some(8))]);
    assert!(server.change("book.save", &name, json!({})).is_err());
    server.shelf.replaced(&name).unwrap();
    assert_eq!(server.moves(&name, START), [("1g1f".to_owned(), Some(7))]);
    assert_eq!(
        server.shelf.path_of(&name).unwrap(),
        std::fs::canonicalize(folder.path("a.db")).unwrap()
    );
}
