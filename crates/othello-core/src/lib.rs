//! The rules of othello.
//!
//! # What is here
//!
//! * [`Board`]: the discs of both players as two sets of squares; legal moves, flips, passes, the end of
//!   the game and its score.
//! * [`Symmetry`]: the eight ways to turn and mirror a board, and the [canonical form](Board::canonical)
//!   under which books keep it.
//! * [`Position`] and [`Game`]: a board with black and white, and the moves that led to it; transcripts,
//!   board texts, bitboard texts, end-game [problems](Problem).
//! * [`reading`]: the one reader of all texts that come from outside, in every spelling and format of games and
//!   boards, with the [kind](reading::Kind) that a text was.
//! * [`perft()`], in all three ways of counting that programs use.
//!
//! # What is not
//!
//! Evaluation, search, books and files. Nothing here prints or reads a clock.
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

mod board;
mod error;
mod game;
mod perft;
mod position;
mod problem;
pub mod reading;
mod simd;
mod square;
mod squares;
mod symmetry;
mod text;

pub use board::{Board, Move, State};
pub use error::{BoardError, ProblemError, ReadError, SquareError, TextError, TranscriptError};
pub use game::Game;
pub use perft::{Counting, PlyCounts, perft, perft_table};
pub use position::{Position, Side};
pub use problem::{Problem, problems};
pub use simd::Method;
pub use square::Square;
pub use squares::{SquareIter, Squares};
pub use symmetry::{Canonical, Symmetry};
