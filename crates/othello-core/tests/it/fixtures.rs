//! Golden data.

use othello_core::{Board, Position};
use serde_json::Value;

/// The text of a file of `fixtures/othello`.
pub(crate) fn text(name: &str) -> String {
    test_support::fixture_text(format!("othello/{name}"))
}

/// The lines of a file of JSON lines.
pub(crate) fn rows(name: &str) -> Vec<Value> {
    test_support::fixture_rows(&format!("othello/{name}"))
}

/// The board of a row; the side to move is `X` where the text does not say.
pub(crate) fn board(row: &Value) -> Board {
    let text = row["board"].as_str().unwrap();
    let side = if text.len() == 64 { " X" } else { "" };
    format!("{text}{side}").parse::<Position>().unwrap().board()
}

/// A pair of hexadecimal numbers.
pub(crate) fn pair(value: &Value) -> (u64, u64) {
    let number = |n: usize| u64::from_str_radix(value[n].as_str().unwrap(), 16).unwrap();
    (number(0), number(1))
}

/// The discs of a board as a pair, a1 = bit 0.
pub(crate) fn discs(board: Board) -> (u64, u64) {
    (board.mover(), board.opponent())
}

/// Numbers of an array.
pub(crate) fn numbers(value: &Value) -> Vec<u64> {
    let array = value.as_array().unwrap();
    array.iter().map(|n| n.as_u64().unwrap()).collect()
}
