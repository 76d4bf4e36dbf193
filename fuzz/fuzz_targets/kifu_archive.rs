//! Any bytes are games in some encoding and format, or errors in their lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok((_, games)) = shogi_kifu::read_games(bytes) else {
        return;
    };
    let lines = 1 + bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() as u64;
    for game in games {
        match game {
            Ok(game) => {
                assert!((1..=lines).contains(&game.line));
                yaneura_fuzz::check_record(&game.record);
            }
            Err(error) => assert!((1..=lines + 1).contains(&error.line)),
        }
    }
});
