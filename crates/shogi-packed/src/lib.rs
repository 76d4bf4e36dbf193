//! Packed shogi positions and their moves, converted at memory speed.
//!
//! A packed position is 32 bytes: a [`PackedSfen`] of YaneuraOu or an [`Hcp`] of Apery.
//!
//! Both are 256-bit streams, least significant bit of each byte first: side to move (1 bit), the two kings' squares (7 bits each, 81
//! for none), a prefix code for each of the other squares in order, then for both hands and for the pieces that are in neither hand
//! nor board ("piece box") one code each. Every piece takes as many bits on the board (where its square would otherwise cost one bit
//! for "empty") as in hand or box, so a position with both kings always fills exactly 256 bits. The move number is not stored.
//! Hands and box are written in the order pawn, lance, knight, silver, gold, bishop, rook, black's hand first; decoding accepts any
//! order, which differs between tools.
//!
//! Files of them have hundreds of millions, and converting these is reading, checking and writing 32
//! bytes and little else. So each of the steps is there in several versions that do exactly the same: one code after another on any
//! processor, and vector instructions of x86-64 (AVX2, AVX-512), chosen when the program runs.
//!
//! * [`PackedSfen`], [`Hcp`]: from a [`Position`](shogi_core::Position) and back.
//! * [`Placement`]: a packed position that has been read and checked, at a fraction of the time of a `Position`: which moves are
//!   legal, what the other form is.
//! * [`SfenBoard`]: the pieces of an SFEN, to tell which moves are pseudo-legal without building a position.
//! * [`PackedForm::each`]: all of a `Placement` for many records at once.

#![deny(unsafe_code)]
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_labels,
        unused_variables,
        reason = "what only its vector instructions need"
    )
)]

mod attack;
mod board;
mod codes;
mod convert;
mod error;
mod form;
mod legal;
mod level;
mod moves;
mod off_board;
mod packed;
mod packed_form;
mod placement;
mod plain;
mod sfen_board;
mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use convert::Repacked;
pub use error::{PackError, UnpackError};
pub use packed::{Hcp, PackedSfen};
pub use packed_form::PackedForm;
pub use placement::Placement;
pub use sfen_board::SfenBoard;

/// The number that stands for "no king".
const NO_KING: u8 = 81;

/// Number of positions in a batch.
const MANY: usize = 128;

/// Number of positions read before they are handed on: the data of so few stays in the cache next to the
/// processor.
const FEW: usize = 8;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
