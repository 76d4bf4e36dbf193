//! One output for many records.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use yane_io::{AtomicFile, Claim, Error};

use crate::{Settings, is_standard};

/// An output: a file that appears when it is whole, or the standard output.
#[derive(Debug)]
pub struct RecordSink {
    /// The file; `None`: the standard output.
    file: Option<AtomicFile>,
    _claim: Claim,
    records: u64,
}

impl RecordSink {
    /// Creates the file, or takes the standard output for `-`.
    ///
    /// # Errors
    /// When the file exists or is an input, or cannot be created.
    pub fn create(path: &Path, inputs: &[PathBuf], settings: &Settings) -> anyhow::Result<Self> {
        if is_standard(path) {
            return Ok(Self {
                file: None,
                _claim: Claim::default(),
                records: 0,
            });
        }
        let files: Vec<&PathBuf> = inputs.iter().filter(|input| !is_standard(input)).collect();
        Ok(Self {
            _claim: settings.overwrite().claim(path, &files)?,
            file: Some(AtomicFile::create(path)?),
            records: 0,
        })
    }

    /// Creates the file, which replaces one that is there, or takes the standard output for `-`: for a run that has claimed its outputs.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn replacing(path: &Path) -> anyhow::Result<Self> {
        let file = if is_standard(path) {
            None
        } else {
            Some(AtomicFile::create(path)?)
        };
        Ok(Self {
            file,
            _claim: Claim::default(),
            records: 0,
        })
    }

    /// Appends a record, behind a separator between two records.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, record: &[u8], separator: &[u8]) -> anyhow::Result<()> {
        let parts = [if self.records > 0 { separator } else { &[] }, record];
        self.records += 1;
        for bytes in parts {
            match &mut self.file {
                Some(file) => file.put(bytes)?,
                None => std::io::stdout()
                    .lock()
                    .write_all(bytes)
                    .map_err(Error::io("standard output"))?,
            }
        }
        Ok(())
    }

    /// The number of records.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Returns whether the output is the standard output.
    pub const fn is_standard(&self) -> bool {
        self.file.is_none()
    }

    /// Makes the file appear.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn commit(self) -> anyhow::Result<()> {
        match self.file {
            Some(file) => file.commit()?,
            None => std::io::stdout()
                .lock()
                .flush()
                .map_err(Error::io("standard output"))?,
        }
        Ok(())
    }
}
