//! Files dropped on the pages in a real browser: used, kept over a reload, forgotten; wrong ones are told. Skipped as those of [`crate::pages`].

use std::fmt::Write as _;

use serde_json::{Value, json};
use test_support::{Browser, BrowserPage, StaticHost, fixture_bytes};

use crate::files::network;

/// A page of a host, from which nothing was kept yet.
struct Story {
    _browser: Browser,
    _host: StaticHost,
    page: BrowserPage,
}

impl Story {
    fn begin(game: &str, query: &str) -> Option<Self> {
        let folder = StaticHost::pages()?;
        let browser = Browser::start()?;
        let host = StaticHost::start(&folder);
        let page = browser.page(&host.url(&format!("{game}/index.html?threads=1{query}")));
        let story = Self {
            _browser: browser,
            _host: host,
            page,
        };
        story.wait_until_loaded();
        Some(story)
    }

    fn wait_until_loaded(&self) {
        self.page.wait("document.body.dataset.loaded === 'true'");
    }

    /// Visits the page again, after its settings were kept.
    fn reload(&self) {
        self.page
            .eval("new Promise((done) => setTimeout(done, 600))");
        self.page.eval("delete document.body.dataset.loaded");
        self.page.eval("setTimeout(() => location.reload()), 0");
        self.wait_until_loaded();
    }

    fn drop(&self, name: &str, bytes: &[u8]) {
        self.drop_file(&file(name, bytes));
    }

    /// Drops the file of an expression.
    fn drop_file(&self, file: &str) {
        self.page.eval(&format!(
            "(() => {{ const transfer = new DataTransfer(); transfer.items.add({file});
               document.dispatchEvent(new DragEvent('drop', {{ dataTransfer: transfer, bubbles: true, cancelable: true }})); }})()"
        ));
    }

    /// Waits until a part of the page has a text.
    fn wait_for(&self, selector: &str, text: &str) {
        self.page.wait(&format!(
            "[...document.querySelectorAll('{selector}')].some((one) => one.textContent.replace(/\\s+/g, ' ').includes({}))",
            json!(text)
        ));
    }

    /// Opens a tab of the page.
    fn open_tab(&self, name: &str) {
        self.page.click(&format!("#tab-{name}"));
    }

    /// What an engine of its own answers, which `body` knows as `engine`.
    fn engine(&self, options: &str, body: &str) -> Value {
        self.page.eval(&format!(
            "(async () => {{ const {{ Engine }} = await import(new URL('../engine/client.js', location.href));
              const engine = new Engine({options}); await engine.ready;
              const turn = (ms) => new Promise((done) => setTimeout(done, ms));
              const late = turn(30000).then(() => {{ throw new Error(`no answer: ${{globalThis.stage}}`); }});
              try {{ return await Promise.race([late, (async () => {{ {body} }})()]); }} finally {{ engine.close(); }} }})()"
        ))
    }
}

/// An expression that makes a file.
fn file(name: &str, bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        write!(digits, "{byte:02x}").unwrap();
    }
    format!(
        "new File([Uint8Array.from('{digits}'.match(/../g) ?? [], (one) => parseInt(one, 16))], {})",
        json!(name)
    )
}

#[test]
fn values_are_those_of_the_network_also_in_the_worker_that_takes_the_place_of_another() {
    let Some(story) = Story::begin("shogi", "") else {
        return;
    };
    browser::TabFiles::put("drop.nnue", network(3));
    let think = json!({ "moves": ["7g7f", "8c8d"], "lines": 2, "nodes": 5000, "names": "none" });
    let mut native = think.clone();
    (native["id"], native["op"]) = (json!(2), json!("think"));
    let load = json!({ "id": 1, "op": "engine.load", "path": "drop.nnue" });
    let told = crate::ask("shogi", &[load, native]);
    let thought = |event: &&Value| event["ev"] == "thought" && event["final"] == true;
    let native = told.iter().find(thought).unwrap()["lines"].clone();
    for jspi in [true, false] {
        let body = format!(
            "await engine.link.files.give('drop.nnue', {});
             await engine.ask('engine.load', {{ path: 'drop.nnue' }});
             const lines = async () => {{ let last; await engine.request('think', {think}, (event) => (last = event)).done; return last.lines; }};
             const first = await lines();
             const stream = engine.request('think', {{}}, () => {{}});
             await turn(200);
             stream.stop();
             await stream.done;
             await engine.ask('engine.clear');
             return [first, await lines()];",
            file("drop.nnue", &network(3))
        );
        let lines = story.engine(&format!("{{ game: 'shogi', jspi: {jspi} }}"), &body);
        for line in lines.as_array().unwrap() {
            let moves = |lines: &Value| -> Vec<Value> {
                let lines = lines.as_array().unwrap().iter();
                lines
                    .map(|line| json!([line["move"], line["score"], line["pv"], line["depth"]]))
                    .collect()
            };
            assert_eq!(moves(line), moves(&native), "jspi: {jspi}");
        }
    }
}

