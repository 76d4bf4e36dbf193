//! The input file, for error messages.

use std::path::{Path, PathBuf};

use crate::db::{Fault, line_error, lines_at};
use crate::{BookError, Format, Result};

/// Which file is read.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

impl Input {
    pub(super) fn new(path: &Path, format: Format) -> Self {
        Self {
            path: path.to_owned(),
            format,
        }
    }

    /// The error for a fault at byte `offset`: told by its line in a text file.
    pub(super) fn error(&self, offset: u64, fault: Fault) -> BookError {
        match self.format {
            Format::Db => line_error(&self.path, offset, fault),
            Format::Ybb | Format::Apery => BookError::byte(&self.path, offset, fault.to_string()),
        }
    }

    /// As [`Self::error`] for several faults, reading a text file once.
    pub(super) fn errors(&self, mut faults: Vec<(u64, Fault)>) -> Result<Vec<BookError>> {
        faults.sort_by_key(|&(offset, _)| offset);
        if self.format != Format::Db {
            let error = |(offset, fault)| self.error(offset, fault);
            return Ok(faults.into_iter().map(error).collect());
        }
        let offsets: Vec<_> = faults.iter().map(|&(offset, _)| offset).collect();
        let lines = lines_at(&self.path, &offsets)?;
        let error = |(line, (_, fault))| BookError::Line {
            path: self.path.clone(),
            line,
            fault,
        };
        Ok(lines.into_iter().zip(faults).map(error).collect())
    }
}
