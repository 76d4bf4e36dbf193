//! Lines of pipes, sockets, terminals and files, none of which may take more memory than it should.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use thiserror::Error;

/// The longest line where nothing else is said, in bytes: a game of 200,000 moves.
pub const LONGEST_LINE: usize = 1 << 20;

/// The reason why there is no next line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineError {
    /// The source cannot be read.
    #[error("cannot be read")]
    Read(#[from] io::Error),
    /// A line is too long. The next one is the one behind it.
    #[error("line {line}: more than {most} bytes")]
    TooLong {
        /// The number of the line, from 1.
        line: u64,
        /// The most bytes of a line.
        most: usize,
    },
}

impl LineError {
    /// The error as one of the system: a line that is too long is invalid data.
    pub fn into_io(self) -> io::Error {
        match self {
            Self::Read(error) => error,
            long @ Self::TooLong { .. } => io::Error::new(io::ErrorKind::InvalidData, long),
        }
    }
}

/// Reads lines up to a limit of bytes each.
#[derive(Debug)]
pub struct BoundedLines<R> {
    source: R,
    most: usize,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> BoundedLines<R> {
    /// The lines of `source`, of at most [`LONGEST_LINE`] bytes.
    pub const fn new(source: R) -> Self {
        Self::with_limit(source, LONGEST_LINE)
    }

    /// The lines of `source`, of at most `most` bytes, their ends apart.
    pub const fn with_limit(source: R, most: usize) -> Self {
        Self {
            source,
            most,
            number: 0,
            line: Vec::new(),
        }
    }

    /// The number of the last line, from 1.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The next line with its end, if it has one; `None` at the end of the source.
    ///
    /// # Errors
    /// When the source cannot be read, or the line is too long: the rest of it is passed over, and the next call gives
    /// the line behind it.
    #[expect(clippy::should_implement_trait, reason = "the line is borrowed")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, LineError> {
        self.line.clear();
        let most = self.most as u64 + 2;
        let mut source = self.source.by_ref().take(most);
        if source.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_whole = self.line.ends_with(b"\n");
        if content(&self.line).len() > self.most {
            self.line = Vec::new();
            if !is_whole {
                self.source.skip_until(b'\n')?;
            }
            return Err(LineError::TooLong {
                line: self.number,
                most: self.most,
            });
        }
        Ok(Some(&self.line))
    }

    /// The next line as text without its end; bytes that are no UTF-8 are replaced.
    ///
    /// # Errors
    /// See [`Self::next`].
    pub fn next_text(&mut self) -> Result<Option<String>, LineError> {
        let line = self.next()?;
        Ok(line.map(|line| String::from_utf8_lossy(content(line)).into_owned()))
    }
}

/// A line without its end.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// [`escaped`] for a text of several lines.
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    if text
        .chars()
        .all(|letter| letter == '\n' || is_plain(letter))
    {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(escaped).collect();
    Cow::Owned(lines.join("\n"))
}

/// Returns whether a terminal shows a character as one, or as some blanks.
fn is_plain(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter == '\t' || !(letter.is_control() || turns)
}

/// A text of somebody else, for a terminal or a log: control characters and those that turn the direction of text are
/// written as escapes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_plain(letter) {
            escaped.push(letter);
        } else {
            escaped.extend(letter.escape_default());
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_limit() {
        let text = b"one\r\n12345678\r\n123456789\nfour\n\nlonger than that, twice\nlast";
        let mut lines = BoundedLines::with_limit(&text[..], 8);
        let mut found = Vec::new();
        loop {
            match lines.next_text() {
                Ok(Some(line)) => found.push(line),
                Ok(None) => break,
                Err(error) => found.push(error.to_string()),
            }
        }
        let expected = [
            "one",
            "12345678",
            "line 3: more than 8 bytes",
            "four",
            "",
            "line 6: more than 8 bytes",
            "last",
        ];
        assert_eq!(found, expected);
        assert_eq!(lines.number(), 7);
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let endless = io::BufReader::new(io::repeat(b'x').take(100 << 20));
        let mut lines = BoundedLines::new(endless);
        let error = lines.next().unwrap_err();
        assert_eq!(error.to_string(), "line 1: more than 1048576 bytes");
        assert_eq!(error.into_io().kind(), io::ErrorKind::InvalidData);
        assert!(lines.line.capacity() == 0 && lines.next().unwrap().is_none());
    }

    #[test]
    fn foreign_text_is_escaped() {
        assert_eq!(escaped("名前\té"), "名前\té");
        assert_eq!(escaped_lines("two\nlines"), "two\nlines");
        assert_eq!(escaped_lines("a\n\x1bc\n"), "a\n\\u{1b}c\n");
        assert_eq!(
            escaped("a\x1b[2J\r\n\u{202e}b"),
            "a\\u{1b}[2J\\r\\n\\u{202e}b"
        );
    }
}
