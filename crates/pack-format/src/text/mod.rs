//! Teacher data as text: for people, scripts and spreadsheets.
//!
//! * [`jsonl`]: a JSON object a line, a game or a position each. Nothing of the binary formats is
//!   lost but the order of pieces in hand, which says nothing.
//! * [`csv`]: a row a position. Candidates, and games without moves, are lost.
//!
//! Text that is read is checked as strictly as the binary formats: every move legal, every number in
//! its range, and whatever a line says twice (a game's moves and its final position) must agree.

/// `write!` to bytes in memory, which never refuse.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        use std::io::Write as _;
        let _ = write!($out, $($text)*);
    }};
}

pub mod csv;
mod fields;
pub mod jsonl;
mod lines;
mod problem;

pub use lines::MAX_LINE;
pub use problem::{InvalidLine, TextProblem, TextReadError};

use crate::{Hcpe3Game, Sample, pack};

/// What a line of text (or the rows of a game) holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextLine {
    /// A game. Its end reason may contradict its result, as in games that were read from a pack file.
    Game(pack::Game),
    /// A game with candidates.
    Hcpe3(Hcpe3Game),
    /// A position.
    Sample(Sample),
}
