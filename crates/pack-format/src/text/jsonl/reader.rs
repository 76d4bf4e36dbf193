//! Lines of a stream.

use std::io::BufRead;

use super::parse_line;
use crate::text::lines::Lines;
use crate::text::{InvalidLine, TextLine, TextReadError};

/// The games and positions of a stream of JSON lines. After a invalid line it goes on with the next
/// one; after an error of the stream it ends. Blank lines are skipped.
///
/// Memory is bounded by the longest line ([`MAX_LINE`](crate::text::MAX_LINE)).
#[derive(Debug)]
pub struct JsonlReader<R> {
    lines: Lines<R>,
}

impl<R: BufRead> JsonlReader<R> {
    /// A reader.
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
