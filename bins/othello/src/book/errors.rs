//! `book errors`: how many discs moves lose.

use std::collections::BTreeMap;

use othello_book::files;
use othello_book::ops::{self, MoveError};
use othello_core::{Board, Side};
use serde_json::{Value, json};
use yane_cli::{Settings, print};

use super::{open, reading, rows};
use crate::args::Lookup;
use crate::transcript::game;

/// Of the moves of a game if one is given, else of all moves of the book.
pub(super) fn errors(args: &Lookup, settings: &Settings) -> anyhow::Result<()> {
    let game = game(&args.transcript)?;
    let job = settings.job()?;
    if game.moves().is_empty() {
        let book = rows(&args.book, None, &args.reading, &job)?.rows;
        let errors = ops::book_errors(&book, Board::START);
        drop(job);
        if settings.json {
            print::json(&serde_json::to_value(&errors)?)?;
            return Ok(());
        }
        let lines = |name: &'static str, counts: &BTreeMap<i32, u64>| -> Vec<String> {
            let line = |(error, count): (&i32, &u64)| format!("{name} {error} {count}");
            counts.iter().map(line).collect()
        };
        let parts = [
            lines("move", &errors.moves),
            lines("leaf", &errors.leaves),
            lines("sum", &errors.sums),
        ];
        print::lines(parts.concat())?;
        return Ok(());
    }
    // Positions of the game and those behind their moves are all that is needed.
    let wanted = ops::line_boards(&game);
    let (input, reading) = (open(&args.book, &args.reading)?, reading(&args.reading));
    let wanted = |board| wanted.contains(&board);
    let table = files::load_some(&input, reading, &wanted, &job)?.table;
    drop(job);
    let errors = ops::line_errors(&table, &game);
    if settings.json {
        let moves: Vec<_> = errors.iter().map(json_of).collect();
        print::json(&json!({ "moves": moves }))?;
    } else {
        print::lines(errors.iter().map(line_of))?;
    }
    Ok(())
}

fn json_of(error: &MoveError) -> Value {
    json!({
        "move": error.mv.to_string(),
        "side": side(error),
        "value": error.value,
        "move_value": error.move_value,
        "error": error.error(),
        "leaf": error.leaf,
        "black": error.black,
        "white": error.white,
    })
}

fn line_of(error: &MoveError) -> String {
    let value = |value: Option<i8>| value.map_or_else(|| "?".to_owned(), |v| format!("{v:+}"));
    let lost = error
        .error()
        .map_or_else(|| "?".to_owned(), |error| error.to_string());
    format!(
        "{} {}: position {}, move {}{}, loses {lost}; black {}, white {}",
        error.mv,
        side(error),
        value(error.value),
        value(error.move_value),
        if error.leaf { " (leaf)" } else { "" },
        error.black,
        error.white
    )
}

const fn side(error: &MoveError) -> &'static str {
    match error.side {
        Side::Black => "black",
        Side::White => "white",
    }
}
