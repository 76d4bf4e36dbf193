//! Books of any size to be worked on.

use std::path::Path;

use yane_io::{Error, Job, Result};

use super::convert::{Report, sort};
use super::outcome;
use super::read::{Input, Reading};
use crate::store::{Rows, RowsWriter};

/// A book to be worked on.
#[derive(Debug)]
pub struct Opened {
    /// The positions.
    pub rows: Rows,
    /// Damaged records that were left out.
    pub damaged: u64,
    /// Records of boards that an earlier record has.
    pub repeated: u64,
    /// Positions that the side-car tells as they were.
    pub restored: u64,
}

/// Reads a book as [`load`](super::load) does, of whatever size: what does not fit into the memory of the job goes to
/// temporary files in `folder`, which take up to twice the room of the book.
///
/// # Errors
///
/// As [`load`](super::load), and of the temporary files.
pub fn rows(input: &Input, reading: Reading, folder: &Path, job: &Job) -> Result<Opened> {
    let mut report = Report::default();
    let inputs = std::slice::from_ref(input);
    // Half for sorting, half for rows.
    let half = Job {
        memory: job.memory / 2,
        ..job.clone()
    };
    let sorted = sort(inputs, folder, reading, &half, &mut report)?;
    let mut writer = RowsWriter::new(folder, half.memory);
    let tally = outcome::each(sorted, &mut |outcome| {
        writer.put(outcome.board, &outcome.known)
    })?;
    let rows = writer.finish(input.header(), job)?;
    Ok(Opened {
        rows: rows.map_err(|reason| Error::file(input.map.path(), reason))?,
        damaged: report.damaged,
        repeated: tally.repeated,
        restored: tally.restored,
    })
}
