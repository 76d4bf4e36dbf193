//! The modules with threads, in pages that are isolated from others. Skipped, with a line that says so, where they were not made, as the
//! standard library has to be compiled anew for them.

use serde_json::json;
use test_support::StaticHost;

use crate::tab::{STOPS, Tab, stop_soon};

/// A page that may share memory, by headers of its host or by those of its service worker, for each of these ways.
fn isolated(game: &str) -> Vec<Tab> {
    let Some(folder) = StaticHost::pages() else {
        return Vec::new();
    };
    let module = folder.join(format!("engine/{game}-threads.wasm"));
    if !module.is_file() {
        let module = module.display();
        println!("skipped: no {module} (cargo xtask browser, with rust-src)");
        return Vec::new();
    }
    let hosts = [StaticHost::isolated(&folder), StaticHost::start(&folder)];
    let address = format!("{game}/index.html?threads=2");
    let tabs = hosts.into_iter().filter_map(|host| Tab::at(host, &address));
    tabs.inspect(|tab| tab.wait("crossOriginIsolated && document.body.dataset.loaded"))
        .collect()
}

#[test]
fn two_threads_search_a_shogi_position() {
    let bench = json!({ "id": 1, "op": "shogi.bench", "depth": 8 });
    let native = crate::ask("shogi", &[bench]);
    let native = native.iter().find(|event| event["ev"] == "bench").unwrap();
    for tab in isolated("shogi") {
        let script = "const nodes = async (threads) => {
              await engine.ask('engine.set', { options: { Threads: threads } });
              let last = null;
              await engine.request('think', { depth: 14 }, (event) => (last = event)).done;
              return last.nodes;
            };
            const { nodes: bench } = await engine.ask('shogi.bench', { depth: 8 });
            return [engine.back.helpers.length, bench, await nodes('1'), await nodes('2')];";
        let found = tab.with_engine("{ game: 'shogi', threads: 2 }", script);
        assert_eq!((&found[0], &found[1]), (&json!(1), &native["nodes"]));
        // Alone a thread searches the same each time.
        assert_ne!(found[2], found[3], "the second thread has done nothing");
        assert_eq!(tab.complaints(), [""; 0]);
    }
}

#[test]
fn two_threads_search_an_othello_position() {
    // Problem 41 of the FFO end games.
    let board = "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X";
    let bench = json!({ "id": 1, "op": "othello.bench", "boards": [board] });
    let native = crate::ask("othello", &[bench]);
    let native = native.iter().find(|event| event["ev"] == "bench").unwrap();
    for tab in isolated("othello") {
        // A search does not wait for a thread that the page has not started yet.
        let alone = &native["nodes"];
        let script = format!(
            "for (let tries = 1; ; tries++) {{
               const {{ score, nodes }} = await engine.ask('othello.bench', {{ boards: ['{board}'] }});
               if (nodes !== {alone} || tries === 20) return [engine.back.helpers.length, score, nodes];
             }}"
        );
        let found = tab.with_engine("{ game: 'othello', threads: 2, hashMib: 16 }", &script);
        assert_eq!((&found[0], &found[1]), (&json!(1), &native["score"]));
        assert_ne!(found[2], *alone, "the second thread has done nothing");
    }
}

#[test]
fn threads_stop_by_shared_memory() {
    for tab in isolated("shogi") {
        let script = format!(
            "const main = engine.back.main;
             const stops = await (async () => {{ {STOPS} }})();
             return [stops, engine.back.main === main];"
        );
        let found = tab.with_engine("{ game: 'shogi', threads: 2 }", &script);
        stop_soon(&found[0], 50.0);
        assert_eq!(found[1], true, "the worker was ended");
    }
}
