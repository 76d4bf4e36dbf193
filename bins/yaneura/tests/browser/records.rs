//! Records and positions in all formats, variations, and the editor.

use serde_json::json;

use crate::story::{at, story};

#[test]
fn what_is_pasted_is_recognised() {
    let texts = [
        ("position startpos moves 7g7f 3c3d", "USI"),
        (
            "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n",
            "KIF",
        ),
        ("V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n", "CSA"),
        ("▲７六歩 △３四歩", "KI2"),
        ("sfen 4k4/9/9/9/9/9/9/9/4K4 b 2P 1", "SFEN"),
    ];
    story(|page| {
        page.click("#tab-moves");
        for (text, kind) in texts {
            page.paste(text);
            page.says(kind);
        }
        page.paste("hello");
        page.wait("document.querySelector('dialog .failures')");
        page.key("Escape", 0);
    });
}

#[test]
fn another_move_makes_a_variation_that_can_be_the_main_line() {
    story(|page| {
        page.click("#tab-moves");
        page.paste("position startpos moves 7g7f 3c3d");
        page.has_moves(&["P-7f", "P-3d"]);
        page.leave_focus();
        page.key("Home", 0);
        page.play("2g", "2f");
        page.has_moves(&["P-2f"]);
        page.wait("document.querySelectorAll('.variations .move').length === 2");
        page.key("l", 0);
        page.key("Home", 0);
        page.key("End", 0);
        page.has_moves(&["P-2f"]);
        page.key("Backspace", 0);
        page.has_moves(&["P-7f", "P-3d"]);
    });
}

#[test]
fn the_editor_says_what_is_wrong() {
    story(|page| {
        page.choose("input", "editBoard");
        page.wait("document.querySelector('dialog [data-spot]')");
        page.wait("document.querySelectorAll('dialog .failures li').length === 0");
        // A second pawn on a file, by key.
        page.eval("document.querySelector('dialog [data-spot=\"40\"]').focus()");
        page.key("P", 0);
        page.wait("document.querySelector('dialog .failures')?.textContent.includes('Two pawns')");
        page.key("Delete", 0);
        page.wait("!document.querySelector('dialog .failures')");
        page.press("Kings only");
        page.press("Use this position");
        page.wait(&format!(
            "document.querySelector('{}').getAttribute('aria-label').includes('empty')",
            at("7g")
        ));
        assert_eq!(
            page.eval("document.querySelectorAll('#board .cell .piece').length"),
            json!(2)
        );
    });
}
