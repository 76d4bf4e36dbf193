//! The three pipes of a program: standard input, output and error.
//!
//! On Unix the caller that waits reads the pipes itself ([`poll`]); elsewhere a thread reads each pipe ([`threads`]).
//! All keep every time limit, cut lines that do not end, and drain the standard error while somebody waits.

#[cfg(unix)]
mod poll;
#[cfg(any(not(unix), test))]
mod threads;

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::time::{Duration, Instant};

#[cfg(unix)]
pub use poll::Pipes;
#[cfg(not(unix))]
pub use threads::Pipes;

/// A line of output without blanks at its ends. Bytes that are no UTF-8 are replaced.
fn decode_line(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.trim_ascii();
    // The usual case, and the fastest check.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// The reason for which there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// No line came in time.
    Timeout,
    /// No line will come: the output has ended.
    Closed,
}

/// A time limit that begins with the first wait. When it is over, output that is already there is read once more.
#[derive(Debug)]
pub struct Deadline {
    timeout: Duration,
    end: Option<Instant>,
    is_over: bool,
}

/// Longest time limit: a point in time plus this is still one.
const MAX_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

impl Deadline {
    /// A limit of `timeout` from the first wait on.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(MAX_TIMEOUT),
            end: None,
            is_over: false,
        }
    }

    /// The time that is left: zero once when it is over, then none, so that even a program that writes without end is
    /// not read for longer.
    fn left(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let end = *self.end.get_or_insert_with(|| now + self.timeout);
        let left = end.saturating_duration_since(now);
        if left.is_zero() && std::mem::replace(&mut self.is_over, true) {
            return None;
        }
        Some(left)
    }
}

/// Number of bytes that are kept of the standard error.
const TAIL_BYTES: usize = 4096;

/// The last 4 KiB of what a program wrote to its standard error.
#[derive(Debug, Default)]
pub(super) struct StderrTail(Vec<u8>);

impl StderrTail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(TAIL_BYTES);
        self.0.drain(..surplus);
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

// Splitting bytes into lines.

/// Longest line in bytes; the rest of a longer one is skipped.
pub const MAX_LINE: usize = 1 << 20;
/// Least space for a read.
const READ_SIZE: usize = 1 << 13;

/// A buffer that splits what is read into lines.
#[derive(Debug, Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// Start of the next line.
    start: usize,
    /// End of the bytes that have been searched for a line feed.
    seen: usize,
    /// End of the bytes that were read.
    end: usize,
    /// True if the rest of a line that is too long is being skipped.
    is_skipping: bool,
}

