//! Runs that are killed again and again.

use std::path::Path;

use test_support::LongJob;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gensfen");

#[test]
fn self_play_that_is_killed_plays_the_same_games() {
    let line = "--run -q --nodes 100 --multi 2 --games 300 -o run.pack";
    LongJob::new(Path::new(PROGRAM), line, &["run.pack"]).survives_kills(|_| ());
}
