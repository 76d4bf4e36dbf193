//! What commands that think have in common: their engines, and what is seen of a run.

mod engines;
mod growing;
mod screen;

pub(crate) use engines::{engines, players};
pub(crate) use screen::{FATE, Screen, Style, end, lines, work_lines};

use bookwork::BookworkError;

/// The error inside, which the end of the program knows.
pub(crate) fn plain(error: BookworkError) -> anyhow::Error {
    match error {
        BookworkError::Book(error) => error.into(),
        error => error.into(),
    }
}
