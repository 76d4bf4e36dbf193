//! Any text as lines of XBoard's protocol, and of Cassio's: the engines live on.
#![no_main]

use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use othello_engine::{Cassio, Heard, XBoard};
use yaneura_fuzz::othello::{is_harmless, session};

fuzz_target!(|text: &str| {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let own = Arc::clone(&lines);
    let output = Arc::new(move |line: &str| own.lock().expect("lines").push(line.to_owned()));
    let mut xboard = XBoard::new(session(), "fuzz", output.clone());
    let mut cassio = Cassio::new(session(), "fuzz", output);
    for line in text.lines().filter(|line| is_harmless(line)).take(50) {
        if xboard.line(line) == Heard::Quit {
            break;
        }
        cassio.line(line);
        cassio.line(&format!("ENGINE-PROTOCOL {line}"));
    }
    xboard.line("ping 12345");
    let lines = lines.lock().expect("lines");
    assert!(lines.iter().any(|line| line == "pong 12345"));
});
