//! Files beside a book, and checkpoints of runs in rounds.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use yane_io::{AtomicFile, Error};

use crate::Result;

/// The file beside `book` with a dot and `end` appended to its name.
pub(crate) fn beside(book: &Path, end: &str) -> PathBuf {
    let mut path = book.as_os_str().to_owned();
    path.push(".");
    path.push(end);
    path.into()
}

/// The journal of runs for `book`.
pub(crate) fn journal_of(book: &Path) -> PathBuf {
    beside(book, "journal")
}

/// Reads a file; `None` when it is not there.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error).into()),
    }
}

/// Reads the checkpoint `path`; `None` when it is not there.
///
/// # Errors
/// When it cannot be read, or was not written by a run of `command`.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, command: &str) -> Result<Option<T>> {
    let Some(bytes) = bytes(path)? else {
        return Ok(None);
    };
    let wrong = |error| Error::file(path, format!("is no checkpoint of {command}: {error}"));
    Ok(Some(serde_json::from_slice(&bytes).map_err(wrong)?))
}

/// Writes `state` as the checkpoint `path`.
pub(crate) fn write(path: &Path, state: &impl Serialize) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let written = serde_json::to_writer(&mut file, state).map_err(std::io::Error::from);
    written.map_err(Error::write(path, 0))?;
    Ok(file.commit()?)
}

/// Removes `path` if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path)(error).into()),
        _ => Ok(()),
    }
}
