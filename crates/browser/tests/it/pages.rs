//! The pages with their engines in a real browser: from a host, without a network, and as one file. Skipped, with a line that says so, where there
//! is no browser or no folder of `cargo xtask browser`.

use std::path::PathBuf;

use serde_json::{Value, json};
use test_support::{Browser, BrowserPage};

use crate::host::StaticHost;
use crate::modules::folder;

/// A browser, and the folder of the pages.
fn start() -> Option<(Browser, PathBuf)> {
    let folder = folder();
    if !folder.join("sw.js").is_file() {
        println!(
            "skipped: no pages in {} (cargo xtask browser)",
            folder.display()
        );
        return None;
    }
    Some((Browser::start()?, folder))
}

/// Waits until the engine has answered.
fn wait_until_loaded(page: &BrowserPage) {
    page.wait("document.body.dataset.loaded === 'true'");
}

/// An expression that starts an engine of the host of a page, and lets `body` use it as `engine`.
fn with_engine(options: &str, body: &str) -> String {
    format!(
        "(async () => {{ const {{ Engine }} = await import(new URL('../engine/client.js', location.href));
          const engine = new Engine({options}); await engine.ready;
          const turn = (ms) => new Promise((done) => setTimeout(done, ms));
          try {{ {body} }} finally {{ engine.close(); }} }})()"
    )
}

#[test]
fn both_games_are_played_from_a_static_host() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("othello/index.html?threads=1"));
    wait_until_loaded(&page);
    page.click("[data-square='37']");
    page.wait("document.querySelectorAll('#board .disc:not(.ghost)').length >= 5");
    assert_eq!(page.complaints(), [""; 0]);
    page.close();
    let page = browser.page(&host.url("shogi/index.html?threads=1"));
    wait_until_loaded(&page);
    let label = "document.querySelector(\"[data-spot='51']\").ariaLabel";
    let before = page.eval(label);
    page.click("[data-spot='60']");
    page.click("[data-spot='51']");
    page.wait(&format!("{label} !== {before}"));
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn searches_stop_soon_and_leave_the_page_alive() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("shogi/index.html?threads=1"));
    wait_until_loaded(&page);
    // With suspended searches, and with workers that end.
    for jspi in [true, false] {
        let body = "const times = [];
            for (let n = 0; n < 3; n++) {
              const stream = engine.request('think', { lines: 2 }, () => {});
              await turn(300);
              const asked = await engine.ask('position', { moves: ['7g7f'] });
              const at = performance.now();
              stream.stop();
              const end = await stream.done;
              times.push([end.why, asked.ply, performance.now() - at]);
            }
            return times;";
        let expression = with_engine(&format!("{{ game: 'shogi', jspi: {jspi} }}"), body);
        for stopped in page.eval(&expression).as_array().unwrap() {
            assert_eq!((&stopped[0], &stopped[1]), (&json!("stopped"), &json!(2)));
            let ms = stopped[2].as_f64().unwrap();
            println!("stopped after {ms:.1} ms (jspi: {jspi})");
            assert!(ms < 300.0, "{ms}");
        }
    }
    // What was set stays set in the worker that takes the place of another.
    let body = "await engine.ask('engine.set', { options: { USI_Hash: '8' } });
        const stream = engine.request('think', {}, () => {});
        await turn(200);
        stream.stop();
        await stream.done;
        const { engines } = await engine.ask('engines');
        return engines[0].options.find(({ name }) => name === 'USI_Hash').value;";
    let value = page.eval(&with_engine("{ game: 'shogi', jspi: false }", body));
    assert_eq!(value, "8");
}

#[test]
fn nodes_are_counted_as_everywhere() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("shogi/index.html?threads=1"));
    wait_until_loaded(&page);
    let body = "const { nodes } = await engine.ask('shogi.bench', { depth: 8 }); return nodes;";
    let nodes = page.eval(&with_engine("{ game: 'shogi' }", body));
    let native = crate::ask(
        "shogi",
        &[json!({ "id": 1, "op": "shogi.bench", "depth": 8 })],
    );
    let native = native.iter().find(|event| event["ev"] == "bench").unwrap();
    assert_eq!(nodes, native["nodes"]);
}

