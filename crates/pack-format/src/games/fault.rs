//! Where in a file something is wrong.

use std::fmt::{Debug, Display};
use std::io;

use thiserror::Error;

/// What can be wrong with a game.
pub trait FaultInGame: Debug + Display {
    /// Where the wrong bytes are, counted from the first byte of the game.
    fn at(&self) -> usize;

    /// Whether nothing is wrong but that the bytes end inside the game.
    fn is_truncated(&self) -> bool;
}

/// A fault with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {}: game {game} (begins at byte {offset}): {fault}", offset + fault.at() as u64)]
pub struct GameProblem<F: FaultInGame> {
    /// Number of the game, from 1.
    pub game: u64,
    /// Offset of its first byte.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: F,
}

impl<F: FaultInGame> GameProblem<F> {
    /// Offset of the wrong bytes.
    pub fn byte(&self) -> u64 {
        self.offset + self.fault.at() as u64
    }
}

/// Why there is no next game.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameReadError<F: FaultInGame> {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game is damaged.
    #[error(transparent)]
    Fault(#[from] GameProblem<F>),
}
