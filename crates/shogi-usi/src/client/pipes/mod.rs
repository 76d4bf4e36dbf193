//! The three streams of an engine: commands in, lines and remarks out.
//!
//! Where the system has `poll`, nothing stands between the engine and who waits for it ([`poll`]), and where a read
//! can be ended from outside not even that ([`output`]); elsewhere a thread reads each stream ([`threads`]). All keep
//! every time limit, cut lines that do not end, and never let the engine block on its standard error while somebody
//! waits.

mod lines;
mod patience;
mod tail;

#[cfg(unix)]
mod output;
#[cfg(unix)]
mod poll;
#[cfg(any(not(unix), test))]
mod threads;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

#[cfg(unix)]
pub(super) use poll::Pipes;
#[cfg(not(unix))]
pub(super) use threads::Pipes;

pub(super) use patience::Patience;

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
