//! The pages with their engines in a real browser: from a host, without a network, as one file, and as boards of other pages. Skipped, with a
//! line that says so, where there is no browser or no folder of `cargo xtask browser`. Stories at these pages are those at the pages of
//! servers: they stand in `bins/yaneura/tests/browser` and `bins/othello/tests/browser`.

use serde_json::{Value, json};
use test_support::{Browser, StaticHost};

use crate::tab::{Tab, wait_until_loaded, with_engine};

#[test]
fn pages_work_without_a_network_after_the_first_visit() {
    let Some(tab) = Tab::open("othello/index.html?threads=1") else {
        return;
    };
    let files = tab.eval(
        "(async () => { const registration = await navigator.serviceWorker.ready; registration.active.postMessage('keep');
           const text = await (await fetch('../sw.js')).text();
           return Object.keys(JSON.parse(/FILES = ({[^;]*});/.exec(text)[1])).length; })()",
    );
    tab.eval(&format!(
        "(async () => {{ for (;;) {{
           for (const name of await caches.keys()) if ((await (await caches.open(name)).keys()).length === {files}) return;
           await new Promise((done) => setTimeout(done, 50)); }} }})()"
    ));
    tab.host.turn_off();
    for game in ["othello", "shogi"] {
        let page = tab.another(&tab.host.url(&format!("{game}/index.html?threads=1")));
        wait_until_loaded(&page);
        let body = "return (await engine.ask('position', {})).ply;";
        let ply = page.eval(&with_engine(&format!("{{ game: '{game}' }}"), body));
        assert!(ply.as_u64().is_some(), "{ply}");
    }
}

#[test]
fn the_one_file_needs_no_host() {
    let (Some(folder), Some(browser)) = (StaticHost::pages(), Browser::start()) else {
        return;
    };
    let file = folder.join("yaneura.html").canonicalize().unwrap();
    for (game, search, answer) in [("shogi", "think", "lines"), ("othello", "hint", "moves")] {
        let page = browser.page(&format!("file://{}#{game}", file.display()));
        wait_until_loaded(&page);
        assert_eq!(page.complaints(), [""; 0]);
        let found = page.eval(&format!(
            "(async () => {{ const {{ Engine }} = await import('app:/engine/client.js');
               const engine = new Engine({{ game: '{game}', base: location.href }});
               const found = await engine.ask('{search}', {{ depth: 3 }});
               engine.close();
               return found.{answer}.length; }})()"
        ));
        assert!(found.as_u64() > Some(0), "{game}: {found}");
        page.close();
    }
}

#[test]
fn boards_are_put_into_pages_of_others() {
    let Some(tab) = Tab::open("shogi/index.html?threads=1") else {
        return;
    };
    let value: Value = tab.eval(
        "(async () => { await import(new URL('../engine/element.js', location.href));
           document.body.innerHTML = '<yaneura-board game=shogi moves=\"7g7f 3c3d\" lines=2 time=300></yaneura-board>' +
             '<yaneura-board game=othello engine=black time=200></yaneura-board>';
           const [shogi, othello] = document.querySelectorAll('yaneura-board');
           const lines = new Promise((done) => shogi.addEventListener('lines', ({ detail }) => detail.length === 2 && done(detail)));
           const move = new Promise((done) => othello.addEventListener('move', ({ detail }) => done(detail)));
           const wrong = document.createElement('yaneura-board');
           wrong.setAttribute('moves', '7g7f 7g7f');
           document.body.append(wrong);
           const found = await lines;
           const { by, moves } = await move;
           return [found.length, by, moves.length, wrong.shadowRoot.textContent.includes('7g7f'), shogi.moves.length]; })()",
    );
    assert_eq!(value, json!([2, "engine", 1, true, 2]));
}
