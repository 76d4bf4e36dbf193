//! Any bytes are a checkpoint of a training or an error, also with the check value put right.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_learn::{inspect_checkpoint, reseal_checkpoint};

fuzz_target!(|bytes: &[u8]| {
    let architecture = "k_1x2-1-1".parse().expect("an architecture");
    for sealed in [false, true] {
        let mut bytes = bytes.to_vec();
        if sealed {
            reseal_checkpoint(&mut bytes);
        }
        if let Err(reason) = inspect_checkpoint(&bytes, architecture) {
            assert!(!reason.is_empty());
        }
    }
});
