//! Any bytes are games and then the end or a fault; games come back from their bytes and from a
//! stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pack_format::hcpe3::{Hcpe3Game, Hcpe3Reader, games};
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: &[u8]| {
    let mut read: Vec<Hcpe3Game> = Vec::new();
    let mut faults = 0;
    for game in games(bytes) {
        match game {
            Ok(game) => read.push(game),
            Err(error) => {
                faults += 1;
                assert!(!error.to_string().is_empty());
                assert!(error.byte() <= bytes.len() as u64);
            }
        }
    }
    let streamed: Vec<_> = Hcpe3Reader::new(bytes).collect();
    assert_eq!(streamed.len(), read.len() + faults);
    let mut written = Vec::new();
    for (game, streamed) in read.iter().zip(streamed) {
        assert_eq!(*game, streamed.expect("the same game"));
        game.write_to(&mut written);
        if let Some((position, _, _)) = game.positions().last() {
            check_position(&position);
        }
    }
    let again: Vec<_> = games(&written).collect::<Result<_, _>>().expect("written");
    assert_eq!(again, read);
});
