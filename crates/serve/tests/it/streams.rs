//! Requests and their streams.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use serve::ServerTiming;
use tungstenite::Message;

use crate::support::{TestServer, wait_for};

#[test]
fn requests_end_with_one_done() {
    let server = TestServer::new();
    let mut tab = server.tab(&server.cookie());
    tab.send(&json!({ "id": 1, "op": "echo", "text": "hi", "unknown": 3 }));
    let expected = [
        json!({ "id": 1, "ev": "echo", "text": "hi" }),
        json!({ "id": 1, "ev": "done", "why": "finished" }),
    ];
    assert_eq!(tab.until_done(1), expected);
    for (op, told) in [
        ("fail", "it fails"),
        ("panic", "this is an error of the program itself"),
        ("nothing", "'nothing' is no operation"),
        ("long", "too long"),
    ] {
        tab.send(&json!({ "id": 2, "op": op }));
        let done = tab.until_done(2);
        assert_eq!((done.len(), &done[0]["why"]), (1, &json!("error")), "{op}");
        assert!(done[0]["text"].as_str().unwrap().contains(told), "{done:?}");
    }
    for text in ["", "{", r#"{"op":"echo"}"#] {
        tab.0.send(Message::text(text)).unwrap();
        let error = tab.next();
        assert_eq!((&error["ev"], error.get("id")), (&json!("error"), None));
    }
    tab.0.send(Message::binary(vec![1, 2])).unwrap();
    assert_eq!(tab.next()["text"], "text was expected");
}

#[test]
fn a_search_is_stopped_soon_and_tells_its_last_state() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut tab = server.tab(&cookie);
    tab.send(&json!({ "id": 1, "op": "count" }));
    assert_eq!(tab.next()["ev"], "count");
    let start = Instant::now();
    tab.send(&json!({ "op": "stop", "id": 1 }));
    let all = tab.until_done(1);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(all.last().unwrap()["why"], "stopped");
    // The last state is the last that was told.
    let told = server.service.told.load(Ordering::SeqCst) as u64;
    tab.send(&json!({ "id": 2, "op": "count", "states": 700 }));
    let all = tab.until_done(2);
    assert_eq!(all[all.len() - 2]["n"], 700);
    assert!(told > 0);
    assert_eq!(server.live(&cookie), 0);
}

#[test]
fn states_come_at_most_so_many_times_a_second() {
    let server = TestServer::new();
    let mut tab = server.tab(&server.cookie());
    let start = Instant::now();
    tab.send(&json!({ "id": 1, "op": "count", "states": 2_000 }));
    let states = tab.until_done(1).len() - 1;
    let most = start.elapsed().as_millis() / 50 + 3;
    assert!((states as u128) <= most, "{states} states, at most {most}");
    assert!(states >= 3);
}

#[test]
fn a_thousand_replaced_requests_leave_nothing() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut tab = server.tab(&cookie);
    for id in 1..=1_000 {
        tab.send(&json!({ "id": id, "op": "watch", "replaces": id - 1 }));
    }
    tab.send(&json!({ "op": "stop", "id": 1_000 }));
    let mut ends = vec![None; 1_001];
    while ends.iter().skip(1).any(Option::is_none) {
        let message = tab.next();
        if message["ev"] == "done" {
            let id = message["id"].as_u64().unwrap() as usize;
            let why = message["why"].as_str().unwrap().to_owned();
            assert_eq!(ends[id].replace(why), None, "two ends of {id}");
        }
    }
    assert_eq!(ends[1_000].as_deref(), Some("stopped"));
    assert!(
        ends[1..1_000]
            .iter()
            .all(|why| why.as_deref() == Some("replaced"))
    );
    wait_for("nothing is live", || server.live(&cookie) == 0);
    assert_eq!(server.service.running.load(Ordering::SeqCst), 0);
    assert_eq!(server.service.most.load(Ordering::SeqCst), 1, "one seat");
}

#[test]
fn a_slow_tab_holds_no_search_up() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut slow = server.tab(&cookie);
    slow.send(&json!({ "id": 1, "op": "count", "states": 5_000 }));
    // It reads nothing: the search goes on to its end.
    wait_for("the search ends", || {
        server.service.told.load(Ordering::SeqCst) >= 5_000
    });
    let all = slow.until_done(1);
    assert_eq!(all[all.len() - 2]["n"], 5_000);
    assert!(all.len() < 1_000, "{} messages", all.len());
}

#[test]
fn a_tab_that_reads_nothing_is_given_up() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut tab = server.tab(&cookie);
    let mut other = server.tab(&cookie);
    tab.send(&json!({ "id": 1, "op": "flood", "events": 60_000 }));
    wait_for("the request ends", || server.live(&cookie) == 0);
    other.send(&json!({ "id": 1, "op": "echo" }));
    assert_eq!(other.until_done(1).len(), 2, "others are served");
}

