//! Bytes in, lines out.

use std::io::{self, Read};
use std::ops::Range;

/// Longest line that is kept whole: what comes behind it, up to its end, is left out.
pub(super) const LONGEST: usize = 1 << 20;
/// Room for a read.
const ROOM: usize = 1 << 13;

/// Cuts what is read into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no end of a line.
    seen: usize,
    /// Up to where bytes were read.
    end: usize,
    /// Whether the rest of a line that is too long is being left out.
    is_cutting: bool,
}

impl Lines {
    /// Reads once; how many bytes there were.
    pub(super) fn fill(&mut self, source: &mut impl Read) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.seen, self.end) = (0, 0, 0);
        }
        if self.bytes.len() - self.end < ROOM {
            self.bytes.copy_within(self.start..self.end, 0);
            self.seen -= self.start;
            self.end -= self.start;
            self.start = 0;
            let len = self.bytes.len().max(self.end + ROOM);
            self.bytes.resize(len, 0);
        }
        let read = source.read(&mut self.bytes[self.end..])?;
        self.end += read;
        Ok(read)
    }

    /// The next line without its end; none until more is read.
    pub(super) fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.start;
            let Some(at) = memchr::memchr(b'\n', &self.bytes[self.seen..self.end]) else {
                self.seen = self.end;
                return self.cut();
            };
            let end = self.seen + at;
            (self.start, self.seen) = (end + 1, end + 1);
            if !std::mem::take(&mut self.is_cutting) {
                return Some(start..end.min(start + LONGEST));
            }
        }
    }

    /// What is there of a line without end when it is too long already.
    fn cut(&mut self) -> Option<Range<usize>> {
        let start = self.start;
        if self.is_cutting {
            self.start = self.end;
        } else if self.end - start >= LONGEST {
            self.start = self.end;
            self.is_cutting = true;
            return Some(start..start + LONGEST);
        }
        None
    }

    /// What follows the last end of a line, once nothing more will come.
    pub(super) fn rest(&mut self) -> Option<Range<usize>> {
        let rest = self.start..self.end;
        self.start = self.end;
        self.seen = self.end;
        (!rest.is_empty() && !self.is_cutting).then_some(rest)
    }

    /// The bytes of a line.
    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.bytes[line]
    }

    /// Bytes that are in no line yet.
    #[cfg(unix)]
    pub(super) const fn waiting(&self) -> usize {
        self.end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of `parts`, each of which is one read.
    fn lines(parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::default();
        let mut all = Vec::new();
        for part in parts {
            let mut part = *part;
            while !part.is_empty() {
                lines.fill(&mut part).unwrap();
                while let Some(line) = lines.next() {
                    all.push(lines.bytes(line).to_vec());
                }
            }
        }
        all.extend(lines.rest().map(|line| lines.bytes(line).to_vec()));
        all
    }

    #[test]
    fn reads_may_end_anywhere() {
        let text = b"usiok\n\ninfo depth 1\nbestmove 7g7f\nrest";
        let whole = lines(&[text]);
        assert_eq!(whole.len(), 5);
        for at in 0..text.len() {
            let (a, b) = text.split_at(at);
            assert_eq!(lines(&[a, b]), whole, "{at}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(lines(&bytes), whole);
    }

    #[test]
    fn long_lines_are_cut() {
        let mut text = vec![b'x'; 3 * LONGEST];
        text.extend_from_slice(b"\nnext\n");
        let told = lines(&[&text]);
        assert_eq!(told.len(), 2);
        assert!(told[0].len() == LONGEST && told[1] == b"next");
        // One that does not end is told once.
        assert_eq!(lines(&[&text[..2 * LONGEST + 5]]).len(), 1);
    }
}
