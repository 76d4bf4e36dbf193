//! Lines: a position and moves from there.

use othello_core::{Game, Move, Position, State};
use page_messages::{FailurePlace, PageFailure};
use serde::Deserialize;

use crate::fields::move_of;

/// A line of a request.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LineFields {
    /// The position that it begins with; the start position if there is none.
    #[serde(default)]
    pub(crate) board: Option<String>,
    #[serde(default)]
    pub(crate) moves: Vec<String>,
}

impl LineFields {
    /// The position that the line begins with.
    fn start(&self) -> Result<Position, PageFailure> {
        let Some(board) = &self.board else {
            return Ok(Position::START);
        };
        board
            .parse()
            .map_err(|error| PageFailure::new(format!("board: {error}")))
    }

    /// The game; forced passes may be left out.
    ///
    /// # Errors
    ///
    /// A board that is none, or the first move that is not legal.
    pub(crate) fn game(&self) -> Result<Game, PageFailure> {
        let mut game = Game::new(self.start()?);
        for (n, name) in self.moves.iter().enumerate() {
            let played = match move_of(name) {
                Some(Move::Place(square)) => game.try_play_square(square).is_ok(),
                Some(Move::Pass) => game.try_play(Move::Pass).is_ok(),
                None => false,
            };
            if !played {
                let place = FailurePlace {
                    mv: Some(n as u64),
                    ..FailurePlace::default()
                };
                let number = n + 1;
                let text = format!("move {number}: '{name}' is not legal");
                return Err(PageFailure::new(text).at(place));
            }
        }
        Ok(game)
    }
}

/// The name of a state.
pub(crate) const fn state_name(state: State) -> &'static str {
    match state {
        State::Moves => "moves",
        State::Pass => "pass",
        State::Over => "over",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &[&str]) -> LineFields {
        LineFields {
            board: None,
            moves: moves.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn forced_passes_may_be_left_out() {
        // White cannot answer a1.
        let board = format!("-OX-----{}XO------ X", "-".repeat(48));
        let line = |moves: &[&str]| LineFields {
            board: Some(board.clone()),
            ..line(moves)
        };
        let short = line(&["a1"]).game().unwrap();
        assert_eq!(short.position().board().state(), State::Pass);
        let without = line(&["a1", "c8"]).game();
        let with = line(&["a1", "pass", "c8"]).game();
        assert_eq!(without.unwrap().moves(), with.unwrap().moves());
        assert!(line(&["a1", "b7"]).game().is_err());
    }

    #[test]
    fn the_wrong_move_is_named() {
        let error = line(&["f5", "d6", "a1"]).game().unwrap_err();
        assert_eq!(error.text, "move 3: 'a1' is not legal");
        assert_eq!(error.place.mv, Some(2));
        for wrong in ["", "f", "f9", "pass", "F 5"] {
            assert!(line(&[wrong]).game().is_err(), "{wrong}");
        }
        let board = LineFields {
            board: Some("X".to_owned()),
            moves: Vec::new(),
        };
        assert!(board.game().unwrap_err().text.starts_with("board: "));
    }
}
