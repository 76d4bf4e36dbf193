//! Any 32 bytes are a position in YaneuraOu's packed form or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_packed::PackedSfen;
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: [u8; 32]| {
    match PackedSfen(bytes).decode() {
        Ok(position) => check_position(&position),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
