//! Bytes choose a position and moves: the generated moves of the last position are exactly the legal
//! ones, and the game can be taken back.
//!
//! The first 32 bytes are a packed position, or when they are none (all zeros are not) the initial
//! one; each further pair of bytes picks a move.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::movegen::LegalAll;
use shogi_core::{Game, Position};
use shogi_packed::{PackedSfen};
use yaneura_fuzz::{check_legal_set, check_position, check_taken_back};

/// More plies would only make single runs slow.
const MAX_PLIES: usize = 64;

fuzz_target!(|input: ([u8; 32], &[u8])| {
    let (packed, choices) = input;
    let start = PackedSfen(packed)
        .decode()
        .unwrap_or_else(|_| Position::startpos());
    let mut game = Game::new(start.clone());
    for pair in choices.chunks_exact(2).take(MAX_PLIES) {
        let moves = game.position().moves::<LegalAll>();
        let pick = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        let Some(&m) = moves.get(pick % moves.len().max(1)) else {
            break;
        };
        game.play_unchecked(m);
    }
    check_legal_set(game.position());
    check_position(game.position());
    check_taken_back(game, &start);
});
