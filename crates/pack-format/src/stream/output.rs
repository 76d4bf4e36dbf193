//! Where data goes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use yane_io::BulkFile;

use crate::Result;

/// An output file, which appears whole or not at all, or something that bytes can only be sent to.
#[derive(Debug)]
pub enum StreamOutput {
    /// A file, written past the system's cache.
    File(BulkFile),
    /// A device or a named pipe (`/dev/null`, a FIFO), with its name.
    Device(File, PathBuf),
    /// The standard output. What was written to it cannot be taken back after an error.
    Stdout(io::Stdout),
}

impl StreamOutput {
    /// Opens the output that a command line names: `-` is the standard output.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(name: &Path) -> Result<Self> {
        if name.as_os_str() == "-" {
            Ok(Self::Stdout(io::stdout()))
        } else if fs::metadata(name).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let device = OpenOptions::new().write(true).open(name);
            let device = device.map_err(yane_io::Error::io(name))?;
            Ok(Self::Device(device, name.to_owned()))
        } else {
            Ok(Self::File(BulkFile::create(name)?))
        }
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// When the disk is full, for example.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(file) => file.put(bytes)?,
            Self::Device(device, name) => {
                device.write_all(bytes).map_err(yane_io::Error::io(name))?;
            }
            Self::Stdout(stdout) => stdout.write_all(bytes).map_err(failed)?,
        }
        Ok(())
    }

    /// Makes it final: the file gets its name.
    ///
    /// # Errors
    /// When the disk is full, for example.
    pub fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit()?,
            Self::Device(..) => {}
            Self::Stdout(mut stdout) => stdout.flush().map_err(failed)?,
        }
        Ok(())
    }
}

fn failed(source: io::Error) -> yane_io::Error {
    yane_io::Error::Io {
        path: PathBuf::from("standard output"),
        source,
    }
}
