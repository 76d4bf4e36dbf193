//! What may be wrong in a pack.

use std::fmt;

use shogi_core::AperyMove16;
use shogi_packed::UnpackError;
use thiserror::Error;

use crate::games::{GameProblem, MoveName};
use crate::pack::layout::MAX_PLIES;
use crate::{EndReason, TeacherResult};

// Problems in games.

/// A part of a game's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackPart {
    /// The 32 bytes of the start position.
    Hcp,
    /// The ply number of the start position.
    StartPly,
    /// A move or the result in its place.
    Move,
    /// A score.
    Score,
    /// The end reason.
    Reason,
}

impl fmt::Display for PackPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hcp => "the start position",
            Self::StartPly => "the start position's ply number",
            Self::Move => "a move",
            Self::Score => "a score",
            Self::Reason => "the end reason",
        })
    }
}

/// Problem in a game. Offsets count from the first byte of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackProblem {
    /// The first byte is no known kind of start.
    #[error("start kind {kind} is reserved, expected 0 (hcp) or 1 (initial position)")]
    StartKind {
        /// The byte.
        kind: u8,
    },
    /// The bytes end inside the game.
    #[error("the file ends in {part}: {needed} bytes needed, {left} left")]
    Truncated {
        /// Offset at which the missing bytes should be.
        at: usize,
        /// Contents of the missing bytes.
        part: PackPart,
        /// Number of bytes expected.
        needed: usize,
        /// Number of bytes present.
        left: usize,
    },
    /// The game has no end.
    #[error("no end within {MAX_PLIES} plies")]
    TooLong,
    /// The start position's 32 bytes are no position.
    #[error("bad start position: {0}")]
    Start(UnpackError),
    /// A move is not legal in its position.
    #[error("ply {ply}: {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalMove {
        /// Offset of the move.
        at: usize,
        /// Number of the move in the game, from 1.
        ply: u32,
        /// Bits of the move.
        code: AperyMove16,
    },
    /// A move with equal origin and destination that is none of the three results.
    #[error("terminator {bits:#06x} is none of 0x0000 (draw), 0x0081 (black), 0x0102 (white)")]
    Terminator {
        /// Offset of the bits.
        at: usize,
        /// The bits found in the place of the move.
        bits: u16,
    },
    /// The end reason cannot go with the result.
    #[error("end reason {} ({reason}) cannot go with the result {}", .reason.0, .result.name())]
    Contradiction {
        /// Offset of the end reason.
        at: usize,
        /// The result.
        result: TeacherResult,
        /// The reason.
        reason: EndReason,
    },
}

impl From<UnpackError> for PackProblem {
    fn from(error: UnpackError) -> Self {
        Self::Start(error)
    }
}

impl PackProblem {
    /// Returns the offset of the wrong bytes from the first byte of the game.
    pub const fn at(&self) -> usize {
        match *self {
            Self::StartKind { .. } | Self::TooLong => 0,
            Self::Start(_) => 1,
            Self::Truncated { at, .. }
            | Self::IllegalMove { at, .. }
            | Self::Terminator { at, .. }
            | Self::Contradiction { at, .. } => at,
        }
    }
}

impl GameProblem for PackProblem {
    fn at(&self) -> usize {
        self.at()
    }

    fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}
