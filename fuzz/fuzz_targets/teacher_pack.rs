//! Any bytes are games and then the end or a fault; games come back from their bytes, from a stream
//! and through hcpe3; good games are found again behind damage.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pack_format::pack::{Game, PackReader, PackReplayer, frames_len, games, resync};
use yaneura_fuzz::check_position;

fuzz_target!(|bytes: &[u8]| {
    let mut iter = games(bytes);
    let mut read: Vec<Game> = Vec::new();
    let mut fault = None;
    for game in iter.by_ref() {
        match game {
            Ok(game) => read.push(game),
            Err(error) => {
                assert!(fault.replace(error).is_none());
                assert!(!error.to_string().is_empty());
                assert!(error.byte() <= bytes.len() as u64);
            }
        }
    }
    assert_eq!(fault.is_none(), iter.offset() == bytes.len());
    assert!(frames_len(bytes).0 >= read.len());

    let streamed: Vec<_> = PackReader::new(bytes).collect();
    assert_eq!(streamed.len(), read.len() + usize::from(fault.is_some()));
    let mut written = Vec::new();
    for (game, streamed) in read.iter().zip(streamed) {
        assert_eq!(*game, streamed.expect("the same game"));
        game.write_to(&mut written);
        if let Some((position, _)) = game.positions().last() {
            check_position(&position);
        }
    }
    let again: Vec<_> = games(&written).collect::<Result<_, _>>().expect("written");
    assert_eq!(again, read);

    if let Some(fault) = fault
        && let Some(found) = resync(bytes, fault.offset as usize, &mut PackReplayer::default())
    {
        assert!(found.at > fault.offset as usize);
        assert!(
            games(&bytes[found.at..])
                .next()
                .is_some_and(|game| game.is_ok())
        );
    }
});
