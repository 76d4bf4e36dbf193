//! Any bytes are weights of an evaluation or an error with its byte; those of ours are written as they were read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_core::Board;
use othello_eval::{Weights, WeightsFormat};

fuzz_target!(|bytes: &[u8]| {
    // The input as it is, and with a check value that is right for it.
    let body = &bytes[..bytes.len().saturating_sub(4)];
    let checked = [body, &crc32fast::hash(body).to_le_bytes()].concat();
    for bytes in [bytes, &checked] {
        match Weights::from_bytes(bytes) {
            Err(error) => {
                assert!(error.offset <= bytes.len() as u64 && !error.reason.is_empty());
            }
            Ok(weights) => {
                let value = weights.main().evaluate(Board::START);
                if matches!(
                    weights.format(),
                    WeightsFormat::Yaneura | WeightsFormat::YaneuraNet
                ) {
                    // The mirror image of the start.
                    assert_eq!(weights.main().evaluate(Board::START.passed()), value);
                    let written = weights.to_bytes(weights.note());
                    let again = Weights::from_bytes(&written).expect("what was written");
                    assert_eq!(again.to_bytes(again.note()), written);
                    assert_eq!(again.main().evaluate(Board::START), value);
                }
            }
        }
    }
});
