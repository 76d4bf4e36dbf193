//! The names of openings and castles.

mod goldens;
mod properties;

use shogi_core::{Game, Position, parse_position_line};
use shogi_openings::{FoundOpening, opening_of};

/// The game of a `position` line; else what is wrong with it.
fn try_game(line: &str) -> Result<Game, String> {
    parse_position_line(line.trim_end()).map_err(|error| format!("{line}: {error}"))
}

fn game(line: &str) -> Game {
    try_game(line).unwrap_or_else(|error| panic!("{error}"))
}

/// The position that a game starts from.
fn start_of(game: &Game) -> Position {
    let mut game = game.clone();
    while game.undo().is_some() {}
    game.position().clone()
}

fn found(game: &Game) -> Option<FoundOpening> {
    opening_of(&start_of(game), game.moves())
}
