//! Lines on standard error.

use std::fmt::Display;
use std::io::Write as _;

/// Writes a line to standard error. That nobody reads it any more, because the program that started this one was killed, ends
/// nothing: this one has to come to a safe point.
pub(crate) fn tell(text: impl Display) {
    writeln!(std::io::stderr().lock(), "{text}").ok();
}
