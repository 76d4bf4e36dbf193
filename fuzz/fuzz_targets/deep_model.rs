//! Any bytes are a network or an error; a network that was read gives a position 2,187 numbers and a value.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use shogi_deep::{NativeNetwork, NetworkModel, PolicyValueEvaluator};

fuzz_target!(|bytes: &[u8]| {
    let model = match NetworkModel::from_bytes(bytes) {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut network = NativeNetwork::new(Arc::new(model), 1, Default::default());
    network.put(0, &Position::startpos());
    network.evaluate(1);
    assert_eq!(network.output(0).logits.len(), 2187);
});
