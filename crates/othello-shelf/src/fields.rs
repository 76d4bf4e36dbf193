//! How things of the game and failures stand in messages.

use othello_book::store::GameCounts;
use othello_core::{Game, Move, Position, Square};
use page_messages::{FailurePlace, PageFailure};
use serde::{Deserialize, Serialize};

/// The position of a board with its side to move.
pub(crate) fn position_of(board: &str) -> Result<Position, PageFailure> {
    board
        .parse()
        .map_err(|error| PageFailure::new(format!("board: {error}")))
}

/// A line of a request: a position, the start position if there is none, and moves from there.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LineFields {
    #[serde(default)]
    board: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

impl LineFields {
    /// The position at the end; forced passes may be left out.
    ///
    /// # Errors
    ///
    /// A board that is none, or the first move that is not legal.
    pub(crate) fn position(&self) -> Result<Position, PageFailure> {
        let start = match &self.board {
            Some(board) => position_of(board)?,
            None => Position::START,
        };
        let mut game = Game::new(start);
        for (n, name) in self.moves.iter().enumerate() {
            let is_legal = match name.as_str() {
                "pass" => game.try_play(Move::Pass).is_ok(),
                name => name
                    .parse::<Square>()
                    .is_ok_and(|square| game.try_play_square(square).is_ok()),
            };
            if !is_legal {
                let place = FailurePlace {
                    mv: Some(n as u64),
                    ..FailurePlace::default()
                };
                let text = format!("move {}: '{name}' is not legal", n + 1);
                return Err(PageFailure::new(text).at(place));
            }
        }
        Ok(game.position())
    }
}

/// Games of a book, for the player who is told; `None` if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GameFields {
    wins: u32,
    draws: u32,
    losses: u32,
}

impl GameFields {
    pub(crate) fn of(games: GameCounts) -> Option<Self> {
        let GameCounts {
            wins,
            draws,
            losses,
        } = games;
        (games.total() > 0).then_some(Self {
            wins,
            draws,
            losses,
        })
    }
}
