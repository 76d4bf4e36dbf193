//! What commands that search positions have in common: their engines, the display of a run, and its summary.

mod engines;
mod screen;
mod summary;

pub(crate) use engines::{engine_pool, engines};
pub(crate) use screen::{Screen, Style};
pub(crate) use summary::{FATE, end, lines, work_lines};

use bookwork::BookworkError;

/// The error inside, which the end of the program knows.
pub(crate) fn plain(error: BookworkError) -> anyhow::Error {
    match error {
        BookworkError::Book(error) => error.into(),
        error => error.into(),
    }
}
