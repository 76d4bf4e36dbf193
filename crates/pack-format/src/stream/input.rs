//! Inputs: files or the standard input.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use yane_io::BulkFile;

use crate::Result;

/// A file or the standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// The standard input.
    Stdin,
}

impl Input {
    /// The input that a command line names: `-` is the standard input.
    pub fn named(name: impl AsRef<Path>) -> Self {
        let path = name.as_ref();
        if path.as_os_str() == "-" {
            Self::Stdin
        } else {
            Self::File(path.to_owned())
        }
    }

    /// Returns the name of the input for errors.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Stdin => Path::new("standard input"),
        }
    }

    /// Opens it; the size in bytes is that of a regular file.
    ///
    /// # Errors
    /// When the file cannot be opened or is a folder.
    pub fn open(&self) -> Result<(Box<dyn Read + Send>, Option<u64>)> {
        self.open_at(0)
    }

    /// As [`Self::open`], beginning with byte `offset`.
    ///
    /// # Errors
    /// When the file cannot be opened or is a folder.
    pub(crate) fn open_at(&self, offset: u64) -> Result<(Box<dyn Read + Send>, Option<u64>)> {
        match self {
            Self::Stdin => {
                let mut stdin = io::stdin();
                io::copy(&mut stdin.by_ref().take(offset), &mut io::sink())
                    .map_err(yane_io::Error::io(self.path()))?;
                Ok((Box::new(stdin), None))
            }
            Self::File(path) => {
                let mut file = File::open(path).map_err(yane_io::Error::io(path))?;
                let data = file.metadata().map_err(yane_io::Error::io(path))?;
                if data.is_dir() {
                    Err(yane_io::Error::file(path, "is a folder, expected a file"))?;
                }
                if offset > 0 {
                    file.seek(SeekFrom::Start(offset))
                        .map_err(yane_io::Error::io(path))?;
                }
                Ok((Box::new(file), data.is_file().then_some(data.len())))
            }
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path().display().fmt(f)
    }
}

// Outputs: files or the standard output.

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

    /// Commits the output: the file gets its final name.
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

fn failed(reason: io::Error) -> yane_io::Error {
    yane_io::Error::Io {
        path: PathBuf::from("standard output"),
        reason,
    }
}