#[test]
fn a_closed_tab_ends_its_search_and_others_go_on() {
    let server = TestServer::with(|options| options.seats = 2);
    let cookie = server.cookie();
    let (mut first, mut second) = (server.tab(&cookie), server.tab(&cookie));
    for tab in [&mut first, &mut second] {
        tab.send(&json!({ "id": 1, "op": "count" }));
        assert_eq!(tab.next()["ev"], "count");
    }
    assert_eq!(server.service.running.load(Ordering::SeqCst), 2);
    drop(first);
    wait_for("one search ends", || {
        server.service.running.load(Ordering::SeqCst) == 1
    });
    second.next();
    second.next();
    assert_eq!(server.live(&cookie), 1);
}

#[test]
fn searches_wait_for_a_seat_and_visible_tabs_go_first() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let (mut first, mut second) = (server.tab(&cookie), server.tab(&cookie));
    first.send(&json!({ "id": 1, "op": "count" }));
    first.next();
    first.send(&json!({ "id": 2, "op": "count", "states": 1 }));
    first.send(&json!({ "op": "visible", "on": false }));
    // Answered behind what was sent before it.
    first.send(&json!({ "id": 9, "op": "echo" }));
    first.until_done(9);
    second.send(&json!({ "id": 1, "op": "count", "states": 30_000 }));
    first.send(&json!({ "op": "stop", "id": 1 }));
    first.until_done(1);
    assert_eq!(second.next()["ev"], "count", "the visible tab is next");
    second.send(&json!({ "op": "stop", "id": 1 }));
    assert_eq!(first.until_done(2).last().unwrap()["why"], "finished");
}

#[test]
fn hints_of_a_hidden_tab_pause() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut tab = server.tab(&cookie);
    tab.send(&json!({ "id": 1, "op": "watch" }));
    tab.next();
    tab.send(&json!({ "op": "visible", "on": false }));
    wait_for("it pauses", || {
        server.service.running.load(Ordering::SeqCst) == 0
    });
    assert_eq!(server.live(&cookie), 1, "it is not finished");
    tab.send(&json!({ "op": "visible", "on": true }));
    wait_for("it goes on", || {
        server.service.running.load(Ordering::SeqCst) == 1
    });
    tab.send(&json!({ "op": "visible", "on": false }));
    wait_for("it pauses", || {
        server.service.running.load(Ordering::SeqCst) == 0
    });
    tab.send(&json!({ "op": "stop", "id": 1 }));
    assert_eq!(tab.until_done(1).last().unwrap()["why"], "stopped");
    assert_eq!(server.live(&cookie), 0);
}

#[test]
fn a_frame_that_is_too_long_ends_the_connection() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let mut tab = server.tab(&cookie);
    let text = json!({ "id": 1, "op": "echo", "text": "x".repeat(2 << 20) });
    let sent = tab.0.send(Message::text(text.to_string()));
    let is_over = sent.is_err()
        || loop {
            match tab.0.read() {
                Ok(Message::Close(_)) | Err(_) => break true,
                Ok(Message::Text(_)) => break false,
                Ok(_) => {}
            }
        };
    assert!(is_over);
    drop(server.tab(&cookie));
}

#[test]
fn a_tab_that_says_nothing_is_taken_for_gone() {
    let server = TestServer::with(|options| {
        options.timing = ServerTiming {
            ping: Duration::from_millis(50),
            silence: Duration::from_millis(300),
            ..ServerTiming::default()
        };
    });
    let cookie = server.cookie();
    // It answers pings only while it reads.
    let mut tab = server.tab(&cookie);
    tab.send(&json!({ "id": 1, "op": "count", "states": 2_000_000 }));
    wait_for("it runs", || {
        server.service.running.load(Ordering::SeqCst) == 1
    });
    wait_for("it is given up", || {
        server.service.running.load(Ordering::SeqCst) == 0
    });
    assert_eq!(server.live(&cookie), 0);
}

#[test]
fn settings_are_kept_and_told_to_other_tabs() {
    let server = TestServer::new();
    let cookie = server.cookie();
    let (mut first, mut second) = (server.tab(&cookie), server.tab(&cookie));
    first.send(&json!({ "id": 1, "op": "settings.put", "settings": { "lang": "ja" } }));
    assert_eq!(first.until_done(1).len(), 1);
    let told = second.next();
    assert_eq!(
        (&told["ev"], &told["settings"]["lang"]),
        (&json!("settings"), &json!("ja"))
    );
    assert!(told["from"].is_u64() && told.get("id").is_none());
    second.send(&json!({ "id": 1, "op": "settings.get" }));
    assert_eq!(second.until_done(1)[0]["settings"], json!({ "lang": "ja" }));
    second.send(&json!({ "id": 2, "op": "settings.put", "settings": 3 }));
    assert_eq!(second.until_done(2)[0]["why"], "error");
    let file = server.folder.path().join("state/web.json");
    let kept: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(kept, json!({ "lang": "ja" }));
}
