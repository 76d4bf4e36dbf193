//! `focus`: whose advantage each disc is, from what the value of the board would be if the disc were of the other colour.

use othello_core::{Board, Side, Square};
use othello_engine::Session;
use othello_search::{Goal, Selectivity};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde_json::json;

use super::control;
use crate::line::LineFields;

/// The depth of the searches in plies: enough to see what the next moves turn back, and done in well under a second.
const DEPTH: u32 = 5;

/// Answers `focus`.
pub(crate) fn focus(
    line: &LineFields,
    engine: &Session,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let mut session = engine.clone();
    let game = line.game()?;
    let position = game.position();
    session
        .set_game(game)
        .map_err(|error| PageFailure::of(&error))?;
    let board = position.board();
    let goal = Goal::new(DEPTH, Selectivity::Exact, 1);
    let control = control(stop);
    let value = |board: Board| session.search_to(board, goal, &control).score;
    let before = value(board);
    let mut black = [0; 64];
    for (number, square) in black.iter_mut().zip(Square::ALL) {
        let Some(flipped) = with_flipped(board, square) else {
            continue;
        };
        let worth = before - value(flipped);
        if stop.is_stopped() {
            return Ok(());
        }
        *number = match position.side() {
            Side::Black => worth,
            Side::White => -worth,
        };
    }
    sink.event("focus", json!({ "black": black.as_slice() }));
    Ok(())
}

/// The board with a disc in the other colour; `None` where there is no disc.
fn with_flipped(board: Board, square: Square) -> Option<Board> {
    let bit = square.bit();
    let (mover, opponent) = (board.mover(), board.opponent());
    let is_disc = (mover | opponent) & bit != 0;
    is_disc
        .then(|| Board::new(mover ^ bit, opponent ^ bit).ok())
        .flatten()
}
