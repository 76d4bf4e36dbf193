//! The three streams of an engine: commands in, lines and remarks out.
//!
//! Where the system has `poll`, nothing stands between the engine and who waits for it ([`poll`]), and where a read
//! can be ended from outside not even that ([`output`]); elsewhere a thread reads each stream ([`threads`]). All keep
//! every time limit, cut lines that do not end, and never let the engine block on its standard error while somebody
//! waits.

mod lines;

#[cfg(unix)]
mod output;
#[cfg(unix)]
mod poll;
#[cfg(any(not(unix), test))]
mod threads;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::time::{Duration, Instant};

#[cfg(unix)]
pub(super) use poll::Pipes;
#[cfg(not(unix))]
pub(super) use threads::Pipes;

/// A line of output without blanks at its ends. Bytes that are no UTF-8 are replaced.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.trim_ascii();
    // What is text already is most quickly found out so.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// None came in time.
    Timeout,
    /// None will come.
    Closed,
}

/// A time limit, which begins with the first wait. When it is over there is one more look at what is already there.
#[derive(Debug)]
pub(super) struct Deadline {
    timeout: Duration,
    end: Option<Instant>,
    has_looked: bool,
}

/// Longer than anybody waits; a sum with it is still a point in time.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

impl Deadline {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(FOR_EVER),
            end: None,
            has_looked: false,
        }
    }

    /// What is left; nothing after the last look, so that not even an engine which writes without end is
    /// listened to for longer.
    fn left(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let end = *self.end.get_or_insert_with(|| now + self.timeout);
        let left = end.saturating_duration_since(now);
        if left.is_zero() && std::mem::replace(&mut self.has_looked, true) {
            return None;
        }
        Some(left)
    }
}

/// Number of bytes that are kept of the standard error.
const TAIL_BYTES: usize = 4096;

/// The last 4 KiB of what an engine wrote to its standard error.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(TAIL_BYTES);
        self.0.drain(..surplus);
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}
