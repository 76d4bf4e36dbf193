//! Record files (`.sfen`): one game a line.
//!
//! A line is what follows the word `position` of USI:
//!
//! ```text
//! startpos moves 7g7f 3c3d resign
//! sfen <board> <side> <hands> <ply> moves 8c8d
//! ```
//!
//! What else is read: the word `position` itself in front; an SFEN without the word `sfen`; moves
//! without a start (even game) or without the word `moves`; an SFEN without its move number (1); words and
//! moves in capitals (`STARTPOS MOVES 7G7F`); wide blanks (U+3000); UTF-8 and UTF-16, with or without a
//! byte order mark; lines that end with LF, CR LF or CR; blanks at both ends; comments (`#`,
//! `//`) and empty lines. `win` and `resign` end a game. A move that cannot be played ends the game
//! too, and is kept as a [`RecordFault`].

mod chunks;
mod faults;
mod replay;
mod roots;

pub(crate) use chunks::{for_each_chunk, for_each_position_chunk};
pub(crate) use faults::PendingFaults;
pub use faults::{Faults, OnFault, RecordFault};
pub use replay::Replay;
pub(crate) use replay::legal_move;
pub use roots::{Root, read_roots};
