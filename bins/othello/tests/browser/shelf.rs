//! Files of the server: games in the library, books and their edits, jobs on them.

use std::process::Command;

use serde_json::{Value, json};
use test_support::{BrowserPage, ServerNeed, TestFolder};

use crate::story::{Story, at, last, story_in};

/// Runs the program in a folder.
fn run(folder: &TestFolder, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_othello"));
    command
        .args(args)
        .env("OTHELLO_SETTINGS", folder.path("othello.json5"))
        .current_dir(folder.path(""));
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with a small book.
fn with_book() -> TestFolder {
    let folder = TestFolder::new();
    let learn = "book learn --level 1 --depth 5 --threads 1 -q -o a.egbk3";
    run(&folder, &learn.split(' ').collect::<Vec<_>>());
    folder
}

/// Waits until the library shows so many games.
#[track_caller]
fn games(page: &Story, count: usize) {
    page.wait(&format!(
        "document.querySelectorAll('#panel table.games tbody tr').length === {count}"
    ));
}

/// Chooses the only game that the library shows.
#[track_caller]
fn choose_the_game(page: &Story) {
    page.click("#panel table.games tbody tr");
    page.wait("document.querySelector('#panel tr.chosen')");
}

#[test]
fn a_game_with_a_variation_is_saved_found_thrown_away_and_had_back() {
    let folder = TestFolder::new();
    story_in(ServerNeed::Library, folder, &json!({}), &[], |page| {
        page.paste_moves("F5D6C3D3C4");
        page.key("Home", 0);
        page.key("ArrowRight", 0);
        page.wait(&last("f5"));
        page.play("f6");
        page.click("#tab-games");
        games(page, 0);
        page.press("Save the game…");
        page.fill("#dialog[open] [name=black]", "Ann");
        page.press("Save with all variations");
        games(page, 1);
        page.fill("#panel .search [name=opening]", "tiger");
        page.press("Search");
        page.wait("document.querySelector('#panel table.games').textContent.includes('Ann')");
        page.press("Load");
        page.says("Loaded");
        page.press("Show all");
        choose_the_game(page);
        page.press("Move to the trash");
        games(page, 0);
        page.press("Trash");
        games(page, 1);
        choose_the_game(page);
        page.press("Cut");
        page.press("All games");
        games(page, 0);
        page.press("Paste 1 here");
        games(page, 1);
        page.press("Load");
        page.click("#tab-moves");
        page.wait("document.querySelector('.branch')");
        // What stands in the folder is a game of Egaroucid's format.
        let listed = run(
            page.server().folder(),
            &["games", "list", "games", "--json"],
        );
        assert!(listed.contains("Ann"), "{listed}");
    });
}

/// Whether the books' table has a value for f5.
fn value_of_f5(value: &str) -> String {
    format!(
        "[...document.querySelectorAll('.compare tbody tr')].some((row) => /^\\s*f5/.test(row.textContent) && row.querySelector('td b')?.textContent === '{value}')"
    )
}

#[test]
fn a_value_is_edited_seen_in_another_tab_undone_and_saved() {
    let args = ["--book", "a.egbk3"];
    story_in(ServerNeed::Books, with_book(), &json!({}), &args, |page| {
        let before = page.server().folder().read("a.egbk3");
        page.click("#tab-book");
        page.wait("document.querySelectorAll('.compare tbody tr').length > 4");
        let other: BrowserPage = page.another(&page.url());
        other.wait("document.body.dataset.loaded");
        other.click("#tab-book");
        other.wait("document.querySelectorAll('.compare tbody tr').length > 4");
        let (x, y) = page.middle(&at("f5"));
        page.eval(&format!(
            "document.elementFromPoint({x}, {y}).dispatchEvent(new MouseEvent('contextmenu',
                {{ bubbles: true, cancelable: true, clientX: {x}, clientY: {y} }}))",
        ));
        page.wait("document.querySelector('#dialog[open] h2').textContent.includes('f5')");
        page.fill("#dialog[open] [name=value]", "7");
        page.press("Set");
        page.wait(&value_of_f5("+7"));
        other.wait(&value_of_f5("+7"));
        page.press("Undo the book edit");
        other.wait(&format!("!{}", value_of_f5("+7")));
        page.press("Redo the book edit");
        other.wait(&value_of_f5("+7"));
        assert!(page.server().folder().read("a.egbk3") == before);
        page.press("Save the book");
        page.wait("document.querySelector('#toasts .toast:last-child').textContent.length > 0");
        test_support::wait_until(
            || page.server().folder().read("a.egbk3") != before,
            "the book is saved",
        );
        let found = run(
            page.server().folder(),
            &["book", "lookup", "a.egbk3", "f5", "--json"],
        );
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["value"], -7, "{found}");
    });
}

#[test]
fn a_job_learns_shows_its_command_and_the_page_has_the_result() {
    let settings = json!({ "book.level": 1, "book.depth": 8 });
    let args = ["--book", "a.egbk3"];
    story_in(ServerNeed::Jobs, with_book(), &settings, &args, |page| {
        let before = page.server().folder().read("a.egbk3");
        page.choose("book", "job.learn");
        page.press("Start");
        page.wait("document.querySelector('#panel .job.done')");
        let command = page.eval("document.querySelector('#panel .job code').textContent");
        let command = command.as_str().unwrap();
        assert!(command.starts_with("othello book learn"), "{command}");
        assert!(page.server().folder().read("a.egbk3").len() > before.len());
        page.choose("book", "job.info");
        page.press("Start");
        page.wait("document.querySelectorAll('#panel .job.done').length === 2");
        page.wait("document.querySelector('#panel .job .table')");
    });
}
