//! Where data comes from.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

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

    /// Its name in errors.
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
