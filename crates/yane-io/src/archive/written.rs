//! What is known of the formats that records are written in.

use std::fmt::Display;

/// A format that files of records are written in.
pub trait WrittenFormat: Copy + Send + Sync + 'static {
    /// The extension of its files.
    fn extension(self) -> &'static str;

    /// The format of files with an extension; `None` if there is none, or it is not clear which.
    fn of_extension(extension: &str) -> Option<Self>;
}

/// What formats had no place for, counted by kind; shown for people, as `3 variations, 12 comments`.
pub trait LossCounts: Default + Display + Send + 'static {
    /// Adds what another record lost.
    fn absorb(&mut self, other: &Self);

    /// The names of the kinds of which something was lost, in the plural, with the number.
    fn by_name(&self) -> Vec<(&'static str, u64)>;
}
