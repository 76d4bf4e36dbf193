//! What a job tells of its progress.

use std::path::Path;

/// The unit of progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Unit {
    /// Bytes of input.
    Bytes,
    /// Positions.
    #[default]
    Positions,
    /// Records of a data file.
    Records,
    /// Games.
    Games,
}

/// Receives the progress of a job. Called from several threads, at least every few hundred thousand
/// positions.
pub trait Progress: Send + Sync {
    /// A new stage begins: `name` for people, how much there is to do if that is known.
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit);

    /// `amount` more units of the stage are done.
    fn advance(&self, amount: u64);

    /// A remark for people, such as the name of a file that was read.
    fn note(&self, text: &str);

    /// A new stage begins, of which earlier runs did the amount `done`.
    fn resumed_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        self.stage(name, total, unit);
        self.advance(done);
    }

    /// A figure that was measured, such as a loss: the value of `name`, for curves at the value of another one, such as an epoch.
    fn figure(&self, name: &str, at: Option<(&str, f64)>, value: f64) {
        let _ = (name, at, value);
    }

    /// The file `path` was written and is whole: what it has is safe from now on.
    fn saved(&self, path: &Path) {
        let _ = path;
    }
}

/// Progress that nobody is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn note(&self, _: &str) {}
}
