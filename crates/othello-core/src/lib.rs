//! The rules of othello.
//!
//! # What is here
//!
//! * [`Board`]: two bitboards; legal moves, flips, passes, the end of the game and its score.
//! * Moves are played in two ways: `try_…` ([`Board::try_play`], [`Game::try_play`]) checks that the move is legal, for
//!   whatever comes from outside; `…_unchecked` ([`Board::play_unchecked`], [`Game::play_unchecked`]) is for moves that are
//!   known to be.
//! * [`Symmetry`]: the eight symmetries, and the [canonical form](Board::canonical) under which books keep a board.
//! * [`Position`] and [`Game`]: a board with the side to move, and the moves from there; in plain notation (64 characters
//!   and a side, two bitboards, transcripts such as `f5d6c3`).
//! * [`Kernel`]: the moves for loops over millions of them, compiled for a processor.
//! * [`perft()`], in all three ways of counting that programs use.
//!
//! With the feature `serde` squares, moves, sides, boards and positions are their texts in serialised data.
//!
//! # What is not
//!
//! Evaluation, search, books and files; game records and other spellings are in `othello-record`. Nothing here prints or
//! reads a clock.
//!
//! ```
//! use othello_core::{Board, Game};
//!
//! let game: Game = "f5d6c3d3c4".parse()?;
//! let board = game.position().board();
//! assert_eq!(board.legal_moves().len(), 6);
//! let canonical = board.canonical();
//! assert_eq!(canonical.back().board(canonical.board), board);
//! # Ok::<(), othello_core::TranscriptError>(())
//! ```

#![deny(unsafe_code)]

#[cfg(feature = "serde")]
mod as_text;
mod board;
mod discs;
mod error;
mod game;
mod position;
mod simd;
mod square;
mod symmetry;

pub use board::{BoardError, IllegalMove, ImpossibleBoard};
pub use board::{Move, State};
pub use discs::Board;
pub use error::{PositionError, TranscriptError};
pub use game::{Counting, Game, PlyCounts, perft, perft_table};
pub use position::{Position, Side};
#[cfg(target_arch = "x86_64")]
pub use simd::{Avx2, Avx512};
pub use simd::{Kernel, Method, Portable};
pub use square::SquareError;
pub use square::{Square, SquareIter, Squares};
pub use symmetry::{Canonical, Symmetry};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
