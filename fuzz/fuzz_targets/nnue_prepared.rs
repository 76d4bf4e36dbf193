//! Any bytes are a network laid out for evaluation or an error, also behind check values that are
//! right; a network that was mapped evaluates and comes back from its own file.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use shogi_eval::Evaluator;
use shogi_eval::nnue::{FvScale, LaidOut, LaidOutError, LaidOutKey, NnueEvaluator};
use yane_io::Map;

fn open(bytes: &[u8], key: LaidOutKey) -> Result<LaidOut, LaidOutError> {
    let map = Map::from_bytes(Path::new("input"), bytes.to_vec());
    LaidOut::of_map(&Arc::new(map), key)
}

fuzz_target!(|bytes: &[u8]| {
    // The key stands in the header.
    let found = bytes.get(16..32).and_then(|key| key.try_into().ok());
    let key = LaidOutKey::from_bytes(found.unwrap_or_default());
    if let Err(error) = open(bytes, key) {
        assert!(!error.to_string().is_empty());
    }
    let mut sealed = bytes.to_vec();
    LaidOut::seal(&mut sealed);
    let laid_out = match open(&sealed, key) {
        Ok(laid_out) => laid_out,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut written = Vec::new();
    laid_out
        .write(key, &mut written)
        .expect("memory can be written");
    let again = open(&written, key).expect("it was written");
    assert_eq!(
        again.network.architecture(),
        laid_out.network.architecture()
    );
    assert_eq!(again.notes, laid_out.notes);
    let position = Position::startpos();
    let values = [laid_out, again].map(|laid_out| {
        let mut evaluator = NnueEvaluator::new(Arc::new(laid_out.network), FvScale::DEFAULT);
        evaluator.reset(&position);
        evaluator.evaluate(&position)
    });
    assert_eq!(values[0], values[1]);
});
