//! The page as people use it, in a real browser without a window. Skipped, with a line that says so, where there is none.

mod server;

use serde_json::json;
use test_support::{Browser, BrowserPage};

use crate::server::{PageServer, wait_for_rest};

/// A browser, a server, and a page of it where the board is.
fn board() -> Option<(Browser, PageServer, BrowserPage)> {
    let browser = Browser::start()?;
    let server = PageServer::start(0);
    let page = browser.page(&server.url);
    page.wait("document.querySelectorAll('#board [role=gridcell]').length === 64");
    page.wait(ONLINE);
    Some((browser, server, page))
}

/// The page has its server.
const ONLINE: &str = "document.querySelector('.link-state.on')";

/// The place of a square, by its name.
fn at(name: &str) -> String {
    let bytes = name.as_bytes();
    let number = (bytes[1] - b'1') * 8 + (bytes[0] - b'a');
    format!("#board [data-square=\"{number}\"]")
}

/// Whether a square has a disc of a colour.
fn disc(name: &str, colour: &str) -> String {
    format!(
        "document.querySelector('{} .disc.{colour}:not(.ghost):not(.next)')",
        at(name)
    )
}

/// The counts of discs that are shown, black's first.
fn counts(black: u32, white: u32) -> String {
    format!(
        "[...document.querySelectorAll('.player-count')].map(e => e.textContent.trim()).join() === '{black},{white}'"
    )
}

/// Clicks a move.
fn play(page: &BrowserPage, name: &str) {
    page.wait(&format!(
        "document.querySelector('{}').getAttribute('aria-disabled') === 'false'",
        at(name)
    ));
    page.click(&at(name));
    page.wait(&format!(
        "document.querySelector('{} .disc:not(.ghost):not(.next)')",
        at(name)
    ));
}

#[test]
fn a_game_is_played_by_mouse_keys_and_finger() {
    let Some((_browser, _server, page)) = board() else {
        return;
    };
    // The address has no token; the board is a grid for who cannot see it.
    assert_eq!(page.eval("location.search + location.pathname"), "/");
    let tree = page.accessible();
    let cells: Vec<_> = tree.iter().filter(|(role, _)| role == "gridcell").collect();
    assert_eq!(cells.len(), 64);
    assert!(cells.iter().all(|(_, name)| !name.is_empty()));
    page.wait(&counts(2, 2));
    // By mouse.
    play(&page, "f5");
    page.wait(&disc("f5", "black"));
    page.wait(&counts(4, 1));
    // What is not legal does nothing.
    page.click(&at("a1"));
    page.click(&at("f5"));
    page.wait(&counts(4, 1));
    // By keys alone: into the grid, to d6, and on.
    page.eval("document.querySelector('#board [role=gridcell][tabindex=\"0\"]').focus()");
    for key in [
        "Home",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
    ] {
        page.key(key, 0);
    }
    for _ in 0..3 {
        page.key("ArrowRight", 0);
    }
    page.key("Enter", 0);
    page.wait(&disc("d6", "white"));
    page.wait(&counts(3, 3));
    // By a finger.
    page.tap(&at("c3"));
    page.wait(&disc("c3", "black"));
    page.wait(&counts(5, 2));
    // Back and forward.
    page.eval("document.activeElement.blur()");
    page.key("ArrowLeft", 0);
    page.wait(&counts(3, 3));
    page.key("ArrowRight", 0);
    page.wait(&counts(5, 2));
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn a_game_goes_to_its_end() {
    let Some((_browser, _server, page)) = board() else {
        return;
    };
    // The shortest game: white has nothing left.
    for name in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
        play(&page, name);
    }
    page.wait(&counts(13, 0));
    page.wait("document.querySelectorAll('#board [aria-disabled=false]').length === 0");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn hints_appear_deepen_and_stop() {
    let Some((_browser, _server, page)) = board() else {
        return;
    };
    play(&page, "f5");
    let shown = "document.querySelectorAll('#board .value').length";
    page.wait(&format!("{shown} === 3"));
    page.wait("document.querySelector('#board .value.best-move')");
    // Off and on again.
    page.key("v", 0);
    page.wait(&format!("{shown} === 0"));
    page.key("v", 0);
    page.wait(&format!("{shown} === 3"));
    page.key("q", 0);
    wait_for_rest(&page);
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn a_closed_tab_ends_its_search_and_the_other_goes_on() {
    let Some((_browser, server, first)) = board() else {
        return;
    };
    let second = first.another(&server.origin());
    second.wait(ONLINE);
    // Searches that nobody waits to see the end of.
    for page in [&first, &second] {
        page.eval(
            "new Promise((resolve) => {
                const socket = new WebSocket(`ws://${location.host}/api/ws`);
                globalThis.test = { socket, events: 0 };
                socket.onmessage = (message) => {
                    const event = JSON.parse(message.data);
                    if (event.ev === 'hello') {
                        socket.send(JSON.stringify({ id: 1, op: 'hint', level: 60, book: false }));
                        resolve(0);
                    } else globalThis.test.events += 1;
                };
            })",
        );
    }
    first.wait("globalThis.test.events > 0");
    first.close();
    second.wait("globalThis.test.events > 0");
    second.eval("globalThis.test.socket.send(JSON.stringify({ op: 'stop', id: 1 }))");
    wait_for_rest(&second);
}

#[test]
fn the_page_finds_its_server_again() {
    let Some((_browser, mut server, page)) = board() else {
        return;
    };
    play(&page, "f5");
    server.kill();
    page.wait("!document.querySelector('#banner').hidden");
    server.start_again();
    page.wait("document.querySelector('#banner').hidden");
    page.wait(&counts(4, 1));
    play(&page, "d6");
    page.wait(&counts(3, 3));
}

#[test]
fn pasted_texts_are_recognised_or_told_why_not() {
    let Some((_browser, server, page)) = board() else {
        return;
    };
    assert!(server.url.contains("token="));
    let ask = |text: &str| {
        let fields = json!({ "text": text });
        page.eval(&format!(
            "new Promise((resolve) => {{
                const socket = new WebSocket(`ws://${{location.host}}/api/ws`);
                socket.onmessage = (message) => {{
                    const event = JSON.parse(message.data);
                    if (event.ev === 'hello') socket.send(JSON.stringify({{ id: 1, op: 'import', ...{fields} }}));
                    if (event.ev === 'import') {{ socket.close(); resolve(event); }}
                }};
            }})"
        ))
    };
    for (text, kind) in [
        ("f5d6c3", "transcript"),
        ("(;GM[2];B[f5];W[d6])", "sgf"),
        (
            "------------------XO------XXX------OXX-----O-------------------- O",
            "board",
        ),
    ] {
        assert_eq!(ask(text)["items"][0]["kind"], kind, "{text}");
    }
    let wrong = ask("hello");
    assert_eq!(wrong["items"], json!([]));
    assert!(
        wrong["failures"][0]["error"]
            .as_str()
            .unwrap()
            .contains("no game")
    );
    // And as people do it.
    page.allow_clipboard();
    page.eval("navigator.clipboard.writeText('F5 D6 C3')");
    page.key("v", 2);
    page.wait(&counts(5, 2));
    assert_eq!(page.complaints(), Vec::<String>::new());
}
