//! Any text as lines of both consoles: they live on, and prompt after each line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_engine::{EdaxConsole, EgaroucidConsole, Heard};
use othello_search::Control;
use yaneura_fuzz::othello::{is_harmless, session};

fuzz_target!(|text: &str| {
    let mut egaroucid = EgaroucidConsole::new(session(), "1.0", Control::default());
    let mut edax = EdaxConsole::new(session(), "fuzz", "1.0", Control::default());
    for line in text.lines().filter(|line| is_harmless(line)).take(50) {
        let mut out = String::new();
        if egaroucid.line(line, &mut |text| out.push_str(text)) == Heard::Open {
            assert!(out.ends_with("> "), "{line}: {out}");
        }
        out.clear();
        if edax.line(line, &mut |text| out.push_str(text)) == Heard::Open {
            assert!(out.ends_with('>'), "{line}: {out}");
        }
    }
});
