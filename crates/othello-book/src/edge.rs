//! A move with its value, as books of both programs have them.

use othello_core::{Board, Move, Square};
use serde::{Deserialize, Serialize};

// Moves of a book with their values, as files store them.

/// A move of a book and its value for the player who makes it.
///
/// The number is that of the file, which may hold any: 0 to 63 are squares of the stored board, 64 is a pass, 65 no
/// move; Egaroucid also writes 125, "undefined".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The value in discs for the player who makes the move.
    pub score: i8,
    /// The number of the move.
    #[serde(rename = "move")]
    pub number: u8,
}

impl Edge {
    /// The number of a pass.
    pub const PASS: u8 = 64;

    /// The number for "no move".
    pub const NONE: u8 = 65;

    /// Edax's "no leaf".
    pub const NO_LEAF: Self = Self {
        score: -127,
        number: Self::NONE,
    };

    /// A move with its value.
    pub const fn new(score: i8, mv: Move) -> Self {
        let number = match mv {
            Move::Place(square) => square.number(),
            Move::Pass => Self::PASS,
        };
        Self { score, number }
    }

    /// The move, if the number is that of a square or a pass.
    #[inline]
    pub const fn mv(self) -> Option<Move> {
        match self.number {
            Self::PASS => Some(Move::Pass),
            number => match Square::new(number) {
                Some(square) => Some(Move::Place(square)),
                None => None,
            },
        }
    }

    /// The move, if it is legal on `board`.
    pub fn legal_on(self, board: Board) -> Option<Move> {
        self.mv().filter(|&mv| board.after(mv).is_some())
    }
}
