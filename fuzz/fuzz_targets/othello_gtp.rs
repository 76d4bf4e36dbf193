//! Any text as lines of GTP: one reply for each command, with its id, and the engine lives on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_engine::Gtp;
use othello_search::Control;
use yaneura_fuzz::othello::{is_harmless, session};

fuzz_target!(|text: &str| {
    let mut gtp = Gtp::new(session(), "1.0", Control::default());
    for line in text.lines().filter(|line| is_harmless(line)).take(50) {
        let reply = gtp.line(line);
        assert!(
            reply.text.is_empty() || reply.text.starts_with(['=', '?']),
            "{line}: {}",
            reply.text
        );
        assert!(!reply.text.contains("\n\n"), "{line}: {}", reply.text);
        if reply.is_last {
            break;
        }
    }
    assert!(gtp.line("showboard").text.starts_with("=\n"));
});
