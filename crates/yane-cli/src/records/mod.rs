//! Commands that read and write files of game records, whatever the game.
//!
//! A game is a plug-in: a [`RecordSource`] says how its records are read, a [`ArchiveWriter`] how they are written. What is the same
//! for every game is here: files, folders and the standard input in their order, work on several threads, records that cannot be
//! read, outputs that appear when they are whole, and what is told of it all.

mod reading;
mod sink;
mod writing;

use std::path::{Path, PathBuf};

use serde_json::Value;
use yane_io::archive::{ArchiveFormats, LossCounts, WrittenFormat};

pub use reading::{OnBadRecord, RecordTally, for_each_record};
pub use sink::RecordSink;
pub use writing::{RecordRun, RecordsWritten, Results};

use crate::{Settings, UsageError};

/// Where a program has its records from.
pub trait RecordSource: Clone + Send + Sync + 'static {
    /// A record that was read, with its place.
    type Record;
    /// The reason why a record cannot be read, with its place.
    type Error: std::error::Error + Send + Sync + 'static;
    /// How records are read.
    type Formats: ArchiveFormats<Record = Self::Record, Error = Self::Error>
        + Clone
        + Send
        + Sync
        + 'static;

    /// The name of the program, which stands before what it tells of records.
    const PROGRAM: &'static str;

    /// What to read the files at `paths` with.
    ///
    /// # Errors
    /// When something that is read beside them cannot be read.
    fn formats(&self, paths: &[PathBuf]) -> anyhow::Result<Self::Formats>;

    /// The reason why a record cannot be read, as an object with its place.
    fn problem(error: &Self::Error) -> Value;

    /// What a record that can be read contradicts itself in, with its place. It is told, and the record used.
    fn doubt(record: &Self::Record) -> Option<String> {
        let _ = record;
        None
    }

    /// What is said of so many more records with a [`doubt`](Self::doubt) than are told one by one.
    fn more_doubts(more: u64) -> String {
        format!("{more} more")
    }
}

/// A program that writes records, too.
pub trait ArchiveWriter: RecordSource {
    /// A format that records are written in.
    type Format: WrittenFormat;
    /// A record as it is written.
    type Written: Send + 'static;
    /// What the formats have no place for.
    type Losses: LossCounts;

    /// Writes a record in memory, on one of the threads that read.
    fn write(&self, record: Self::Record, format: Self::Format) -> Self::Written;

    /// Opens the file at `path`, or the standard output for `-`, for records in a format.
    ///
    /// # Errors
    /// When it exists or is one of `inputs`, or cannot be created; when the format cannot be written there.
    fn output(
        &self,
        path: &Path,
        inputs: &[PathBuf],
        format: Self::Format,
        settings: &Settings,
    ) -> anyhow::Result<Box<dyn RecordOutput<Self>>>;
}

/// An output of a [`ArchiveWriter`]. Nothing of it appears before it is finished.
pub trait RecordOutput<W: ArchiveWriter> {
    /// Takes a record of the file at `path`, and adds what it loses to `losses`.
    ///
    /// # Errors
    /// When it cannot be written, or the output holds no more records.
    fn put(
        &mut self,
        path: &Path,
        record: W::Written,
        losses: &mut W::Losses,
    ) -> anyhow::Result<Put<W::Error>>;

    /// Makes what was written appear; the number of files.
    ///
    /// # Errors
    /// When it cannot be written.
    fn finish(self: Box<Self>, losses: &mut W::Losses) -> anyhow::Result<u64>;
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put<E> {
    /// It is in the output.
    Written,
    /// The output has it already.
    Repeated,
    /// The format cannot hold it: it counts like a record that cannot be read.
    Refused(E),
}

/// The format of the output at `path`: the one that is named, or that of its extension.
///
/// # Errors
/// When neither says it.
pub fn format_of_output<F: WrittenFormat>(named: Option<F>, path: &Path) -> Result<F, UsageError> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    named
        .or_else(|| F::of_extension(extension?))
        .ok_or_else(|| {
            let name = path.display();
            UsageError(format!("the name {name} tells no format: add --to FORMAT"))
        })
}

/// The format that is named where there is no output by whose name it could be told.
///
/// # Errors
/// When none is named.
pub fn named_format<F>(named: Option<F>) -> Result<F, UsageError> {
    named.ok_or_else(|| UsageError("no format is named: add --to FORMAT, or -o OUT".to_owned()))
}
