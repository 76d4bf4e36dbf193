//! Moves by mouse, keys and finger, passes, ends, and the engine as a player.

use serde_json::json;

use crate::story::{at, counts, disc, last, story, story_with};

#[test]
fn a_game_is_played_by_mouse_keys_and_finger() {
    story(|page| {
        // The address has no token; the board is a grid for who cannot see it.
        assert_eq!(page.eval("location.href"), page.url());
        let tree = page.accessible();
        let cells: Vec<_> = tree.iter().filter(|(role, _)| role == "gridcell").collect();
        assert_eq!(cells.len(), 64);
        assert!(cells.iter().all(|(_, name)| !name.is_empty()));
        page.wait(&counts(2, 2));
        // By mouse.
        page.play("f5");
        page.wait(&disc("f5", "black"));
        page.wait(&counts(4, 1));
        // What is not legal does nothing.
        page.click(&at("a1"));
        page.click(&at("f5"));
        page.wait(&counts(4, 1));
        // By keys alone: into the grid, to d6, and on.
        page.eval("document.querySelector('#board [role=gridcell][tabindex=\"0\"]').focus()");
        page.key("Home", 0);
        for _ in 0..5 {
            page.key("ArrowDown", 0);
        }
        for _ in 0..3 {
            page.key("ArrowRight", 0);
        }
        page.key("Enter", 0);
        page.wait(&disc("d6", "white"));
        page.wait(&counts(3, 3));
        // By a finger, and by letting go of what was pressed elsewhere.
        page.tap(&at("c3"));
        page.wait(&disc("c3", "black"));
        page.wait(&counts(5, 2));
        page.drag(&at("a8"), &at("d3"));
        page.wait(&disc("d3", "white"));
        // Back and forward.
        page.leave_focus();
        page.key("ArrowLeft", 0);
        page.wait(&counts(5, 2));
        page.key("ArrowRight", 0);
        page.wait(&disc("d3", "white"));
    });
}

#[test]
fn a_telephone_is_enough() {
    // Values that come in would move the tabs under the finger.
    story_with(&json!({ "show.values": false }), |page| {
        page.on_a_telephone();
        page.tap(&at("f5"));
        page.wait(&last("f5"));
        let tabs = page.eval("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)");
        for tab in tabs.as_array().unwrap() {
            let tab = tab.as_str().unwrap();
            page.tap(&format!("#{tab}"));
            page.wait(&format!(
                "document.querySelector('#{tab}').ariaSelected === 'true'"
            ));
            assert!(
                page.is("document.documentElement.scrollWidth <= innerWidth"),
                "{tab}"
            );
        }
    });
}

#[test]
fn a_game_goes_to_its_end() {
    story(|page| {
        // The shortest game: white has nothing left.
        for name in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            page.play(name);
        }
        page.wait(&counts(13, 0));
        page.wait("document.querySelectorAll('#board [aria-disabled=false]').length === 0");
        page.wait("document.querySelector('#live').textContent.includes('Black wins by 64')");
    });
}

#[test]
fn a_forced_pass_is_played_or_confirmed() {
    let position = format!("XO{}XO------ X", "-".repeat(54));
    story(|page| {
        page.paste(&position);
        page.wait(&disc("b1", "white"));
        page.play("c1");
        page.wait("document.querySelector('.state-line').textContent.includes('had to pass')");
        page.play("c8");
        page.wait("document.querySelector('#live').textContent.includes('64')");
    });
    story_with(&json!({ "ai.pausePass": true }), |page| {
        // A click on the board is as good as one on the button.
        for confirmed in [".state-line [data-fn=pass]".to_owned(), at("h8")] {
            page.paste(&position);
            page.wait(&disc("b1", "white"));
            page.play("c1");
            page.wait("document.querySelector('.state-line [data-fn=pass]')");
            // Nothing can be played before the pass is.
            assert!(
                page.is("document.querySelectorAll('#board [aria-disabled=false]').length === 0")
            );
            page.click(&confirmed);
            page.wait("!document.querySelector('.state-line [data-fn=pass]')");
            page.play("c8");
            page.wait("document.querySelector('#live').textContent.includes('64')");
        }
    });
}

#[test]
fn the_engine_answers_and_begins_after_start() {
    story(|page| {
        page.key("w", 0);
        page.key(" ", 0);
        page.click(&at("f5"));
        page.wait(&format!(
            "/^[a-h][1-8]/.test(document.querySelector('#live').textContent) && !{}",
            last("f5")
        ));
        page.key("w", 0);
        page.choose("game", "newHumanWhite");
        page.click(".state-line [data-fn=start]");
        page.wait("document.querySelector('.player-count').textContent === '4'");
        page.key("b", 0);
    });
}

#[test]
fn a_game_of_the_engine_against_itself_comes_to_its_end() {
    story_with(&json!({ "ai.level": 1 }), |page| {
        page.choose("game", "newSelfPlay");
        page.click(".state-line [data-fn=start]");
        page.wait("/wins|Draw/.test(document.querySelector('#live').textContent)");
        // Each move has its time, and the time has a graph.
        page.click("#tab-graph");
        page.choose("display", "graphTime");
        page.wait("document.querySelectorAll('.graph-svg.time .bar').length > 40");
    });
}
