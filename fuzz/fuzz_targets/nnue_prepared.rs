//! Any bytes are a network prepared for evaluation or an error, also behind check values that are
//! right; a network that was mapped evaluates and comes back from its own file.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use shogi_eval::Evaluator;
use shogi_eval::nnue::{FvScale, MappedError, MappedKey, MappedNetwork, NnueEvaluator};
use yane_io::Map;

fn open(bytes: &[u8], key: MappedKey) -> Result<MappedNetwork, MappedError> {
    let map = Map::from_bytes(Path::new("input"), bytes.to_vec());
    MappedNetwork::of_map(&Arc::new(map), key)
}

fuzz_target!(|bytes: &[u8]| {
    // The key stands in the header.
    let found = bytes.get(16..32).and_then(|key| key.try_into().ok());
    let key = MappedKey::from_bytes(found.unwrap_or_default());
    if let Err(error) = open(bytes, key) {
        assert!(!error.to_string().is_empty());
    }
    let mut sealed = bytes.to_vec();
    MappedNetwork::seal(&mut sealed);
    let mapped = match open(&sealed, key) {
        Ok(mapped) => mapped,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut written = Vec::new();
    mapped
        .write(key, &mut written)
        .expect("memory can be written");
    let again = open(&written, key).expect("it was written");
    assert_eq!(again.network.architecture(), mapped.network.architecture());
    assert_eq!(again.notes, mapped.notes);
    let position = Position::startpos();
    let values = [mapped, again].map(|mapped| {
        let mut evaluator = NnueEvaluator::new(Arc::new(mapped.network), FvScale::DEFAULT);
        evaluator.reset(&position);
        evaluator.evaluate(&position)
    });
    assert_eq!(values[0], values[1]);
});
