//! Any bytes are an evaluation file or an error; a network that was read evaluates the same on both
//! sides of the board and comes back from its own file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shogi_core::Position;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::{FvScale, Network, reference};

fuzz_target!(|bytes: &[u8]| {
    let loaded = match Network::from_bytes(bytes, &NetworkReadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for note in &loaded.notes {
        assert!(!note.to_string().is_empty());
    }
    let network = loaded.network;
    assert!(!network.describe().to_string().is_empty());
    let position = Position::from_sfen("4k4/9/9/p8/9/9/9/1B5R1/LNSGKGSNL b P 1");
    let position = position.expect("a position");
    let value = reference::evaluate(&network, &position, FvScale::DEFAULT);
    let turned = reference::evaluate(&network, &position.flip(), FvScale::DEFAULT);
    assert_eq!(value, turned);

    let mut written = Vec::new();
    network.write(&mut written).expect("memory can be written");
    let architecture = Some(*network.architecture());
    let again = Network::from_bytes(&written, &NetworkReadOptions { architecture });
    assert_eq!(again.expect("it was written").network, network);
});
