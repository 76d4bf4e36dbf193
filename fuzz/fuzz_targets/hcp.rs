//! Any 32 bytes are a position in Apery's packed form or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_packed::Hcp;
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: [u8; 32]| {
    match Hcp(bytes).decode() {
        Ok(position) => check_position(&position),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
