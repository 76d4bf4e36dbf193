//! The hcpe3 format: whole games with the visits of each move that was searched (dlshogi).
//!
//! A file is nothing but games, so that files can be concatenated. All numbers are little endian.
//!
//! | part of a game | bytes |
//! |---|---|
//! | start | [`shogi_core::Hcp`] (32) |
//! | header | number of plies (2), [`Ending`] (1), opponent (1) |
//! | each ply | [`shogi_core::AperyMove16`] (2), [`crate::TeacherScore`] of the player to move (2), number of candidates (2) |
//! | each candidate, behind its ply | [`shogi_core::AperyMove16`] (2), visits (2) |
//!
//! The start has no ply number; positions that were read count from ply 1. The move played need not
//! be among the candidates, of which there may be none (such plies are not trained on). A move may be
//! named twice: an engine whose search of several variations was interrupted tells of it so.
//!
//! Source: `HuffmanCodedPosAndEval3`, `MoveInfo` and `MoveVisits` of cshogi and dlshogi.
//!
//! * [`Hcpe3Game`]: a game in memory, legal by construction ([`Hcpe3Builder`]).
//! * [`Hcpe3Reader`]: the games of a stream; [`games`]: the games of bytes in memory.
//! * [`Hcpe3Frame`]: a game's bytes, checked only when they are replayed ([`Hcpe3Replayer`]).
//! * [`Hcpe3Writer`]: games to a stream.

mod ending;
mod format;
mod frame;
mod game;
mod problem;
mod replay;

pub use ending::{Ending, Flags};
pub use format::{
    Hcpe3Games, Hcpe3ReadError, Hcpe3Reader, Hcpe3Writer, InvalidHcpe3Game, frames_len, games,
};
pub use frame::{Hcpe3Frame, Plies, RawPly, frame};
pub use game::{Hcpe3Builder, Hcpe3Candidate, Hcpe3Error, Hcpe3Game};
pub use problem::{Hcpe3Part, Hcpe3Problem};
pub use replay::Hcpe3Replayer;

/// Bytes before the first ply: start, number of plies, ending, opponent.
pub(crate) const HEADER_LEN: usize = 36;
/// Where the ending is.
pub(crate) const ENDING_AT: usize = 34;
/// Bytes of a ply without its candidates.
pub(crate) const PLY_LEN: usize = 6;
/// Bytes of a candidate.
pub(crate) const CANDIDATE_LEN: usize = 4;
/// The format counts plies in 16 bits.
pub const MAX_PLIES: usize = u16::MAX as usize;
/// No position has more legal moves than this; more candidates are damage, not data.
pub(crate) const MAX_CANDIDATES: usize = 593;
