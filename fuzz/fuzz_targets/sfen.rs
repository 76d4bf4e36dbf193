//! Any text is a position or an error, and a position is written and read as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use yaneura_fuzz::check_position;

fuzz_target!(|text: &str| {
    match Position::from_sfen(text) {
        Ok(position) => check_position(&position),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
