//! Moves by mouse, keys and finger, promotion, drops, and the engine as a player.

use serde_json::json;
use test_support::{ServerNeed, TestFolder};

use crate::story::{at, spot, story, story_in, story_with};

#[test]
fn a_game_is_played_by_mouse_drag_and_keys() {
    story(|page| {
        // The address has no token.
        assert_eq!(page.eval("location.href"), page.url());
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
    let settings = json!({ "play.mainMin": 0, "play.byoyomiS": 3 });
    story_with(&settings, |page| {
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

/// A gold in hand mates at 5b.
const MATE: &str = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

/// The clock of a side.
fn clock(side: &str) -> String {
    format!("document.querySelector('.player.{side} .clock').textContent")
}

#[test]
fn a_drop_by_drag_from_the_stand_mates_and_ends_the_game() {
    story(|page| {
        page.paste(MATE);
        page.says("SFEN");
        page.drag(&spot(105), &at("5b"));
        page.state_has("G*5b");
        page.state_has("Checkmate · Black wins");
        // Nothing can be played on.
        page.play("5a", "4a");
        page.state_has("Checkmate · Black wins");
        page.click("#tab-moves");
        page.wait("document.querySelector('.record-end').textContent.includes('Checkmate')");
    });
}

#[test]
fn a_promotion_is_declined_by_key_and_mouse() {
    story(|page| {
        page.paste("position startpos moves 7g7f 3c3d");
        page.says("USI");
        page.click("#tab-moves");
        page.play("8h", "2b");
        page.wait("document.activeElement.dataset.promote === 'true'");
        page.key("-", 0);
        page.has_moves(&["P-7f", "P-3d", "Bx2b="]);
        page.leave_focus();
        page.key("Backspace", 0);
        page.play("8h", "2b");
        page.click("#board [data-promote=false]");
        page.has_moves(&["P-7f", "P-3d", "Bx2b="]);
        // Who changes their mind has played nothing.
        page.leave_focus();
        page.key("Backspace", 0);
        page.play("8h", "2b");
        page.wait("document.querySelector('#board [data-promote]')");
        page.key("Escape", 0);
        page.wait("!document.querySelector('#board [data-promote]')");
        page.has_moves(&["P-7f", "P-3d"]);
        // A pawn on the last rank has no choice.
        page.paste("sfen 4k4/9/8P/8P/9/9/9/9/K8 b - 1");
        page.says("SFEN");
        page.play("1c", "1b");
        page.click("#board [data-promote=false]");
        page.has_moves(&["P-1b="]);
    });
}

#[test]
fn repetition_is_told_and_ends_the_game() {
    let round = "2h3h 8b7b 3h2h 7b8b";
    story(|page| {
        page.click("#tab-moves");
        page.paste(&format!(
            "position startpos moves {round} {round} 2h3h 8b7b 3h2h"
        ));
        page.says("USI");
        page.play("7b", "8b");
        page.state_has("Repetition");
        page.wait("document.querySelector('.record-end').textContent.includes('Repetition')");
        // Whoever gave check all the time has lost.
        let checks = "5a4a 5h4h 4a5a 4h5h";
        page.paste(&format!(
            "sfen 4k4/9/9/9/9/9/9/4R4/K8 w - 1 moves {checks} {checks} {checks}"
        ));
        page.state_has("Perpetual check · White wins");
    });
}

#[test]
fn the_engine_gives_the_handicap_and_opens_the_game() {
    let settings = json!({ "play.mainMin": 0, "play.byoyomiS": 3 });
    story_with(&settings, |page| {
        page.click("#tab-moves");
        page.choose("game", "newGame");
        page.pick("Start from", "角落ち");
        page.press("Start");
        page.wait("document.querySelectorAll('.record-name').length === 2");
        page.state_has("Black to play");
        page.play("7g", "7f");
        page.wait("document.querySelectorAll('.record-name').length === 4");
        page.click("[data-fn=resign]");
        page.state_has("Resignation · White wins");
    });
}

#[test]
fn clocks_run_and_time_runs_out() {
    let settings = json!({ "play.mainMin": 1, "play.byoyomiS": 0 });
    story_with(&settings, |page| {
        page.choose("game", "newGame");
        page.pick("White", "");
        page.press("Start");
        page.wait(&format!("/^0:5/.test({})", clock("black")));
        assert_eq!(page.eval(&clock("white")), "1:00");
        page.play("7g", "7f");
        page.wait(&format!("/^0:5/.test({})", clock("white")));
        // A pause holds them.
        page.leave_focus();
        page.key(" ", 0);
        page.wait("!document.querySelector('#below [data-fn=resign]')");
        page.choose("game", "newGame");
        page.fill("#dialog [name=\"play.mainMin\"]", "0");
        page.fill("#dialog [name=\"play.byoyomiS\"]", "1");
        page.press("Start");
        page.state_has("Time up · White wins");
    });
}

#[test]
#[cfg(unix)]
fn engines_resign_and_declare() {
    let entered = "sfen 1K1GGSS2/LLNNPPPPP/PPPP5/9/9/9/9/9/8k w RBrb 1";
    let folder = TestFolder::new();
    let script = test_support::UsiScript::new("fake 1.0")
        .go("if [ -e \"$0.win\" ]; then echo bestmove win; else echo bestmove resign; fi");
    let path = script.write(&folder.path("fake"));
    let engine = path.display().to_string();
    let settings = json!({ "play.mainMin": 0, "play.byoyomiS": 60 });
    let args = ["--engine", &engine];
    story_in(ServerNeed::OtherEngines, folder, &settings, &args, |page| {
        page.choose("game", "newGame");
        page.pick("White", "fake");
        page.press("Start");
        page.play("7g", "7f");
        page.state_has("Resignation · Black wins");
        page.server().folder().write("fake.win", "");
        page.paste(entered);
        page.says("SFEN");
        page.choose("game", "newGame");
        page.pick("Black", "fake");
        page.pick("White", "");
        page.pick("Start from", "here");
        page.press("Start");
        page.play("1i", "1h");
        page.state_has("Declared win · Black wins");
    });
}

#[test]
fn a_repetition_ends_a_game_with_its_clocks() {
    let round = "2h3h 8b7b 3h2h 7b8b";
    let settings = json!({ "play.mainMin": 5, "play.white": "" });
    story_with(&settings, |page| {
        page.choose("game", "newGame");
        page.pick("White", "");
        page.press("Start");
        for m in [round, round, round].join(" ").split(' ') {
            page.play(&m[..2], &m[2..]);
        }
        page.state_has("Repetition");
        // The game is over: the buttons of a game are gone.
        page.wait("!document.querySelector('#below [data-fn=resign]')");
    });
}
