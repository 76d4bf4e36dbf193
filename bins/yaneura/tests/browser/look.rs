//! Languages, looks, sizes, and what those who cannot see the page are told.

use serde_json::json;
use test_support::{FAINT, OVERLAPS, SETTLED};

use crate::forms::{DIALOGS, MISSING_TEXT};
use crate::story::{Story, at, story, story_with};

/// A game with a variation, comments and names.
const GAME: &str = "先手：先手太郎\n後手：後手花子\n手合割：平手\n   1 ７六歩(77)   ( 0:16/00:00:16)\n   2 ３四歩(33)   ( 0:02/00:00:02)\n*角道\n\
    \u{20}  3 ２六歩(27)   ( 0:06/00:00:22)\n   4 ８四歩(83)\n   5 ２五歩(26)\n\n変化：3手\n   3 ６六歩(67)\n";

/// Pastes a game, and opens one of its moves.
fn with_game(page: &Story) {
    page.paste(GAME);
    page.says("KIF");
    page.leave_focus();
    page.key("ArrowRight", 0);
    page.key("ArrowRight", 0);
    page.state_has("P-3d");
    page.wait("!document.querySelector('#toasts .toast')");
}

/// Opens each dialog in turn.
fn each_dialog(page: &Story, mut look: impl FnMut(&str)) {
    for (menu, function) in DIALOGS {
        page.open(menu, function);
        look(function);
        page.key("Escape", 0);
        page.wait("!document.querySelector('#dialog').open");
    }
}

/// Opens each part of the settings in turn.
fn each_setting(page: &Story, mut look: impl FnMut(&str)) {
    page.click("#tab-settings");
    for part in 0..4 {
        page.eval(&format!(
            "document.querySelectorAll('.segment')[{part}].click()"
        ));
        page.wait(&format!(
            "document.querySelectorAll('.segment')[{part}].ariaPressed === 'true'"
        ));
        look(&format!("settings {part}"));
    }
}

#[test]
fn languages_change_without_loading_the_page() {
    story(|page| {
        page.eval("globalThis.unchanged = true");
        for (code, title) in [
            ("ja", "将棋"),
            ("zh-CN", "将棋"),
            ("zh-TW", "將棋"),
            ("en", "Shogi"),
        ] {
            page.set("lang", &json!(code));
            page.wait(&format!("document.title === '{title}'"));
            page.each_tab(|tab| assert!(!page.is(MISSING_TEXT), "{code} {tab}"));
            each_setting(page, |part| {
                assert!(!page.is(MISSING_TEXT), "{code} {part}");
            });
            each_dialog(page, |dialog| {
                assert!(!page.is(MISSING_TEXT), "{code} {dialog}");
            });
            page.click("#tab-settings");
            page.eval("document.querySelector('.segment').click()");
        }
        page.set("lang", &json!("ja"));
        page.wait(&format!(
            "document.querySelector('{}').getAttribute('aria-label') === '７七 先手の歩'",
            at("7g")
        ));
        let names = page.accessible();
        let has =
            |role: &str, name: &str| names.iter().any(|one| *one == (role.into(), name.into()));
        assert!(has("gridcell", "７七 先手の歩"));
        assert!(has("tab", "検討") && has("tab", "棋譜"), "{names:?}");
        assert_eq!(page.eval("globalThis.unchanged"), true);
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

#[test]
fn nothing_overlaps_at_any_size() {
    story(|page| {
        with_game(page);
        // The last is the first at twice its size.
        for (width, height) in [(1280, 900), (390, 844), (640, 450)] {
            page.resize(width, height);
            let look = |place: &str| {
                assert_eq!(page.eval(OVERLAPS), json!([]), "{width} {place}");
            };
            page.each_tab(look);
            each_setting(page, look);
            each_dialog(page, look);
        }
    });
}

#[test]
fn the_page_follows_the_colours_of_the_system() {
    story(|page| {
        let light = || {
            let lightness = page.eval(
                "getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).slice(0, 3)
                    .reduce((sum, part) => sum + Number(part), 0)",
            );
            lightness.as_f64().unwrap()
        };
        assert!(light() > 600.0);
        page.media(&[("prefers-color-scheme", "dark")]);
        assert!(light() < 150.0);
        page.media(&[("forced-colors", "active")]);
        page.paste(GAME);
        page.says("KIF");
        page.click("#tab-graph");
        page.wait("document.querySelector('.graph-svg .cursor')");
        // The board keeps its colours, the graph takes those of the system.
        let stroke =
            page.eval("getComputedStyle(document.querySelector('.graph-svg .cursor')).stroke");
        let text = page.eval("getComputedStyle(document.body).color");
        assert_eq!(stroke, text);
        let piece =
            "document.querySelector('#board .cell .piece path, #board .cell .piece polygon')";
        page.wait(piece);
        let forced = page.eval(&format!("getComputedStyle({piece}).fill"));
        page.media(&[]);
        assert_eq!(
            page.eval(&format!("getComputedStyle({piece}).fill")),
            forced
        );
    });
}

#[test]
fn texts_can_be_read_in_every_theme() {
    for theme in ["light", "dark", "contrast"] {
        let settings = json!({ "theme": theme });
        story_with(&settings, |page| {
            page.media(&[("prefers-reduced-motion", "reduce")]);
            with_game(page);
            page.wait(&format!(
                "document.documentElement.dataset.theme === '{theme}'"
            ));
            let look = |place: &str| {
                page.wait(SETTLED);
                assert_eq!(page.eval(FAINT), json!([]), "{theme} {place}");
            };
            page.each_tab(look);
            each_setting(page, look);
            each_dialog(page, look);
        });
    }
}

#[test]
fn everything_has_a_name() {
    story(|page| {
        with_game(page);
        page.each_tab(|tab| page.everything_has_a_name(tab));
        each_setting(page, |part| page.everything_has_a_name(part));
        each_dialog(page, |dialog| page.everything_has_a_name(dialog));
    });
}