#[test]
fn deep_searches_have_the_stack_that_they_need() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("shogi/index.html?threads=1"));
    wait_until_loaded(&page);
    // A mate in 353 plies. A search that can be suspended has a stack of its own.
    let sfen = "7k1/5+Bp2/7Ss/9/9/9/1n7/9/9 b 2rb4g2s3n4l17p 1";
    for jspi in [true, false] {
        let body = format!(
            "let last = null;
             await engine.request('mate', {{ sfen: '{sfen}' }}, (event) => (last = event)).done;
             return [last.state, last.plies];"
        );
        let found = page.eval(&with_engine(
            &format!("{{ game: 'shogi', jspi: {jspi} }}"),
            &body,
        ));
        assert_eq!(found[0], "mate", "jspi: {jspi}");
        assert!(found[1].as_u64() >= Some(353), "{found}");
    }
}

#[test]
fn too_much_memory_is_a_message() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("othello/index.html?threads=1"));
    wait_until_loaded(&page);
    let body = "const told = await engine.ask('engine.set', { hash_mib: 16384 }).catch((error) => error.message);
        const { moves } = await engine.ask('hint', { depth: 4 });
        return [told, moves.length];";
    let value = page.eval(&with_engine("{ game: 'othello' }", body));
    assert!(value[0].as_str().unwrap().contains("hash_mib"), "{value}");
    assert_eq!(value[1], 4);
    let body = "await engine.ask('engine.set', { options: { USI_Hash: '33554432' } });
        const { lines } = await engine.ask('think', { nodes: 1000 });
        return lines.length;";
    assert_eq!(page.eval(&with_engine("{ game: 'shogi' }", body)), 1);
    // Text that is no record.
    let body = "const { items, failures } = await engine.ask('import', { text: 'no record' }); return [items.length, failures.length];";
    let value = page.eval(&with_engine("{ game: 'othello' }", body));
    assert_eq!((&value[0], value[1].as_u64() > Some(0)), (&json!(0), true));
}

#[test]
fn pages_work_without_a_network_after_the_first_visit() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("othello/index.html?threads=1"));
    wait_until_loaded(&page);
    let files = page.eval(
        "(async () => { const registration = await navigator.serviceWorker.ready; registration.active.postMessage('keep');
           const text = await (await fetch('../sw.js')).text();
           return Object.keys(JSON.parse(/FILES = ({[^;]*});/.exec(text)[1])).length; })()",
    );
    page.eval(&format!(
        "(async () => {{ for (;;) {{
           for (const name of await caches.keys()) if ((await (await caches.open(name)).keys()).length === {files}) return;
           await new Promise((done) => setTimeout(done, 50)); }} }})()"
    ));
    host.turn_off();
    for game in ["othello", "shogi"] {
        let page = page.another(&host.url(&format!("{game}/index.html?threads=1")));
        wait_until_loaded(&page);
        let body = "return (await engine.ask('position', {})).ply;";
        let ply = page.eval(&with_engine(&format!("{{ game: '{game}' }}"), body));
        assert!(ply.as_u64().is_some(), "{ply}");
    }
}

#[test]
fn the_one_file_needs_no_host() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let file = folder.join("yaneura.html").canonicalize().unwrap();
    for game in ["shogi", "othello"] {
        let page = browser.page(&format!("file://{}#{game}", file.display()));
        wait_until_loaded(&page);
        assert_eq!(page.complaints(), [""; 0]);
        page.close();
    }
}

#[test]
fn pages_fit_on_a_telephone() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    for game in ["shogi", "othello"] {
        let page = browser.page(&host.url(&format!("{game}/index.html?threads=1")));
        page.on_a_telephone();
        wait_until_loaded(&page);
        let wide = page.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(wide.as_i64() <= Some(0), "{game}: {wide} pixels too wide");
        page.close();
    }
}

#[test]
fn boards_are_put_into_pages_of_others() {
    let Some((browser, folder)) = start() else {
        return;
    };
    let host = StaticHost::start(&folder);
    let page = browser.page(&host.url("shogi/index.html?threads=1"));
    wait_until_loaded(&page);
    let value: Value = page.eval(
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
