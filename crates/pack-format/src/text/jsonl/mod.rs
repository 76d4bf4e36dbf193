//! JSON lines: an object a line.
//!
//! A game of a pack file, with its offset and bytes there:
//!
//! ```json
//! {"game": 0, "offset": 0, "start_kind": 1, "start_sfen": "lnsgkgsnl/… b - 1", "game_ply": 1, "terminator": "0x0081", "result": 1, "reason": 0, "plies": 2, "moves": "7g7f 3c3d", "move16": [7739, 2581], "scores": [100, -100], "final_sfen": "lnsgkgsnl/… b - 3", "bytes": 12}
//! ```
//!
//! `start_hcp` (64 hexadecimal digits) follows `game_ply` where the start is no initial position.
//! A game of an hcpe3 file (`result` is [`Ending::bits`](crate::hcpe3::Ending::bits), `gameInfo` the
//! opponent; the candidates of each ply are moves with their visits):
//!
//! ```json
//! {"game": 0, "offset": 0, "start_hcp": "58a4…", "start_sfen": "lnsgkgsnl/… b - 1", "moveNum": 1, "result": 1, "gameInfo": 0, "moves": "7g7f", "evals": [30], "candidates": [[["7g7f", 900], ["2g2f", 100]]], "bytes": 50}
//! ```
//!
//! A position of an hcpe or PSV file; the latter have a ply, if it is not 0:
//!
//! ```json
//! {"sfen": "lnsgkgsnl/… b - 1", "move": "7g7f", "score": 30, "result": 1, "ply": 1}
//! ```
//!
//! The move of a record that has none is `none`. Results are 0 (draw), 1 (black), 2 (white); scores those of the player to move.
//!
//! # Reading
//!
//! Enough for a game are `start_sfen`, `moves`, `scores`, `result` and `reason`; for one with
//! candidates `start_sfen`, `moves`, `evals`, `candidates`, `result` and `gameInfo`; for a position
//! all but `ply`, without which the SFEN's own does not count either. The others of the fields above
//! must agree with these if they are there, but for `game` and `offset`, which are true of the file
//! that the line was made from. Further fields are ignored.

mod parse;
mod write;

use std::io::BufRead;

use crate::text::{InvalidLine, Lines, TextLine, TextReadError};

pub use parse::parse_line;
pub use write::{write_frame, write_game, write_hcpe3, write_hcpe3_frame, write_sample};

// Lines of a stream.

/// The games and positions of a stream of JSON lines. After a invalid line it goes on with the next
/// one; after an error of the stream it ends. Blank lines are skipped.
///
/// Memory is bounded by the longest line ([`MAX_LINE`](crate::text::MAX_LINE)).
#[derive(Debug)]
pub struct JsonlReader<R> {
    lines: Lines<R>,
}

impl<R: BufRead> JsonlReader<R> {
    /// Returns a reader.
    pub const fn new(stream: R) -> Self {
        Self {
            lines: Lines::new(stream),
        }
    }

    /// Number of the last line that was read, from 1.
    pub const fn line(&self) -> u64 {
        self.lines.number()
    }
}

impl<R: BufRead> Iterator for JsonlReader<R> {
    type Item = Result<TextLine, TextReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let parsed = self.lines.next_line().transpose()?.map(parse_line);
        let line = self.lines.number();
        Some(match parsed {
            Ok(parsed) => parsed.map_err(|problem| InvalidLine { line, problem }.into()),
            Err(error) => Err(error),
        })
    }
}