#[test]
fn a_dropped_network_is_kept_and_forgotten() {
    let Some(story) = Story::begin("shogi", "") else {
        return;
    };
    let page = &story.page;
    story.open_tab("engine");
    story.wait_for(".engines", "built in");
    story.drop("mine.nnue", &network(3));
    let plays = "plays with mine.nnue (kp_32x2-8-8)";
    story.wait_for(".engines", plays);
    story.reload();
    story.open_tab("engine");
    story.wait_for(".engines", plays);
    // A wrong one is told, and nothing changes.
    story.drop("wrong.nnue", b"This is no network.");
    story.wait_for(".toast.error", "wrong.nnue: byte 0");
    story.wait_for(".engines", plays);
    page.click("[data-fn='tabFiles']");
    story.wait_for(".tab-files", "mine.nnue");
    assert!(page.is("!document.querySelector('.tab-files').textContent.includes('wrong')"));
    page.click("[aria-label='Forget: mine.nnue']");
    story.wait_for(".engines", "built in");
    page.wait("document.querySelectorAll('.tab-files tr').length === 0");
    story.reload();
    story.open_tab("engine");
    story.wait_for(".engines", "built in");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn files_that_are_nothing_are_told_and_the_page_lives() {
    let Some(story) = Story::begin("shogi", "") else {
        return;
    };
    for (name, bytes, told) in [
        ("empty.nnue", &b""[..], "empty.nnue"),
        ("text.db", b"one\ntwo\n", "text.db"),
        ("short.ybb", b"short", "short.ybb"),
        (
            "KK_synthesized.bin",
            b"0123456789abcdef",
            "a network (.nnue, .bin) or a book",
        ),
    ] {
        story.drop(name, bytes);
        story.wait_for(".toast.error", told);
    }
    let label = "document.querySelector(\"[data-spot='51']\").ariaLabel";
    let before = story.page.eval(label);
    story.page.click("[data-spot='60']");
    story.page.click("[data-spot='51']");
    story.page.wait(&format!("{label} !== {before}"));
    assert_eq!(story.page.complaints(), [""; 0]);
}

#[test]
fn dropped_shogi_books_show_their_moves_and_are_there_at_the_next_visit() {
    let Some(story) = Story::begin("shogi", "") else {
        return;
    };
    let page = &story.page;
    let start = "#YANEURAOU-DB2016 1.00\r\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\r\n\
        7g7f 3c3d 30 22 9\r\n2g2f 8c8d 20 22 3\r\n";
    story.drop("start.db", start.as_bytes());
    story.wait_for(".books", "start.db");
    story.wait_for("#tabs section", "P-7f");
    for (name, fixture) in [
        ("acyclic.ybb", "book/ybb/acyclic_nd.ybb"),
        ("ap.bin", "book/apery/ap.bin"),
    ] {
        story.drop(name, &fixture_bytes(fixture));
        story.wait_for(".books", name);
    }
    story.reload();
    for name in ["start.db", "acyclic.ybb", "ap.bin"] {
        story.wait_for(".books", name);
    }
    assert_eq!(page.complaints(), [""; 0]);
    // Looked up while a search goes on, changed and saved: also where workers end.
    for jspi in [true, false] {
        let body = format!(
            "await engine.link.files.give('start.db', {});
             const {{ book }} = await engine.ask('book.open', {{ root: 'tab', path: 'start.db' }});
             const sfen = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';
             const score = async () => (await engine.ask('book.at', {{ positions: [sfen] }})).positions[0].books[0].moves
               .find(({{ move }}) => move === '7g7f').score;
             const stream = engine.request('think', {{}}, () => {{}});
             await turn(200);
             globalThis.stage = 'ask';
             const before = await score();
             globalThis.stage = 'edit';
             const changes = [{{ set: {{ move: '7g7f', score: 77 }} }}];
             const {{ books }} = await engine.ask('book.edit', {{ book, rev: 1, sfen, changes }});
             globalThis.stage = 'stop';
             await turn(200);
             stream.stop();
             await stream.done;
             globalThis.stage = 'ask again';
             const edited = await score();
             const list = (await engine.ask('book.list')).books;
             globalThis.stage = 'save';
             await engine.ask('book.save', {{ book, rev: list[0].rev }});
             for (let n = 0; n < 100; n++) {{
               await turn(50);
               const blob = await engine.link.files.get('start.db');
               // A file that is being replaced cannot be read.
               const text = await blob.text().catch(() => '');
               if (text.includes('7g7f 3c3d 77')) return [before, edited, list[0].edits, books[0].edits];
             }}
             return 'not kept';",
            file("start.db", start.as_bytes())
        );
        let value = story.engine(&format!("{{ game: 'shogi', jspi: {jspi} }}"), &body);
        assert_eq!(value, json!([30, 77, 1, 1]), "jspi: {jspi}");
    }
    story.reload();
    story.wait_for(".books", "start.db");
}

#[test]
fn dropped_othello_books_and_weights_are_used_and_kept() {
    let Some(story) = Story::begin("othello", "") else {
        return;
    };
    story.drop(
        "a.egbk3",
        &fixture_bytes("othello/books/egaroucid/var_a.egbk3"),
    );
    story.wait_for("#tabs td", "egbk3");
    story.wait_for("#tabs .compare", "a.egbk3");
    story.drop("b.dat", &fixture_bytes("othello/books/dev_a.dat"));
    story.wait_for("#tabs td", "edax");
    story.wait_for("#tabs .compare", "b.dat");
    // A text of Edax.
    let text = fixture_bytes("othello/books/edax/export_dev_a.sorted.txt");
    story.drop("c.dat", &text);
    story.wait_for("#tabs td", "text");
    story.wait_for("#tabs .compare", "c.dat");
    story.reload();
    story.wait_for("#tabs .compare", "a.egbk3");
    story.wait_for("#tabs .compare", "b.dat");
    story.wait_for("#tabs .compare", "c.dat");
    story.drop("no.egbk3", b"EGAROUCID is not all");
    story.wait_for(".toast.error", "no.egbk3");
    let weights = othello_eval::Weights::untrained().to_bytes("none");
    story.drop("none.yev", &weights);
    story.wait_for(".toast", "The engine plays with none.yev.");
    story.reload();
    story.open_tab("settings");
    story.wait_for(".weights", "none.yev");
    assert_eq!(story.page.complaints(), [""; 0]);
}

/// An expression that makes a text book of 71 MB in order: the start, and positions of two kings and some pawns, with comments in between.
const LARGE_BOOK: &str = r"(() => {
    const sfens = ['lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1'];
    for (let file = 1; file < 8; file++)
        for (let pawns = 2; pawns < 19; pawns++) sfens.push(`${file}k${8 - file}/9/9/9/9/9/9/9/4K4 b ${pawns}P 1`);
    const comment = `# ${'long '.repeat(120000)}\r\n`;
    const entry = (sfen, at) => [`sfen ${sfen}\r\n`, comment, `${sfen.startsWith('l') ? '7g7f' : '5i5h'} none ${at} 22 9\r\n`];
    return new File(['#YANEURAOU-DB2016 1.00\r\n', ...sfens.sort().flatMap(entry)], 'large.db');
})()";

