//! Any bytes are the state in a checkpoint of a training or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_learn::inspect_checkpoint;

fuzz_target!(|bytes: &[u8]| {
    let architecture = "k_1x2-1-1".parse().expect("an architecture");
    if let Err(reason) = inspect_checkpoint(bytes, architecture) {
        assert!(!reason.is_empty());
    }
});
