//! Books and records of random games, the same for the same seed.

use shogi_core::Position;
use shogi_core::movegen::{Legal, LegalAll};
use test_support::SplitMix64;

/// The text of a book of `positions` positions, unsorted, some of them there twice.
pub(crate) fn random_book(seed: u64, positions: usize) -> String {
    let mut numbers = SplitMix64::new(seed);
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    let mut position = Position::startpos();
    for _ in 0..positions {
        let moves: Vec<_> = position.moves::<LegalAll>().into_iter().collect();
        if moves.is_empty() || position.ply() > 40 {
            position = Position::startpos();
            continue;
        }
        text.push_str("sfen ");
        text.push_str(&position.to_sfen());
        text.push('\n');
        let first = numbers.remainder(moves.len());
        for m in moves.iter().cycle().skip(first).take(3.min(moves.len())) {
            let eval = numbers.remainder(600) as i32 - 300;
            let line = format!("{m} none {eval} {} 1\n", numbers.remainder(20));
            text.push_str(&line);
        }
        let _ = position.do_move(moves[first]);
    }
    text
}

/// Records of so many games at random; of eleven positions each, the first one or two are shared.
pub(crate) fn random_records(games: usize) -> String {
    let mut numbers = SplitMix64::new(7);
    let mut text = String::new();
    for _ in 0..games {
        text.push_str("startpos moves");
        let mut position = Position::startpos();
        for _ in 0..11 {
            let moves: Vec<_> = position.moves::<Legal>().into_iter().collect();
            let m = moves[numbers.remainder(moves.len())];
            text.push(' ');
            text.push_str(&m.to_string());
            let _ = position.do_move(m);
        }
        text.push('\n');
    }
    text
}
