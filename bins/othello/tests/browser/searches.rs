//! Values of moves, and what becomes of searches when tabs and servers come and go.

use std::time::{Duration, Instant};

use test_support::wait_for_rest;

use crate::story::{ONLINE, counts, story, story_of_server};

/// Values on the board.
const SHOWN: &str = "document.querySelectorAll('#board .value').length";

#[test]
fn hints_appear_deepen_and_stop() {
    story(|page| {
        page.play("f5");
        page.wait(&format!("{SHOWN} === 3"));
        page.wait("document.querySelector('#board .value.best-move')");
        let depth = "document.querySelector('.candidates tbody td:nth-child(3)').textContent";
        page.wait(&format!("/^\\s*[4-9]/.test({depth})"));
        // Off and on again.
        page.key("v", 0);
        page.wait(&format!("{SHOWN} === 0"));
        page.key("v", 0);
        page.wait(&format!("{SHOWN} === 3"));
        page.key("q", 0);
        page.rests();
        // While a key is held.
        page.key("v", 0);
        page.wait(&format!("{SHOWN} === 0"));
        page.key_down("h", 0);
        page.wait(&format!("{SHOWN} === 3"));
        page.key_up("h", 0);
        page.wait(&format!("{SHOWN} === 0"));
    });
}

#[test]
fn a_closed_tab_ends_its_search_and_the_other_goes_on() {
    story_of_server(|story| {
        let first = story.another(&story.url());
        let second = story.another(&story.url());
        // Searches that nobody waits to see the end of.
        for page in [&first, &second] {
            page.wait(ONLINE);
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
    });
}

#[test]
fn the_page_finds_its_server_again() {
    story_of_server(|page| {
        page.play("f5");
        page.server_mut().kill();
        page.wait("!document.querySelector('#banner').hidden");
        page.server_mut().start_again();
        page.wait("document.querySelector('#banner').hidden");
        page.wait(&counts(4, 1));
        page.play("d6");
        page.wait(&counts(3, 3));
        page.wait(SHOWN);
        // The browser tells that the socket was refused; of the page itself there is nothing to be told.
        let own = page.complaints();
        assert!(own.iter().all(|told| told.contains("WebSocket")), "{own:?}");
        page.forget_complaints();
    });
}

/// What people do who walk fast through a game.
#[test]
#[cfg(target_os = "linux")]
fn a_thousand_replaced_hints_leave_nothing() {
    story_of_server(|page| {
        page.key("v", 0);
        let flood = "new Promise((resolve) => {
            const socket = new WebSocket(`ws://${location.host}/api/ws`);
            const moves = ['f5', 'd6', 'c3', 'd3', 'c4', 'f4', 'f6', 'f3', 'e6', 'e7'];
            const ends = { replaced: 0, finished: 0, stopped: 0 };
            socket.onmessage = (message) => {
                const event = JSON.parse(message.data);
                if (event.ev === 'hello') {
                    for (let id = 1; id <= 1000; id++) {
                        const line = moves.slice(0, id % moves.length);
                        socket.send(JSON.stringify({ id, op: 'hint', moves: line, level: 20, replaces: id - 1 }));
                    }
                    socket.send(JSON.stringify({ op: 'stop', id: 1000 }));
                }
                if (event.ev !== 'done') return;
                ends[event.why] += 1;
                if (ends.replaced + ends.finished + ends.stopped === 1000) { socket.close(); resolve(ends); }
            };
        })";
        page.eval(flood);
        page.rests();
        let before = page.server().memory();
        let ends = page.eval(flood);
        assert!(ends["replaced"].as_u64().unwrap() > 900, "{ends}");
        page.rests();
        let after = page.server().memory();
        assert!(after < before + 5_000, "{before} KiB became {after}");
    });
}

/// Streams of hints, one position after the other: neither the server nor the page grows. `SOAK_SECONDS` is the time, else an hour.
#[test]
#[ignore = "takes an hour"]
#[cfg(target_os = "linux")]
fn an_hour_of_hints_leaves_memory_flat() {
    let seconds = std::env::var("SOAK_SECONDS").ok();
    let seconds = seconds.map_or(3_600, |text| text.parse().unwrap());
    story_of_server(|page| {
        let start = Instant::now();
        let mut first = None;
        let mut positions = 0;
        while start.elapsed() < Duration::from_secs(seconds) {
            page.key("r", 0);
            page.wait("document.querySelector('.tree .move')");
            page.key("ArrowLeft", 0);
            page.wait("document.querySelector('#board .value.best-move')");
            positions += 1;
            if first.is_none() && start.elapsed() > Duration::from_secs(seconds / 5) {
                first = Some((page.server().memory(), page.heap()));
            }
        }
        let (memory, heap) = first.unwrap();
        let (memory_now, heap_now) = (page.server().memory(), page.heap());
        println!(
            "{positions} positions: server {memory} KiB, then {memory_now}; scripts {heap} bytes, then {heap_now}"
        );
        assert!(
            memory_now < memory + 5_000,
            "{memory} KiB became {memory_now}"
        );
        assert!(
            heap_now < heap + 3_000_000,
            "{heap} bytes became {heap_now}"
        );
        page.key("v", 0);
        page.rests();
    });
}

#[test]
fn squares_show_whose_advantage_they_are_and_lines_become_branches() {
    story(|page| {
        page.paste_moves("F5D6C3");
        page.choose("display", "showFocus");
        page.wait("document.querySelectorAll('#board .focus').length >= 4");
        page.leave_focus();
        page.key("ArrowLeft", 0);
        page.wait(&counts(3, 3));
        page.wait("document.querySelectorAll('#board .focus').length >= 3");
        page.wait("document.querySelector('.candidates .best')");
        page.choose("operate", "addBestLine");
        page.says("Added: ");
        // The engine stays where it is, and the game goes on as before.
        page.wait("document.querySelectorAll('.tree .move').length > 3");
        page.leave_focus();
        page.key("ArrowRight", 0);
        page.wait(&counts(5, 2));
    });
}
