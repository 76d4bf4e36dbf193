//! What engines think: lines that deepen, previews, variations, mate, several engines, and what becomes of searches.

use serde_json::json;
use test_support::{ServerNeed, TestFolder, UsiScript};

use crate::story::{ONLINE, Story, story, story_in, story_of_server};

/// The rows of the lines of an engine: the first that thinks, unless it is named.
const ROWS: &str = "document.querySelectorAll('.thought tbody tr').length";

/// Says two lines, and its move when it is stopped.
fn fake() -> UsiScript {
    UsiScript::new("fake 1.0")
        .option("MultiPV type spin default 1 min 1 max 10")
        .on(
            "\"go infinite\"*",
            "echo info depth 9 seldepth 12 multipv 1 score cp 34 nodes 100 nps 1000 hashfull 7 time 5 pv 9g9f 3c3d; \
             echo info depth 9 multipv 2 score mate -3 upperbound pv 1g1f",
        )
        .on("stop", "echo bestmove 9g9f")
        .go("echo info depth 3 score cp 5 pv 9g9f; echo bestmove 9g9f")
}

/// Waits until an engine thinks, and has said something.
fn thinks(page: &Story) {
    page.wait("document.querySelector('.thought .thinking') && document.querySelector('.thought tbody tr')");
}

#[test]
fn lines_deepen_are_previewed_and_kept() {
    story(|page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait("document.querySelectorAll('.thought tbody tr').length === 3");
        page.wait("document.querySelector('#board .arrow.best')");
        page.wait("document.querySelector('.pv-move')");
        page.eval("document.querySelector('.pv-move').click()");
        page.wait("document.querySelector('#board svg.preview')");
        page.key("Escape", 0);
        page.wait("!document.querySelector('#board svg.preview')");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        page.key("b", 0);
        page.click("#tab-moves");
        page.wait("document.querySelectorAll('.record-name').length > 2");
        page.click("#tab-graph");
        page.wait("document.querySelector('.graph-svg.value .dot')");
    });
}

#[test]
fn a_mate_is_found() {
    story(|page| {
        page.paste("sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1");
        page.wait("document.querySelectorAll('#board .cell .piece').length === 4");
        page.click("#tab-engine");
        page.key("m", 0);
        page.wait("document.querySelector('.mate.mate')");
    });
}

#[test]
fn more_lines_fewer_lines_and_only_some_moves() {
    story(|page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait(&format!("{ROWS} === 3"));
        page.key("+", 8);
        page.says("4 lines");
        page.wait(&format!("{ROWS} === 4"));
        page.key("-", 0);
        page.key("-", 0);
        page.says("2 lines");
        page.wait(&format!("{ROWS} === 2"));
        // Two moves alone, then all again.
        page.eval("document.querySelector('#panel details').open = true");
        for name in ["P-9f", "P-1f"] {
            page.press(name);
        }
        let moves = "[...document.querySelectorAll('.thought tbody tr')].map((row) => row.dataset.move).sort().join()";
        page.wait(&format!("{moves} === '1g1f,9g9f'"));
        page.press("All moves");
        page.wait(&format!("{ROWS} === 2 && {moves} !== '1g1f,9g9f'"));
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        page.rests();
    });
}

#[test]
fn the_engines_follow_through_the_game() {
    story(|page| {
        page.click("#tab-engine");
        page.key("r", 0);
        thinks(page);
        page.play("7g", "7f");
        page.wait("[...document.querySelectorAll('.thought tbody tr')].some((row) => /[a-d]$/.test(row.dataset.move.slice(0, 2)))");
        page.leave_focus();
        page.key("ArrowLeft", 0);
        // What is known of the position is there at once.
        page.wait("document.querySelector('.thought tbody tr[data-move$=f]')");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
    });
}

#[test]
#[cfg(unix)]
fn two_engines_think_at_once() {
    let folder = TestFolder::new();
    let path = fake().write(&folder.path("fake"));
    let settings = json!({ "research.engines": ["own", "fake"], "research.lines": 2 });
    let engine = path.display().to_string();
    let args = ["--engine", &engine];
    story_in(ServerNeed::OtherEngines, folder, &settings, &args, |page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait("document.querySelectorAll('.thought .thinking').length === 2");
        page.wait("document.querySelectorAll('.thought tbody tr').length === 4");
        page.wait("[...document.querySelectorAll('.thought h3')].some((title) => title.textContent.includes('fake 1.0'))");
        page.wait(
            "document.querySelector('.thought tr[data-move=\"9g9f\"]').textContent.includes('+34')",
        );
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        page.rests();
    });
}

#[test]
#[cfg(unix)]
fn an_engine_that_dies_says_so_and_begins_anew() {
    let folder = TestFolder::new();
    let script = UsiScript::new("dies 1.0")
        .on("position*", "[ -e \"$0.well\" ] || exit 3")
        .on("\"go infinite\"*", "echo info depth 2 score cp 7 pv 2g2f")
        .on("stop", "echo bestmove 2g2f");
    let path = script.write(&folder.path("dies"));
    let settings = json!({ "research.engines": ["dies"] });
    let engine = path.display().to_string();
    let args = ["--engine", &engine];
    story_in(ServerNeed::OtherEngines, folder, &settings, &args, |page| {
        page.click("#tab-engine");
        page.key("r", 0);
        page.wait("document.querySelector('#toasts .toast.error')?.textContent.includes('dies')");
        page.wait("document.querySelector('.engines').textContent.includes('failed')");
        page.server().folder().write("dies.well", "");
        page.key("r", 0);
        page.wait("document.querySelector('.thought tr[data-move=\"2g2f\"]')");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        page.rests();
    });
}

#[test]
fn a_closed_tab_ends_its_search_and_the_other_goes_on() {
    story(|story| {
        let first = story.another(&story.url());
        first.wait(ONLINE);
        first.wait("document.body.dataset.loaded");
        first.key("r", 0);
        first.wait("document.querySelector('[data-fn=stop]')");
        first.close();
        story.click("#tab-engine");
        story.key("r", 0);
        thinks(story);
        story.key("q", 0);
        story.wait("!document.querySelector('.thought .thinking')");
        story.rests();
    });
}

#[test]
fn the_page_finds_its_server_again_and_lines_go_on() {
    story_of_server(|page| {
        page.play("7g", "7f");
        page.click("#tab-engine");
        page.key("r", 0);
        thinks(page);
        page.server_mut().kill();
        page.wait("!document.querySelector('#banner').hidden");
        page.server_mut().start_again();
        page.wait("document.querySelector('#banner').hidden");
        page.state_has("P-7f");
        page.eval("globalThis.seen = document.querySelector('.thought h3 small').textContent");
        page.wait("document.querySelector('.thought .thinking') && document.querySelector('.thought h3 small').textContent !== globalThis.seen");
        page.key("q", 0);
        page.wait("!document.querySelector('.thought .thinking')");
        let own = page.complaints();
        assert!(own.iter().all(|told| told.contains("WebSocket")), "{own:?}");
        page.forget_complaints();
    });
}
