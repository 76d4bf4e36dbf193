//! What commands that search positions have in common: their engines, the display of a run, and its summary.

mod engines;
mod progress;

use bookwork::BookworkError;
pub(crate) use engines::{engine_pool, engines};
pub(crate) use progress::{FATE, RunProgress, Style, end, lines, work_lines};

/// The error inside, which the end of the program knows.
pub(crate) fn plain(error: BookworkError) -> anyhow::Error {
    match error {
        BookworkError::Book(error) => error.into(),
        error => error.into(),
    }
}
