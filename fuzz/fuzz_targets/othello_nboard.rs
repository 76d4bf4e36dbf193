//! Any text as lines of NBoard's protocol: the engine lives on, answers `ping`, and says nothing of a search behind it.
#![no_main]

use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use othello_engine::{Heard, NBoard};
use yaneura_fuzz::othello::{is_harmless, session};

fuzz_target!(|text: &str| {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let own = Arc::clone(&lines);
    let output = Arc::new(move |line: &str| own.lock().expect("lines").push(line.to_owned()));
    let mut engine = NBoard::new(session(), output);
    for line in text.lines().filter(|line| is_harmless(line)).take(50) {
        if engine.line(line) == Heard::Quit {
            return;
        }
    }
    engine.line("ping 12345");
    let lines = lines.lock().expect("lines");
    assert_eq!(lines.last().map(String::as_str), Some("pong 12345"));
    assert!(lines.iter().all(|line| !line.contains('\n')));
});
