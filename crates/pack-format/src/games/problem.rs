//! Where in a file something is wrong.

use std::error::Error;
use std::io;

use thiserror::Error;

use crate::{DataPlace, InvalidData};

/// What can be wrong with a game.
pub trait GameProblem: Error + Send + Sync + 'static {
    /// Where the wrong bytes are, counted from the first byte of the game.
    fn at(&self) -> usize;

    /// Whether nothing is wrong but that the bytes end inside the game.
    fn is_truncated(&self) -> bool;
}

/// A problem with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: game {game} (begins at byte {offset}): {problem}", offset + problem.at() as u64)]
pub struct InvalidGame<F: GameProblem> {
    /// Number of the game, from 1.
    pub game: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// What is wrong with it.
    pub problem: F,
}

impl<F: GameProblem> InvalidGame<F> {
    /// Offset of the wrong bytes.
    pub fn byte(&self) -> u64 {
        self.offset + self.problem.at() as u64
    }
}

impl<F: GameProblem> From<InvalidGame<F>> for InvalidData {
    fn from(invalid: InvalidGame<F>) -> Self {
        let place = DataPlace::Game {
            game: invalid.game,
            offset: invalid.offset,
            byte: invalid.byte(),
        };
        Self::new(place, invalid.problem)
    }
}

/// Why there is no next game.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameReadError<F: GameProblem> {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game is damaged.
    #[error(transparent)]
    Invalid(#[from] InvalidGame<F>),
}