#[test]
fn slices_of_a_large_book_are_read() {
    let Some(story) = Story::begin("shogi", "") else {
        return;
    };
    let large = LARGE_BOOK;
    for jspi in [true, false] {
        let body = format!(
            "await engine.link.files.give('large.db', {large});
             const {{ book }} = await engine.ask('book.open', {{ root: 'tab', path: 'large.db' }});
             const [info] = (await engine.ask('book.list')).books;
             const sfen = (pawns) => `3k5/9/9/9/9/9/9/9/4K4 b ${{pawns}}P 1`;
             const positions = [sfen(2), sfen(18), sfen(9).replace('3k5', '8k')];
             const found = (await engine.ask('book.at', {{ positions }})).positions;
             const scores = found.map(({{ books }}) => books[0]?.moves.map(({{ score }}) => score) ?? []);
             const changes = [{{ set: {{ move: '5i5h', score: 77 }} }}];
             const refused = await engine.ask('book.edit', {{ book, rev: 1, sfen: sfen(2), changes }}).catch(String);
             return [info.positions, info.order, info.can_edit, scores.map(({{ length }}) => length), refused];"
        );
        let value = story.engine(&format!("{{ game: 'shogi', jspi: {jspi} }}"), &body);
        let found = json!(["120", "sorted", false, [1, 1, 0]]);
        assert_eq!(json!(value.as_array().unwrap()[..4]), found, "jspi: {jspi}");
        let refused = value[4].as_str().unwrap();
        assert!(
            refused.contains("too large to be changed here"),
            "{refused}"
        );
    }
    // On the page: it shows the moves of the start, and is there at the next visit.
    story.drop_file(large);
    story.wait_for(".books", "large.db");
    story.wait_for("#tabs section", "P-7f");
    story.reload();
    story.wait_for("#tabs section", "P-7f");
    assert_eq!(story.page.complaints(), [""; 0]);
}
