//! How things of the game stand in messages.

use othello_core::{Move, Position};
use page_messages::PageFailure;

/// The name of a move: `f5`, `pass`.
pub(crate) fn move_name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    }
}

/// The position of a board with its side to move.
pub(crate) fn position_of(board: &str) -> Result<Position, PageFailure> {
    board
        .parse()
        .map_err(|error| PageFailure::new(format!("board: {error}")))
}
