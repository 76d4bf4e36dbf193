//! The library of records: a game is saved, found, loaded and thrown away.

use serde_json::json;
use test_support::{ServerNeed, TestFolder};

use crate::story::{Story, story_in};

/// The names of black's players in the list.
const LISTED: &str = "[...document.querySelectorAll('#panel .games tbody tr')].map((row) => row.cells[1].textContent.trim()).join()";

fn lists(page: &Story, players: &str) {
    page.wait(&format!("{LISTED} === {}", json!(players)));
}

/// Checks or clears the search for the position on the board.
fn here(page: &Story, is_on: bool) {
    page.eval(&format!(
        "document.querySelector('#panel form.search [name=here]').checked = {is_on}"
    ));
}

#[test]
fn a_game_is_saved_found_loaded_and_thrown_away() {
    let args = ["--library", "records"];
    let folder = TestFolder::new();
    story_in(ServerNeed::Library, folder, &json!({}), &args, |page| {
        for (black, moves) in [("Ann", "7g7f 3c3d"), ("Bob", "2g2f 8c8d 2f2e")] {
            page.paste(&format!("position startpos moves {moves}"));
            page.choose("output", "saveGame");
            page.fill("#dialog [name=black]", black);
            page.press("Save with all variations");
            page.says("Game saved.");
        }
        page.click("#tab-games");
        page.wait("document.querySelectorAll('#panel .games tbody tr').length === 2");
        page.fill("#panel [name=player]", "ａｎｎ");
        page.press("Search");
        lists(page, "Ann");
        page.press("Show all");
        page.wait("document.querySelectorAll('#panel .games tbody tr').length === 2");
        // The board has the end of Bob's game.
        here(page, true);
        page.press("Search");
        lists(page, "Bob");
        page.press("Show all");
        page.fill("#panel [name=player]", "ann");
        page.press("Search");
        lists(page, "Ann");
        page.press("Load");
        page.says("Ann");
        page.click("#tab-moves");
        page.has_moves(&["P-7f", "P-3d"]);
        page.click("#tab-games");
        page.click("#panel .games tbody tr");
        page.press("Move to the trash");
        page.says("1 games moved to the trash.");
        lists(page, "");
        page.press("Show all");
        lists(page, "Bob");
        page.press("Trash");
        lists(page, "Ann");
    });
}
