//! By what the state of a file is known: a cheap look, for files of gigabytes too.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use yane_io::{Checksum, Error, Hasher, InputFile, Result, RunIdentity};

/// Bytes at each end that are compared.
const END: u64 = 64 << 10;

/// The state of a file: its length, when it was changed, and both of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    bytes: u64,
    /// Nanoseconds since 1970; 0 where the system does not tell.
    modified: u128,
    ends: Checksum,
}

impl FileStamp {
    /// The length in bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When it was changed: nanoseconds since 1970; 0 where the system does not tell.
    pub const fn modified(&self) -> u128 {
        self.modified
    }

    /// The state of a file now.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn of(path: &Path) -> Result<Self> {
        let mut file = InputFile::open(path)?;
        let state = *file.state();
        let mut hasher = Hasher::default();
        let mut end = Vec::new();
        for at in [0, state.len.saturating_sub(END)] {
            end.clear();
            file.seek(SeekFrom::Start(at)).map_err(Error::io(path))?;
            let mut part = file.by_ref().take(END);
            part.read_to_end(&mut end).map_err(Error::io(path))?;
            hasher.update(&end);
        }
        let since = state.modified;
        let since = since.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            bytes: state.len,
            modified: since.map_or(0, |since| since.as_nanos()),
            ends: hasher.finish(),
        })
    }

    /// The identity of edits of this state; `kind` says what edits they are.
    pub fn identity(&self, kind: &str) -> RunIdentity {
        RunIdentity::new(kind)
            .with("bytes", self.bytes)
            .with("modified", self.modified)
            .with("ends", self.ends)
    }
}
