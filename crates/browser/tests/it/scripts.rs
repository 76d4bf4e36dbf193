//! Engines of scripts in a real browser: nodes, stops, stacks. Skipped as the pages are.

use serde_json::json;

use crate::tab::{STOPS, Tab, stop_soon};

#[test]
fn searches_stop_soon_and_leave_the_page_alive() {
    let Some(tab) = Tab::open("shogi/index.html?threads=1") else {
        return;
    };
    // With suspended searches, and with workers that end.
    for (jspi, most_ms) in [(true, 50.0), (false, 300.0)] {
        let options = format!("{{ game: 'shogi', jspi: {jspi} }}");
        stop_soon(&tab.with_engine(&options, STOPS), most_ms);
        // A quick request is answered while a search runs.
        let script = "const stream = engine.request('think', {}, () => {});
            await turn(200);
            const { ply } = await engine.ask('position', { moves: ['7g7f'] });
            stream.stop();
            await stream.done;
            return ply;";
        assert_eq!(tab.with_engine(&options, script), 2, "jspi: {jspi}");
    }
    // What was set stays set in the worker that takes the place of another.
    let script = "await engine.ask('engine.set', { options: { USI_Hash: '8' } });
        const stream = engine.request('think', {}, () => {});
        await turn(200);
        stream.stop();
        await stream.done;
        const { engines } = await engine.ask('engines');
        return engines[0].options.find(({ name }) => name === 'USI_Hash').value;";
    let value = tab.with_engine("{ game: 'shogi', jspi: false }", script);
    assert_eq!(value, "8");
}

#[test]
fn nodes_are_counted_as_everywhere() {
    let Some(tab) = Tab::open("shogi/index.html?threads=1") else {
        return;
    };
    let script = "return (await engine.ask('shogi.bench', { depth: 8 })).nodes;";
    let nodes = tab.with_engine("{ game: 'shogi' }", script);
    let native = crate::ask(
        "shogi",
        &[json!({ "id": 1, "op": "shogi.bench", "depth": 8 })],
    );
    let native = native.iter().find(|event| event["ev"] == "bench").unwrap();
    assert_eq!(nodes, native["nodes"]);
}

#[test]
fn deep_searches_have_the_stack_that_they_need() {
    let Some(tab) = Tab::open("shogi/index.html?threads=1") else {
        return;
    };
    // A mate in 353 plies. A search that can be suspended has a stack of its own.
    let sfen = "7k1/5+Bp2/7Ss/9/9/9/1n7/9/9 b 2rb4g2s3n4l17p 1";
    for jspi in [true, false] {
        let script = format!(
            "let last = null;
             await engine.request('mate', {{ sfen: '{sfen}' }}, (event) => (last = event)).done;
             return [last.state, last.plies];"
        );
        let found = tab.with_engine(&format!("{{ game: 'shogi', jspi: {jspi} }}"), &script);
        assert_eq!(found[0], "mate", "jspi: {jspi}");
        assert!(found[1].as_u64() >= Some(353), "{found}");
    }
}