impl LineBuffer {
    /// Reads once; returns the number of bytes.
    fn fill(&mut self, source: &mut impl Read) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.seen, self.end) = (0, 0, 0);
        }
        if self.bytes.len() - self.end < READ_SIZE {
            self.bytes.copy_within(self.start..self.end, 0);
            self.seen -= self.start;
            self.end -= self.start;
            self.start = 0;
            let len = self.bytes.len().max(self.end + READ_SIZE);
            self.bytes.resize(len, 0);
        }
        let read = source.read(&mut self.bytes[self.end..])?;
        self.end += read;
        Ok(read)
    }

    /// The next line without its line feed; `None` until more is read.
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.start;
            let Some(at) = memchr::memchr(b'\n', &self.bytes[self.seen..self.end]) else {
                self.seen = self.end;
                return self.cut_long_line();
            };
            let end = self.seen + at;
            (self.start, self.seen) = (end + 1, end + 1);
            if !std::mem::take(&mut self.is_skipping) {
                return Some(start..end.min(start + MAX_LINE));
            }
        }
    }

    /// The beginning of an unfinished line that is too long already.
    fn cut_long_line(&mut self) -> Option<Range<usize>> {
        let start = self.start;
        if self.is_skipping {
            self.start = self.end;
        } else if self.end - start >= MAX_LINE {
            self.start = self.end;
            self.is_skipping = true;
            return Some(start..start + MAX_LINE);
        }
        None
    }

    /// The bytes after the last line feed, once the stream has ended.
    fn rest(&mut self) -> Option<Range<usize>> {
        let rest = self.start..self.end;
        self.start = self.end;
        self.seen = self.end;
        (!rest.is_empty() && !self.is_skipping).then_some(rest)
    }

    /// The bytes of a line.
    fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.bytes[line]
    }

    /// The number of bytes that are in no line yet.
    #[cfg(unix)]
    const fn buffered(&self) -> usize {
        self.end - self.start
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::{Deadline, LineBuffer, MAX_LINE, NoLine};

    const LONG: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(100);

    fn shell(script: &str) -> std::process::Child {
        Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell")
    }

    /// The same tests for each kind.
    macro_rules! kind {
        ($name:ident) => {
            mod $name {
                use super::*;
                use crate::child::pipes::$name::Pipes;

                fn line(pipes: &mut Pipes, timeout: Duration) -> Result<String, NoLine> {
                    let line = pipes.line(&mut Deadline::new(timeout));
                    line.map(std::borrow::Cow::into_owned)
                }

                #[test]
                fn lines_come_one_by_one_and_then_the_end() {
                    let mut child =
                        shell("read -r word; echo \"got $word\"; echo; echo b; printf rest");
                    let mut pipes = Pipes::new(&mut child).unwrap();
                    assert_eq!(line(&mut pipes, SHORT), Err(NoLine::Timeout));
                    pipes.write(b"it\n").unwrap();
                    for expected in ["got it", "", "b", "rest"] {
                        assert_eq!(line(&mut pipes, LONG).as_deref(), Ok(expected));
                    }
                    assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                    assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                    child.wait().unwrap();
                }

                #[test]
                fn long_lines_and_bytes_that_are_no_text() {
                    let mut child =
                        shell("head -c 3000000 /dev/zero; echo; printf '\\377\\n'; echo end");
                    let mut pipes = Pipes::new(&mut child).unwrap();
                    assert_eq!(line(&mut pipes, LONG).unwrap().len(), MAX_LINE);
                    assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("\u{fffd}"));
                    assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("end"));
                    child.wait().unwrap();
                }

                #[test]
                fn endless_output_ends_at_the_deadline() {
                    let mut child = shell("while :; do echo info; done");
                    let mut pipes = Pipes::new(&mut child).unwrap();
                    let begin = Instant::now();
                    let mut deadline = Deadline::new(SHORT);
                    while pipes.line(&mut deadline).is_ok() {}
                    assert!(begin.elapsed() >= SHORT && begin.elapsed() < LONG);
                    child.kill().unwrap();
                    child.wait().unwrap();
                }

                #[test]
                fn a_full_standard_error_does_not_block() {
                    let script = "head -c 300000 /dev/zero >&2; echo line; echo last >&2";
                    let mut child = shell(script);
                    let mut pipes = Pipes::new(&mut child).unwrap();
                    assert_eq!(line(&mut pipes, LONG).as_deref(), Ok("line"));
                    assert_eq!(line(&mut pipes, LONG), Err(NoLine::Closed));
                    assert!(pipes.stderr().ends_with("last\n"));
                    child.wait().unwrap();
                }

                #[test]
                fn a_program_may_write_before_it_ends() {
                    let mut child = shell("read -r word; head -c 300000 /dev/zero; echo");
                    let mut pipes = Pipes::new(&mut child).unwrap();
                    pipes.write(b"quit\n").unwrap();
                    pipes.close_input();
                    assert!(pipes.write(b"quit\n").is_err());
                    let end = Instant::now() + LONG;
                    while child.try_wait().unwrap().is_none() {
                        assert!(Instant::now() < end);
                        pipes.discard(Duration::from_millis(2));
                    }
                }
            }
        };
    }

    kind!(threads);
    #[cfg(unix)]
    kind!(poll);

    #[cfg(unix)]
    #[test]
    fn a_command_waits_until_there_is_room() {
        // It writes more than a pipe holds before it reads, and then slowly.
        let script = "head -c 200000 /dev/zero; echo; sleep 0.2; n=$(wc -c); echo $n";
        let mut child = shell(script);
        let mut pipes = super::Pipes::new(&mut child).unwrap();
        pipes.write(&vec![b'x'; 1_000_000]).unwrap();
        pipes.close_input();
        let mut deadline = Deadline::new(LONG);
        assert_eq!(pipes.line(&mut deadline).unwrap().len(), 200_000);
        assert_eq!(pipes.line(&mut deadline).unwrap().trim(), "1000000");
        child.wait().unwrap();
    }

    #[test]
    fn the_tail_is_kept() {
        let mut tail = super::StderrTail::default();
        for number in 0..2000 {
            tail.push(format!("{number} ").as_bytes());
        }
        assert!(tail.text().len() == super::TAIL_BYTES && tail.text().ends_with("1998 1999 "));
    }

    /// The lines of `parts`, each of which is one read.
    fn lines(parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = LineBuffer::default();
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
        let mut text = vec![b'x'; 3 * MAX_LINE];
        text.extend_from_slice(b"\nnext\n");
        let cut = lines(&[&text]);
        assert_eq!(cut.len(), 2);
        assert!(cut[0].len() == MAX_LINE && cut[1] == b"next");
        // One that does not end comes once.
        assert_eq!(lines(&[&text[..2 * MAX_LINE + 5]]).len(), 1);
    }
}
