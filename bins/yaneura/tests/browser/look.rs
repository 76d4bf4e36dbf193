//! Languages, looks, and what a screen reader is told.

use serde_json::json;

use crate::story::{at, story};

#[test]
fn languages_change_without_loading_the_page() {
    story(|page| {
        for (code, title) in [
            ("ja", "将棋"),
            ("zh-CN", "将棋"),
            ("zh-TW", "將棋"),
            ("en", "Shogi"),
        ] {
            page.set("lang", &json!(code));
            page.wait(&format!("document.title === '{title}'"));
        }
        page.set("lang", &json!("ja"));
        page.wait(&format!(
            "document.querySelector('{}').getAttribute('aria-label') === '７七 先手の歩'",
            at("7g")
        ));
    });
}

#[test]
fn every_look_has_all_pieces() {
    story(|page| {
        for set in ["one", "two", "letters"] {
            page.set("board.set", &json!(set));
            page.wait("document.querySelectorAll('#board .cell .piece').length === 40");
        }
        for palette in ["plain", "slate", "deutan", "contrast", "wood"] {
            page.set("palette", &json!(palette));
            page.wait(&format!(
                "document.documentElement.dataset.palette === '{palette}'"
            ));
        }
        page.media(&[("forced-colors", "active")]);
        page.wait("document.querySelector('#board .board').clientWidth > 200");
    });
}
