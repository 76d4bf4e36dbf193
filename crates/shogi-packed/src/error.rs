//! Why a position cannot be packed, or bytes are none.

use shogi_core::{SetupError, Square};
use thiserror::Error;

/// A position cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackError {
    /// A king is missing: its square's code does not fit in the 256 bits.
    #[error("a position with a missing king needs {bits} bits, 256 are there")]
    MissingKing {
        /// Bits that would be needed.
        bits: usize,
    },
}

/// 32 bytes are not a packed position. Bit numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// A king's square is neither on the board nor "none".
    #[error("bit {bit}: king on square {square}")]
    KingSquare {
        /// The offset of the number.
        bit: usize,
        /// The number.
        square: u8,
    },
    /// Both kings stand on the same square.
    #[error("both kings on {0}")]
    KingsMeet(Square),
    /// A king is missing, and so the position, with all pieces of a set, cannot be written again.
    #[error("a king is missing")]
    MissingKing,
    /// Bits that are no code.
    #[error("bit {bit}: no such code")]
    Code {
        /// The offset of the bits.
        bit: usize,
    },
    /// The stream ends inside the board or inside a code.
    #[error("the 256 bits end inside the position")]
    TooShort,
    /// The bits are well formed but not a position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}
