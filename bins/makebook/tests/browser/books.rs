//! Books are browsed, compared and searched.

use serde_json::json;

use crate::story::{AFTER_76, START, db, story_of, story_with};

fn small() -> String {
    db(&[
        (AFTER_76, "3c3d 2g2f -60 31 8\n8c8d none -70 30 4"),
        (
            START,
            "7g7f 3c3d 60 32 12\n2g2f 8c8d 58 32 9\n9g9f none -20 10 1",
        ),
    ])
}

#[test]
fn a_book_is_browsed_by_its_moves() {
    story_with(&[("a.db", small())], &["a.db"], |page| {
        page.wait("document.querySelector('table.books').textContent.includes('sorted')");
        page.has_moves(&["7g7f", "2g2f", "9g9f"]);
        page.row_has("7g7f", "60");
        page.row_has("7g7f", "leaf");
        page.row_has("9g9f", "80");
        page.row_has("9g9f", "not in the book");
        page.click(".book-moves tr[data-move='7g7f'] td:first-child button");
        page.has_moves(&["3c3d", "8c8d"]);
        page.press("This line");
        page.wait("document.querySelector('#panel').textContent.includes('Lost by the book')");
        page.press("Tree");
        page.press("Show the tree from here");
        page.wait("document.querySelectorAll('.tree-row').length === 2");
        // A move of the book is played by a click on the board's arrows no less than here: back to the start.
        page.leave_focus();
        page.key("Home", 0);
        page.press("Moves");
        page.has_moves(&["7g7f", "2g2f", "9g9f"]);
    });
}

#[test]
fn positions_are_found_turned_and_at_any_ply() {
    // The position after 7g7f, turned by 180 degrees and at another ply.
    let turned = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7";
    let files = [("a.db", db(&[(turned, "7g7f 8c8d -60 31 8")]))];
    let settings = json!({ "book.flipped": false, "book.ignorePly": false });
    story_of(&files, &["a.db"], &settings, |page| {
        page.click("#tab-moves");
        page.paste("position startpos moves 7g7f");
        page.wait("document.querySelectorAll('.record-name').length === 2");
        page.click("#tab-book");
        page.wait("document.querySelector('#panel').textContent.includes('not in the book')");
        page.switch("Also turned by 180°");
        page.switch("Whatever the move number");
        page.has_moves(&["3c3d"]);
        page.wait("document.querySelector('#panel').textContent.includes('turned by 180°')");
    });
}

#[test]
fn two_books_are_compared_as_by_diff() {
    let other = db(&[
        (AFTER_76, "3c3d 2g2f -60 31 8\n8c8d none -70 30 4"),
        (START, "7g7f 3c3d 10 20 12\n2g2f 8c8d 58 32 9"),
    ]);
    let files = [("a.db", small()), ("b.db", other)];
    story_with(&files, &["a.db", "b.db"], |page| {
        page.wait("document.querySelectorAll('table.books tbody tr').length === 2");
        let shown = "document.querySelectorAll('table.books tbody input')";
        page.wait(&format!("{shown}.length >= 3"));
        if page.is("document.querySelectorAll('.book-moves .book-name').length < 2") {
            page.click("table.books tbody tr:nth-child(2) td:nth-child(2) input");
        }
        page.wait("document.querySelectorAll('.book-moves .book-name').length === 2");
        page.wait(
            "document.querySelector('.book-moves tr[data-move=\"7g7f\"]').classList.contains('differ')",
        );
        page.wait(
            "!document.querySelector('.book-moves tr[data-move=\"2g2f\"]').classList.contains('differ')",
        );
        page.press("Search and lists");
        page.press("Compare with b.db");
        page.wait("document.querySelectorAll('.list-diff tbody tr').length === 3");
        // The counts are those of the command.
        let told = page.run("diff a.db b.db --json");
        let totals = told.text().lines().last().unwrap().to_owned();
        let totals: serde_json::Value = serde_json::from_str(&totals).unwrap();
        for (name, of_the_command) in [
            ("same", "same"),
            ("different", "different"),
            ("moves_removed", "removed"),
            ("scores_changed", "eval_changed"),
        ] {
            let line = format!("{name}: {}", totals[of_the_command]);
            page.wait(&format!(
                "document.querySelector('ul.counts').textContent.includes('{line}')"
            ));
        }
        page.click(".list-diff tbody tr button");
        page.press("Moves");
        page.wait("document.querySelector('.book-moves tr.differ')");
    });
}

#[test]
fn positions_are_searched_by_value_and_place() {
    story_with(&[("a.db", small())], &["a.db"], |page| {
        page.press("Search and lists");
        page.fill("form.search [name=score-to]", "0");
        page.press("Search");
        page.wait("document.querySelectorAll('.list-search tbody tr').length === 1");
        page.click(".list-search tbody tr button");
        page.press("Moves");
        page.has_moves(&["3c3d", "8c8d"]);
        page.press("Search and lists");
        page.fill("form.search [name=score-to]", "");
        page.fill("form.search [name=place]", &format!("sfen {START}"));
        page.press("Search");
        page.has_moves(&["7g7f", "2g2f", "9g9f"]);
    });
}

#[test]
fn a_book_that_is_not_sorted_is_said_and_offered_to_be_sorted() {
    let unsorted = db(&[
        (START, "7g7f 3c3d 60 32 12"),
        (AFTER_76, "3c3d 2g2f -60 31 8"),
    ]);
    story_with(&[("a.db", unsorted)], &["a.db"], |page| {
        page.wait("document.querySelector('#panel').textContent.includes('not sorted')");
        page.press("Sort the book…");
        // The book is what is read, unless another one is named.
        page.wait("document.querySelector('dialog .key-chip')?.textContent.includes('a.db')");
        page.fill("dialog [name=output]", "sorted.db");
        page.press("Start");
        page.wait("document.querySelector('#panel').textContent.includes('makebook sort')");
        let sorted = page.server().folder().path("sorted.db");
        test_support::wait_until(|| sorted.exists(), "the job ends");
        page.run("sort a.db expected.db").succeeded();
        assert!(
            page.server().folder().read("expected.db") == page.server().folder().read("sorted.db")
        );
    });
}
