//! 32-byte packed positions: PackedSfen (YaneuraOu) and hcp (Apery).
//!
//! Both are 256-bit streams, least significant bit of each byte first: side to move (1 bit), the two
//! kings' squares (7 bits each, 81 for none), a prefix code for each of the other squares in order,
//! then for both hands and for the pieces that are in neither hand nor board ("piece box") one code
//! each. Every piece takes as many bits on the board (where its square would otherwise cost one bit
//! for "empty") as in hand or box, so a position with both kings always fills exactly 256 bits. The
//! move number is not stored.
//!
//! Hands and box are written in the order pawn, lance, knight, silver, gold, bishop, rook, black's
//! hand first; decoding accepts any order, which differs between tools.
//!
//! This is the plain codec, one code after another. The crate `shogi-packed` converts at memory speed, with the same results.

pub mod codes;
mod plain;

use thiserror::Error;

use crate::position::SetupError;
use crate::{Position, Square};

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
        /// Where the number begins.
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
        /// Where the bits begin.
        bit: usize,
    },
    /// The stream ends inside the board or inside a code.
    #[error("the 256 bits end inside the position")]
    TooShort,
    /// The bits are well formed but not a position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

macro_rules! packed {
    ($(#[$doc:meta])* $name:ident, $codes:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// Packs a position.
            ///
            /// # Errors
            /// When a king is missing.
            pub fn encode(position: &Position) -> Result<Self, PackError> {
                plain::encode(position, $codes).map(Self)
            }

            /// Unpacks the position, with move number 1. Any 32 bytes give a position or an error.
            ///
            /// # Errors
            /// See [`UnpackError`].
            pub fn decode(&self) -> Result<Position, UnpackError> {
                plain::decode(&self.0, $codes)
            }
        }

        impl std::fmt::Display for $name {
            /// 64 lower-case hexadecimal digits.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

packed! {
    /// A position in YaneuraOu's packed form (PSV and pack files, `.ybb` books).
    PackedSfen, &codes::PACKED_SFEN
}
packed! {
    /// A position in Apery's packed form (`HuffmanCodedPos`; hcpe and pack files).
    Hcp, &codes::HCP
}

/// The number that stands for "no king".
const NO_KING: u8 = 81;
