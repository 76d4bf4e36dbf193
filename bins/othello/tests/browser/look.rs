//! How the page looks and reads: languages, themes, sizes, and what those who cannot see it are told.

use serde_json::json;

use crate::forms::MISSING_TEXT;
use crate::story::{Story, at, story, story_with};

/// Opens each tab in turn.
fn each_tab(page: &Story, mut look: impl FnMut(&str)) {
    let tabs = page.eval("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)");
    for tab in tabs.as_array().unwrap() {
        let tab = tab.as_str().unwrap();
        page.eval(&format!("document.querySelector('#{tab}').click()"));
        page.wait(&format!(
            "document.querySelector('#{tab}').ariaSelected === 'true'"
        ));
        look(tab);
    }
}

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
            each_tab(page, |tab| {
                assert!(!page.is(MISSING_TEXT), "{language} {tab}");
            });
        }
        assert_eq!(page.eval("globalThis.unchanged"), true);
    });
}

/// Elements that lie over each other, and whether the page is wider than its window.
const OVERLAPS: &str = "(() => {
    const all = [...document.querySelectorAll('#head button, #head h1, #left button, #left dd, #left dt, .player, #board svg, \
        #right button, #right input, #right select, #right textarea, #right h2, #right .graph-svg, #right td')]
        .filter((e) => e.checkVisibility() && !e.closest('.menu-list'))
        .map((e) => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width > 1 && box.height > 1);
    const found = [];
    all.forEach(([a, one], i) => all.slice(i + 1).forEach(([b, other]) => {
        if (a.contains(b) || b.contains(a)) return;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 2 && high > 2) found.push(`${a.outerHTML.slice(0, 120)} | ${b.outerHTML.slice(0, 120)}`);
    }));
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`wider than the window: ${document.documentElement.scrollWidth}`);
    return found;
})()";

#[test]
fn nothing_overlaps_at_any_size() {
    story(|page| {
        page.paste_moves("F5D6C3D3C4");
        page.wait("document.querySelector('#board .value, #board .last')");
        // The last is the first at twice its size.
        for (width, height) in [(1280, 900), (390, 844), (640, 450)] {
            page.resize(width, height);
            each_tab(page, |tab| {
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

/// Texts that are hard to read: below 4.5 to 1, or 3 to 1 where they are large.
const FAINT: &str = "(() => {
    const numbers = (colour) => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (numbers(colour)[3] === 255) return numbers(colour);
        }
        return [255, 255, 255, 255];
    };
    const found = [];
    for (const e of document.querySelectorAll('#head *, #left > div:not(#board) *, #right *, #dialog *')) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        if (!own || !e.checkVisibility() || e.closest('svg, .off-screen, :disabled, [aria-disabled=true], option')) continue;
        const style = getComputedStyle(e);
        const [a, b] = [light(numbers(style.color)), light(behind(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 120)}`);
    }
    return found;
})()";

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
            each_tab(page, |tab| {
                assert_eq!(page.eval(FAINT), json!([]), "{theme} {tab}");
            });
        });
    }
}

/// What a reader of screens could not make sense of.
const UNNAMED_OR_BROKEN: &str = "(() => {
    const found = [];
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    ids.forEach((id, i) => ids.indexOf(id) !== i && found.push(`two elements have the id ${id}`));
    for (const name of ['aria-labelledby', 'aria-controls', 'aria-describedby', 'for']) {
        for (const e of document.querySelectorAll(`[${name}]`))
            for (const id of e.checkVisibility() ? e.getAttribute(name).split(' ') : []) if (!document.getElementById(id)) found.push(`${name}=${id}`);
    }
    if (document.querySelectorAll('h1').length !== 1) found.push('h1');
    if (!document.querySelector('main')) found.push('main');
    for (const e of document.querySelectorAll('td, th')) if (!e.closest('table')) found.push('a cell without a table');
    for (const e of document.querySelectorAll('th')) if (!e.textContent.trim()) found.push('an empty header');
    return found;
})()";

#[test]
fn everything_has_a_name() {
    let roles = [
        "button",
        "checkbox",
        "slider",
        "tab",
        "menuitem",
        "menuitemcheckbox",
        "combobox",
        "textbox",
        "searchbox",
        "radio",
        "gridcell",
        "link",
        "spinbutton",
        "dialog",
        "grid",
        "tabpanel",
    ];
    let look = |page: &Story, place: &str| {
        assert_eq!(page.eval(UNNAMED_OR_BROKEN), json!([]), "{place}");
        for (role, name) in page.accessible() {
            let is_named = !roles.contains(&role.as_str()) || !name.trim().is_empty();
            assert!(is_named, "{place}: a {role} without a name");
        }
    };
    story(|page| {
        page.paste_moves("F5D6C3D3C4");
        each_tab(page, |tab| look(page, tab));
        let segments = page.eval("document.querySelectorAll('.segment').length");
        for segment in 0..segments.as_u64().unwrap() {
            page.eval(&format!(
                "document.querySelectorAll('.segment')[{segment}].click()"
            ));
            page.wait(&format!(
                "document.querySelectorAll('.segment')[{segment}].ariaPressed === 'true'"
            ));
            look(page, &format!("settings {segment}"));
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
            look(page, function);
            page.key("Escape", 0);
            page.wait("!document.querySelector('#dialog').open");
        }
    });
}
