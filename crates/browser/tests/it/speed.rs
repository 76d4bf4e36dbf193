//! How fast the modules are in a real browser, on a machine that does nothing else:
//! `cargo test -p browser --test it speed -- --ignored --nocapture --test-threads 1`.

use test_support::StaticHost;

use crate::tab::Tab;

/// Runs of which the median counts.
const RUNS: usize = 5;

/// The median of what a script returns so many times, each with an engine of its own.
fn median(tab: &Tab, options: &str, script: &str) -> f64 {
    let numbers = (0..RUNS).map(|_| tab.with_engine(options, script).as_f64().unwrap());
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[RUNS / 2]
}

/// Milliseconds from the making of an engine to its answer, the browser having the module.
const READY: &str =
    "const { Engine } = await import(new URL('../engine/client.js', location.href));
    const begin = performance.now();
    const other = new Engine({ game: GAME });
    await other.ready;
    const ready = performance.now() - begin;
    other.close();
    return ready;";

/// Milliseconds from a stop to the end of the search.
const STOP: &str = "const stream = engine.request(SEARCH, () => {});
    await new Promise((done) => setTimeout(done, 300));
    const begin = performance.now();
    stream.stop();
    await stream.done;
    return performance.now() - begin;";

fn print(name: &str, value: f64, unit: &str) {
    println!("{name:<44} {value:>10.1} {unit}");
}

fn ready_and_stop(tab: &Tab, game: &str, search: &str) {
    let options = format!("{{ game: '{game}' }}");
    let script = READY.replace("GAME", &format!("'{game}'"));
    print("ready, warm", median(tab, &options, &script), "ms");
    let script = STOP.replace("SEARCH", search);
    print("stop", median(tab, &options, &script), "ms");
}

#[test]
#[ignore = "a measurement"]
fn shogi() {
    let Some(tab) = Tab::open("shogi/index.html?threads=1") else {
        return;
    };
    let bench = "const { nodes, ms } = await engine.ask('shogi.bench'); return nodes / ms;";
    print(
        "shogi bench, one thread",
        median(&tab, "{ game: 'shogi' }", bench),
        "k nodes/s",
    );
    ready_and_stop(&tab, "shogi", "'think', {}");
    let folder = StaticHost::pages().unwrap();
    let isolated = StaticHost::isolated(&folder);
    let Some(tab) = Tab::at(isolated, "shogi/index.html?threads=2") else {
        return;
    };
    let nodes = |threads: u32| {
        let script = format!(
            "await engine.ask('engine.set', {{ options: {{ Threads: '{threads}' }} }});
             await engine.ask('engine.clear');
             let last;
             await engine.request('think', {{ time_ms: 3000 }}, (event) => (last = event)).done;
             return last.nodes / 3000;"
        );
        median(&tab, "{ game: 'shogi', threads: 2 }", &script)
    };
    let (one, two) = (nodes(1), nodes(2));
    print("shogi start, one thread of two", one, "k nodes/s");
    print("shogi start, two threads", two, "k nodes/s");
}

#[test]
#[ignore = "a measurement"]
fn othello() {
    let Some(tab) = Tab::open("othello/index.html?threads=1") else {
        return;
    };
    // Problem 40 of the FFO end games, and a game of twelve moves.
    let ffo = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    let midgame = "------------------OOO------OX-----XXX-----XO-------------------- X";
    for (name, fields) in [
        ("othello FFO 40", format!("{{ boards: ['{ffo}'] }}")),
        (
            "othello midgame, depth 14",
            format!("{{ boards: ['{midgame}'], depth: 14 }}"),
        ),
    ] {
        let script = format!(
            "const {{ nodes, ms }} = await engine.ask('othello.bench', {fields}); return nodes / ms;"
        );
        let found = median(&tab, "{ game: 'othello' }", &script);
        print(name, found / 1e3, "M nodes/s");
    }
    ready_and_stop(
        &tab,
        "othello",
        "'hint', { moves: ['f5', 'd6'], depth: 40 }",
    );
}
