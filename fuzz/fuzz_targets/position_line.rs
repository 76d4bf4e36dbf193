//! Any text after the word `position` is a game or an error, and a game can be taken back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::parse_position_line;
use yaneura_fuzz::{check_position, check_taken_back};

fuzz_target!(|text: &str| {
    match parse_position_line(text) {
        Ok(game) => {
            check_position(game.position());
            let start = text
                .split(" moves")
                .next()
                .and_then(|start| parse_position_line(start).ok());
            if let Some(start) = start.filter(shogi_core::Game::is_empty) {
                check_taken_back(game, start.position());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
