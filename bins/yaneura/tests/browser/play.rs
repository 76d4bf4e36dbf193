//! Moves by mouse, keys and finger, promotion, drops, and the engine as a player.

use serde_json::json;
use test_support::TestFolder;

use crate::story::{at, spot, story, story_in};

#[test]
fn a_game_is_played_by_mouse_drag_and_keys() {
    story(|page| {
        assert_eq!(page.eval("location.search + location.pathname"), "/");
        let tree = page.accessible();
        let cells: Vec<_> = tree.iter().filter(|(role, _)| role == "gridcell").collect();
        assert_eq!(cells.len(), 81);
        assert!(cells.iter().all(|(_, name)| !name.is_empty()));
        page.click("#tab-moves");
        page.play("7g", "7f");
        page.has_moves(&["P-7f"]);
        page.drag(&at("3c"), &at("3d"));
        page.has_moves(&["P-7f", "P-3d"]);
        // What is not legal does nothing.
        page.play("5i", "5e");
        page.has_moves(&["P-7f", "P-3d"]);
        // The choice at the square is made by a key.
        page.play("8h", "2b");
        page.wait("document.activeElement.dataset.promote === 'true'");
        page.key("Enter", 0);
        page.has_moves(&["P-7f", "P-3d", "Bx2b+"]);
        page.play("3a", "2b");
        page.has_moves(&["P-7f", "P-3d", "Bx2b+", "Sx2b"]);
        // By keys alone: a bishop from the stand to the middle of the board.
        page.eval(&format!("document.querySelector('{}').focus()", spot(106)));
        page.key("Enter", 0);
        page.eval(&format!("document.querySelector('{}').focus()", at("5f")));
        page.key("ArrowUp", 0);
        page.key("Enter", 0);
        page.has_moves(&["P-7f", "P-3d", "Bx2b+", "Sx2b", "B*5e"]);
        page.leave_focus();
        page.key("ArrowLeft", 0);
        page.wait("document.querySelector('.record-move.current .record-ply').textContent === '4'");
    });
}

#[test]
fn a_telephone_is_enough() {
    story(|page| {
        page.on_a_telephone();
        page.wait("document.querySelector('#board svg.rows')");
        page.tap(&at("7g"));
        page.tap(&at("7f"));
        page.wait("document.querySelector('.state-line').textContent.includes('P-7f')");
        let tabs = page.eval("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)");
        for tab in tabs.as_array().unwrap() {
            page.click(&format!("#{}", tab.as_str().unwrap()));
            page.wait("document.documentElement.scrollWidth <= innerWidth");
        }
    });
}

#[test]
fn the_engine_answers_and_the_game_can_be_given_up() {
    let settings = json!({ "play.mainMin": 0, "play.byoyomiS": 1 });
    story_in(TestFolder::new(), &settings, &[], |page| {
        page.choose("game", "newGame");
        page.press("Start");
        page.click("#tab-moves");
        page.play("7g", "7f");
        page.wait("document.querySelectorAll('.record-name').length === 3");
        page.click("[data-fn=takeBack]");
        page.wait("document.querySelectorAll('.record-name').length === 1");
        page.click("[data-fn=resign]");
        page.wait("document.querySelector('.state-line').textContent.includes('White wins')");
    });
}
