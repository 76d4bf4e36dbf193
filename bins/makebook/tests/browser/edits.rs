//! Books are edited, undone and saved.

use serde_json::json;
use test_support::BrowserPage;

use crate::story::{AFTER_76, START, Story, db, story_with};

fn book() -> String {
    db(&[
        (AFTER_76, "3c3d 2g2f -60 31 8"),
        (START, "7g7f 3c3d 60 32 12\n2g2f 8c8d 58 32 9"),
    ])
}

/// Sets the score of a move in its dialog.
#[track_caller]
fn set_score(page: &Story, name: &str, score: &str) {
    page.press_in_row(name, "Edit");
    page.fill("dialog [name=score]", score);
    page.press("Set");
    page.wait("!document.querySelector('dialog[open]')");
}

#[test]
fn an_edit_is_undone_made_again_and_saved_as_merge_does() {
    story_with(&[("a.db", book())], &["a.db"], |page| {
        let folder = page.server().folder();
        let before = folder.read("a.db");
        page.press_in_row("7g7f", "Edit");
        page.fill("dialog [name=score]", "99");
        page.fill("dialog [name=depth]", "50");
        page.press("Set");
        page.row_has("7g7f", "99");
        // The file is as it was until the book is saved.
        assert!(folder.read("a.db") == before);
        page.press("Undo the book edit");
        page.row_has("7g7f", "60");
        page.press("Redo the book edit");
        page.row_has("7g7f", "99");
        page.press("Save the book");
        page.says("Book saved.");
        // A merge takes the deeper entry of a position.
        folder.write("before.db", &before);
        let edited = "7g7f 3c3d 99 50 12\n2g2f 8c8d 58 32 9";
        folder.write("edits.db", db(&[(START, edited)]));
        page.run("merge before.db edits.db merged.db --lf")
            .succeeded();
        let text = |name: &str| String::from_utf8(folder.read(name)).unwrap();
        assert_eq!(text("a.db"), text("merged.db"));
    });
}

#[test]
fn an_edit_in_one_tab_is_seen_in_the_other() {
    story_with(&[("a.db", book())], &["a.db"], |page| {
        let other: BrowserPage = page.another(&page.url());
        other.wait("document.body.dataset.loaded");
        other.click("#tab-book");
        other.wait("document.querySelector('.book-moves tr[data-move=\"2g2f\"]')");
        set_score(page, "2g2f", "77");
        other.wait(
            "document.querySelector('.book-moves tr[data-move=\"2g2f\"]').textContent.includes('77')",
        );
        assert_eq!(other.complaints(), Vec::<String>::new());
    });
}

#[test]
fn edits_outlive_a_crash_of_the_server() {
    story_with(&[("a.db", book())], &["a.db"], |page| {
        let before = page.server().folder().read("a.db");
        set_score(page, "7g7f", "61");
        page.row_has("7g7f", "61");
        page.server_mut().kill();
        page.wait("!document.querySelector('#banner').hidden");
        page.server_mut().start_again();
        page.wait("document.querySelector('#banner').hidden");
        page.row_has("7g7f", "61");
        assert!(page.server().folder().read("a.db") == before);
        page.forget_complaints();
    });
}

#[test]
fn lines_of_the_engine_go_into_the_book() {
    story_with(&[("a.db", book())], &["a.db"], |page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait("document.querySelectorAll('.thought tbody tr').length >= 1");
        page.wait("Number(document.querySelector('.thought tbody tr td:nth-child(3)').firstChild.textContent) >= 4 || [...document.querySelectorAll('.thought tbody td.n')].length > 2");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        let best = page.eval("document.querySelector('.thought tbody tr').dataset.move");
        page.choose("research", "registerLine");
        page.press("Register");
        page.wait("!document.querySelector('dialog[open]')");
        page.click("#tab-book");
        let best = best.as_str().unwrap();
        page.wait(&format!(
            "document.querySelector('.book-moves tr[data-move={}].edited')",
            json!(best)
        ));
    });
}
