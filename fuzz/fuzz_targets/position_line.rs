//! Any text after the word `position` is a game or an error, and a game can be taken back. Read leniently, it is
//! the same game, or one that was corrected, or pieces that nobody can play from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::{LenientPosition, Shown, parse_position_line};
use yaneura_fuzz::{check_position, check_taken_back};

fuzz_target!(|text: &str| {
    let lenient = LenientPosition::parse(text);
    match &lenient {
        Ok(LenientPosition {
            shown: Shown::Game(game),
            ..
        }) => check_position(game.position()),
        Ok(LenientPosition {
            shown: Shown::Diagram(diagram),
            ..
        }) => assert_eq!(diagram.position(), None),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let strict = parse_position_line(text);
    assert!(strict.is_err() || lenient.is_ok_and(|line| line.corrections.is_empty()));
    match strict {
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
