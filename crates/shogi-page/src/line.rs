//! Lines: a position and moves from there.

use page_messages::{FailurePlace, PageFailure};
use serde::Deserialize;
use shogi_core::{Game, Position};

/// Moves of a line at most.
const MOST_MOVES: usize = 5_000;

/// A line of a request.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LineFields {
    /// The position that it begins with; the start position if there is none.
    #[serde(default)]
    pub(crate) sfen: Option<String>,
    #[serde(default)]
    pub(crate) moves: Vec<String>,
}

/// A position by its SFEN.
pub(crate) fn position_of(name: &str, sfen: &str) -> Result<Position, PageFailure> {
    Position::from_sfen(sfen).map_err(|error| PageFailure::new(format!("{name}: {error}")))
}

impl LineFields {
    /// The game, which knows of all positions before.
    ///
    /// # Errors
    ///
    /// An SFEN that is none, or the first move that is not legal.
    pub(crate) fn game(&self) -> Result<Game, PageFailure> {
        let start = match &self.sfen {
            Some(sfen) => position_of("sfen", sfen)?,
            None => Position::startpos(),
        };
        if self.moves.len() > MOST_MOVES {
            let moves = self.moves.len();
            return Err(PageFailure::new(format!(
                "{moves} moves are more than {MOST_MOVES}"
            )));
        }
        let mut game = Game::new(start).with_look_back(u32::MAX);
        for (index, name) in self.moves.iter().enumerate() {
            let Ok(m) = game.position().move_from_usi(name) else {
                let place = FailurePlace {
                    mv: Some(index as u64),
                    ..FailurePlace::default()
                };
                let (number, name) = (index + 1, name.escape_debug());
                let text = format!("move {number}: '{name}' is not legal");
                return Err(PageFailure::new(text).at(place));
            };
            game.play_unchecked(m);
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &[&str]) -> LineFields {
        LineFields {
            sfen: None,
            moves: moves.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn the_wrong_move_is_named() {
        assert_eq!(line(&["7g7f", "3c3d"]).game().unwrap().len(), 2);
        let error = line(&["7g7f", "7f7e"]).game().unwrap_err();
        assert_eq!(error.text, "move 2: '7f7e' is not legal");
        assert_eq!(error.place.mv, Some(1));
        for wrong in ["", "x", "7g7f+", "P*5e", "7g7f 3c3d"] {
            assert!(line(&[wrong]).game().is_err(), "{wrong}");
        }
        let wrong = LineFields {
            sfen: Some("9/9 b".to_owned()),
            moves: Vec::new(),
        };
        assert!(wrong.game().unwrap_err().text.starts_with("sfen: "));
        assert!(line(&vec!["7g7f"; 5_001]).game().is_err());
    }
}
