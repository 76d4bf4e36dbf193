//! The three streams of an engine: commands in, lines and remarks out.
//!
//! Where the system has `poll`, nothing stands between the engine and who waits for it ([`poll`]); elsewhere a
//! thread reads each stream ([`threads`]). Both keep every time limit, cut lines that do not end, and never let
//! the engine block on its standard error while somebody waits.

mod lines;
mod patience;
mod tail;

#[cfg(unix)]
mod poll;
#[cfg(any(not(unix), test))]
mod threads;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::time::Instant;

#[cfg(unix)]
pub(super) use poll::Pipes;
#[cfg(not(unix))]
pub(super) use threads::Pipes;

pub(super) use patience::Patience;

/// A line of output and when it was read.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Without blanks at its ends. Bytes that are no UTF-8 are replaced.
    pub(super) text: Cow<'a, str>,
    pub(super) at: Instant,
}

impl<'a> Line<'a> {
    fn new(bytes: &'a [u8], at: Instant) -> Self {
        Self {
            text: String::from_utf8_lossy(bytes.trim_ascii()),
            at,
        }
    }

    pub(super) fn into_owned(self) -> Line<'static> {
        Line {
            text: Cow::Owned(self.text.into_owned()),
            at: self.at,
        }
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
