//! How the page looks and reads: languages, themes, sizes, and what those who cannot see it are told.

use serde_json::json;
use test_support::{FAINT, OVERLAPS, SETTLED};

use crate::forms::MISSING_TEXT;
use crate::story::{at, story, story_with};

#[test]
fn languages_are_switched_without_a_reload() {
    story(|page| {
        page.eval("globalThis.unchanged = true");
        for (language, black) in [
            ("ja", "黒"),
            ("zh-CN", "黑"),
            ("zh-TW", "黑"),
            ("en", "Black"),
        ] {
            page.click("#tab-settings");
            page.wait("document.querySelectorAll('.segment').length > 1");
            page.eval("[...document.querySelectorAll('.segment')].at(1).click()");
            page.wait(&format!(
                "document.querySelector('#panel option[value={language}]')"
            ));
            page.eval(&format!(
                "(() => {{ const s = document.querySelector('#panel option[value={language}]').parentElement;
                    s.value = '{language}'; s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
            ));
            page.wait(&format!("document.documentElement.lang === '{language}'"));
            let label = format!(
                "document.querySelector('{}').getAttribute('aria-label')",
                at("d5")
            );
            page.wait(&format!("{label}.includes('{black}')"));
            let names = page.accessible();
            assert!(
                names
                    .iter()
                    .any(|(role, name)| role == "gridcell" && name.contains(black))
            );
            page.each_tab(|tab| {
                assert!(!page.is(MISSING_TEXT), "{language} {tab}");
            });
        }
        assert_eq!(page.eval("globalThis.unchanged"), true);
    });
}

#[test]
fn nothing_overlaps_at_any_size() {
    story(|page| {
        page.paste_moves("F5D6C3D3C4");
        page.wait("document.querySelector('#board .value, #board .last')");
        // The last is the first at twice its size.
        for (width, height) in [(1280, 900), (390, 844), (640, 450)] {
            page.resize(width, height);
            page.each_tab(|tab| {
                let found = page.eval(OVERLAPS);
                assert_eq!(found, json!([]), "{width} {tab}");
            });
        }
    });
}

#[test]
fn the_page_follows_the_colours_of_the_system() {
    story(|page| {
        let light = |selector: &str| {
            let lightness = page.eval(&format!(
                "getComputedStyle(document.querySelector('{selector}')).backgroundColor.match(/[0-9.]+/g).slice(0, 3)
                    .reduce((sum, part) => sum + Number(part), 0)"
            ));
            lightness.as_f64().unwrap()
        };
        assert!(light("body") > 600.0);
        page.media(&[("prefers-color-scheme", "dark")]);
        assert!(light("body") < 150.0);
        page.media(&[("forced-colors", "active")]);
        page.paste_moves("F5D6C3");
        page.click("#tab-graph");
        page.wait("document.querySelector('.graph-svg .cursor')");
        // The board keeps its colours, the graph takes those of the system.
        let stroke =
            page.eval("getComputedStyle(document.querySelector('.graph-svg .cursor')).stroke");
        let text = page.eval("getComputedStyle(document.body).color");
        assert_eq!(stroke, text);
        let board = page.eval("getComputedStyle(document.querySelector('#board .square')).fill");
        assert_eq!(board, "rgb(44, 129, 96)");
    });
}

#[test]
fn texts_can_be_read_in_every_theme() {
    for theme in ["light", "dark", "contrast"] {
        let settings = json!({ "theme": theme, "show.values": false });
        story_with(&settings, |page| {
            page.paste_moves("F5D6C3D3C4");
            page.wait(&format!(
                "document.documentElement.dataset.theme === '{theme}'"
            ));
            page.media(&[("prefers-reduced-motion", "reduce")]);
            page.each_tab(|tab| {
                page.wait(SETTLED);
                assert_eq!(page.eval(FAINT), json!([]), "{theme} {tab}");
            });
        });
    }
}

#[test]
fn everything_has_a_name() {
    story(|page| {
        page.paste_moves("F5D6C3D3C4");
        page.each_tab(|tab| page.everything_has_a_name(tab));
        let segments = page.eval("document.querySelectorAll('.segment').length");
        for segment in 0..segments.as_u64().unwrap() {
            page.eval(&format!(
                "document.querySelectorAll('.segment')[{segment}].click()"
            ));
            page.wait(&format!(
                "document.querySelectorAll('.segment')[{segment}].ariaPressed === 'true'"
            ));
            page.everything_has_a_name(&format!("settings {segment}"));
        }
        for (menu, function) in [
            ("input", "textBox"),
            ("input", "editBoard"),
            ("input", "bitboardInput"),
            ("output", "boardImage"),
            ("output", "exportGame"),
            ("operate", "randomOptions"),
            ("operate", "openings"),
            ("game", "gameInfo"),
            ("help", "usage"),
        ] {
            page.choose(menu, function);
            page.wait("document.querySelector('#dialog[open] h2')");
            page.everything_has_a_name(function);
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
        }
    });
}
