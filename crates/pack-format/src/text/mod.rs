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

use std::io;
use std::io::{BufRead, Read};

use shogi_core::{MoveError, SfenError};
use thiserror::Error;

use crate::hcpe3::Hcpe3Error;
use crate::pack::GameError;
use crate::{DataPlace, Hcpe3Game, InvalidData, Sample, pack};

/// Contents of a line of text (or of the rows of a game).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextLine {
    /// A game. Its end reason may contradict its result, as in games that were read from a pack file.
    Game(pack::Game),
    /// A game with candidates.
    Hcpe3(Hcpe3Game),
    /// A position.
    Sample(Sample),
}

// Problems in lines of text.

/// Problem in a line of text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// The line is not UTF-8.
    #[error("not UTF-8 from byte {0} of the line on")]
    Encoding(usize),
    /// The line is longer than allowed.
    #[error("more than {MAX_LINE} bytes")]
    TooLong,
    /// The line is not JSON, or a field has a value of the wrong type.
    #[error("column {column}: {message}")]
    Json {
        /// The byte at which this was noticed, from 1.
        column: usize,
        /// The value found and the value expected, with the field.
        message: String,
    },
    /// The JSON object is neither game nor position.
    #[error("neither a game (field \"moves\") nor a position (field \"move\")")]
    Unknown,
    /// A CSV row has a quote that is not closed or that stands inside a field.
    #[error("field {0}: a quote that is not closed, or text behind one")]
    Quote(usize),
    /// A CSV row has more or fewer fields than the header.
    #[error("{found} fields, expected {expected} as in the header")]
    FieldCount {
        /// Fields of the row.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A field or column is not there.
    #[error("field \"{0}\" is missing")]
    Missing(&'static str),
    /// A field has a value it cannot have.
    #[error("field \"{field}\": expected {expected}, found {found}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value.
        found: String,
        /// Description of the valid values.
        expected: &'static str,
    },
    /// A position is wrong.
    #[error("field \"{field}\": {error}")]
    Sfen {
        /// The field.
        field: &'static str,
        /// The error of the SFEN.
        error: SfenError,
    },
    /// The move of a position is wrong.
    #[error("field \"{field}\": {error}")]
    Move {
        /// The field.
        field: &'static str,
        /// The error of the move.
        error: MoveError,
    },
    /// A move of a game is wrong.
    #[error("field \"{field}\", ply {ply}: {error}")]
    GameMove {
        /// The field.
        field: &'static str,
        /// Number of the ply in the game, from 1.
        ply: usize,
        /// The error of the move.
        error: MoveError,
    },
    /// A list has more or fewer entries than the game has moves.
    #[error("field \"{field}\": {found} entries for {expected} moves")]
    Length {
        /// The field.
        field: &'static str,
        /// Entries.
        found: usize,
        /// Moves.
        expected: usize,
    },
    /// A field contradicts the others.
    #[error("field \"{field}\": {found}, but by the other fields it is {expected}")]
    Disagrees {
        /// The field.
        field: &'static str,
        /// The value in the line.
        found: String,
        /// The value expected.
        expected: String,
    },
    /// The position of a CSV row does not follow from the row before.
    #[error("field \"sfen\": not the position after the row before, {expected}")]
    Successor {
        /// The position that should be there.
        expected: String,
    },
    /// Not a game of a pack file.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Not a game of an hcpe3 file.
    #[error(transparent)]
    Hcpe3(#[from] Hcpe3Error),
}

/// A problem with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct InvalidLine {
    /// Number of the line, from 1.
    pub line: u64,
    /// The problem.
    pub problem: TextProblem,
}

impl From<InvalidLine> for InvalidData {
    fn from(invalid: InvalidLine) -> Self {
        Self::new(DataPlace::Line(invalid.line), invalid.problem)
    }
}

/// Error of reading a line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextReadError {
    /// The stream reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The line is wrong.
    #[error(transparent)]
    Invalid(#[from] InvalidLine),
}

// Lines of a stream, none of them without bounds.

/// Bytes of a line at most. The longest game of hcpe3 takes less.
pub const MAX_LINE: usize = 1 << 30;

/// Reads lines that are not blank. Line ends may be `\n` or `\r\n`; a byte order mark at the beginning
/// is skipped.
#[derive(Debug)]
struct Lines<R> {
    stream: R,
    buffer: Vec<u8>,
    number: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    const fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            number: 0,
            ended: false,
        }
    }

    /// Number of the last line, from 1.
    const fn number(&self) -> u64 {
        self.number
    }

    /// The next line. After an error of the stream or a line that is too long there is none.
    fn next_line(&mut self) -> Result<Option<&str>, TextReadError> {
        while !self.ended {
            self.buffer.clear();
            self.number += 1;
            let read = self
                .stream
                .by_ref()
                .take(MAX_LINE as u64 + 1)
                .read_until(b'\n', &mut self.buffer)
                .inspect_err(|_| self.ended = true)?;
            if read > MAX_LINE {
                self.ended = true;
                return Err(self.problem(TextProblem::TooLong));
            }
            self.ended = read == 0;
            if self.buffer.iter().any(|byte| !byte.is_ascii_whitespace()) {
                return self.text().map(Some);
            }
        }
        Ok(None)
    }

    /// The line in the buffer.
    fn text(&self) -> Result<&str, TextReadError> {
        let bom = b"\xef\xbb\xbf";
        let line = match self.buffer.strip_prefix(bom) {
            Some(line) if self.number == 1 => line,
            _ => &self.buffer,
        };
        std::str::from_utf8(line)
            .map(str::trim_ascii)
            .map_err(|error| self.problem(TextProblem::Encoding(error.valid_up_to() + 1)))
    }

    fn problem(&self, problem: TextProblem) -> TextReadError {
        let line = self.number;
        InvalidLine { line, problem }.into()
    }
}
