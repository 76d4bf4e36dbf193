//! What can be wrong with a game.

use std::fmt;

use shogi_core::{AperyMove16, UnpackError};
use thiserror::Error;

use super::{ENDING_AT, MAX_CANDIDATES};
use crate::games::{GameProblem, MoveName};

/// A part of a game's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hcpe3Part {
    /// The 32 bytes of the start position.
    Hcp,
    /// Number of plies, ending and opponent.
    Header,
    /// Move, score and number of candidates of a ply.
    Ply,
    /// The candidates of a ply.
    Candidates,
}

impl fmt::Display for Hcpe3Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hcp => "the start position",
            Self::Header => "the number of plies, the ending or the opponent",
            Self::Ply => "a ply",
            Self::Candidates => "a ply's candidates",
        })
    }
}

/// What is wrong with a game. Offsets count from the first byte of the game, plies from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Hcpe3Problem {
    /// The bytes end inside the game.
    #[error("the file ends in {part}: {needed} bytes needed, {left} left")]
    Truncated {
        /// Where in the game the bytes should be.
        at: usize,
        /// What they should hold.
        part: Hcpe3Part,
        /// How many there should be.
        needed: usize,
        /// How many there are.
        left: usize,
    },
    /// The start position's 32 bytes are no position.
    #[error("bad start position: {0}")]
    Start(#[from] UnpackError),
    /// The byte for the ending has a result of 3 or unknown flags.
    #[error(
        "ending {bits:#04x} is none: expected 0 (draw), 1 (black) or 2 (white), \
         with 4 (repetition), 8 (declaration), 16 (max moves) added"
    )]
    Ending {
        /// The byte.
        bits: u8,
    },
    /// The move played is not legal.
    #[error("ply {ply}: {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalMove {
        /// Where in the game the move is.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// Its bits.
        code: AperyMove16,
    },
    /// A candidate is not legal.
    #[error("ply {ply}: candidate {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalCandidate {
        /// Where in the game the candidate is.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// Its bits.
        code: AperyMove16,
    },
    /// There are more candidates than any position has moves.
    #[error("ply {ply}: {count} candidates, {MAX_CANDIDATES} at most are possible")]
    TooManyCandidates {
        /// Where in the game the number is.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// The number.
        count: u16,
    },
}

impl Hcpe3Problem {
    /// Where the wrong bytes are, counted from the first byte of the game.
    pub const fn at(&self) -> usize {
        match *self {
            Self::Start(_) => 0,
            Self::Ending { .. } => ENDING_AT,
            Self::Truncated { at, .. }
            | Self::IllegalMove { at, .. }
            | Self::IllegalCandidate { at, .. }
            | Self::TooManyCandidates { at, .. } => at,
        }
    }
}

impl GameProblem for Hcpe3Problem {
    fn at(&self) -> usize {
        self.at()
    }

    fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}
