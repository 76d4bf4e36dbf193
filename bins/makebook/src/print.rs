//! Results on standard output.

use yane_book::BookMove;
pub(crate) use yane_cli::print::{Printer, json, lines};

/// The line of a move in a text book.
pub(crate) fn move_line(known: &BookMove) -> String {
    let mut line = Vec::new();
    yane_book::db::push_move_line(&mut line, known);
    String::from_utf8_lossy(&line).into_owned()
}

/// A move as JSON.
pub(crate) fn move_json(known: &BookMove) -> serde_json::Value {
    let line = move_line(known);
    let mut words = line.split(' ');
    serde_json::json!({
        "move": words.next(),
        "ponder": words.next().filter(|word| *word != "none"),
        "eval": known.eval,
        "depth": known.depth,
        "count": known.count,
    })
}
