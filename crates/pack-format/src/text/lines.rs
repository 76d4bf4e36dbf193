//! Lines of a stream, none of them without bounds.

use std::io::{BufRead, Read};

use super::{InvalidLine, TextProblem, TextReadError};

/// Bytes of a line at most. The longest game of hcpe3 takes less.
pub const MAX_LINE: usize = 1 << 30;

/// Reads lines that are not blank. Line ends may be `\n` or `\r\n`; a byte order mark at the beginning
/// is skipped.
#[derive(Debug)]
pub(super) struct Lines<R> {
    stream: R,
    buffer: Vec<u8>,
    number: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            number: 0,
            ended: false,
        }
    }

    /// Number of the last line, from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line. After an error of the stream or a line that is too long there is none.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, TextReadError> {
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
