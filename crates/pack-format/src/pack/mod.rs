//! The pack format: whole games, about four bytes a ply.
//!
//! A file is nothing but games, so that files can be concatenated. All numbers are little endian.
//!
//! | part of a game | bytes |
//! |---|---|
//! | start | `01` for the initial position, or `00`, the [`shogi_core::Hcp`] (32) and its ply number (2) |
//! | each ply | [`shogi_core::AperyMove16`] (2), [`crate::TeacherScore`] of the player to move (2) |
//! | end | result (2: `0x0000` draw, `0x0081` black won, `0x0102` white won), [`crate::EndReason`] (1) |
//!
//! The result is told from a move by its equal origin and destination, which no move has. There is
//! no length, checksum or marker: a reader that loses its place cannot simply look for the next game
//! ([`resync`] says when it can).
//!
//! Source: the format's definition by Yaneurao in the documentation of his gensfen.
//!
//! * [`Game`]: a game in memory, legal by construction ([`GameBuilder`]).
//! * [`PackReader`]: the games of a stream; [`games`]: the games of bytes in memory.
//! * [`decode`]: all games of bytes in memory, on all cores.
//! * [`PackFrame`]: a game's bytes, checked only when they are replayed.
//! * [`PackWriter`]: games to a stream.

mod format;
mod frame;
mod game;
mod parallel;
mod problem;
mod replay;
mod resync;

pub use format::{
    InvalidPackGame, PackGames, PackReadError, PackReader, PackWriter, frames_len, games,
};
pub use frame::{PackFrame, PackStart, frame};
pub(crate) use game::is_initial;
pub use game::{Game, GameBuilder, GameError, Ply};
pub use parallel::decode;
pub use problem::{PackPart, PackProblem};
pub use replay::{Contradictions, PackReplayer};
pub use resync::{Resynced, resync};

/// The first byte of a game that starts from an hcp.
pub(crate) const START_HCP: u8 = 0;
/// The first byte of a game that starts from the initial position.
pub(crate) const START_INITIAL: u8 = 1;
/// Bytes before the first ply of a game that starts from an hcp.
pub(crate) const HCP_START_LEN: usize = 35;
/// More plies than any game has: a reader that finds no end within them need not read on.
pub const MAX_PLIES: usize = 1 << 20;
/// Bytes of a ply.
pub(crate) const PLY_LEN: usize = 4;
/// Bytes of the end.
pub(crate) const END_LEN: usize = 3;

/// The bits that stand for a result where a move would be.
pub(crate) const fn terminator(result: crate::TeacherResult) -> u16 {
    let number = result as u16;
    number << 7 | number
}

/// Whether the bits of a move are no move but the end of the game (valid or not): origin and
/// destination are the same.
#[inline(always)]
pub(crate) const fn ends_game(bits: u16) -> bool {
    (bits ^ bits >> 7).trailing_zeros() >= 7
}
