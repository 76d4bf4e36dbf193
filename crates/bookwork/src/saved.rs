//! Files beside a book, and the small ones of them that say where its run stands.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use yane_io::{AtomicFile, Error};

use crate::Result;

/// The file beside `book` with this at the end of its name, behind a dot.
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

/// The bytes of a file; `None` when it is not there.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error).into()),
    }
}

/// What `path` says; `None` when it is not there.
///
/// # Errors
/// When it cannot be read, or was not written by a run of `command`.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, command: &str) -> Result<Option<T>> {
    let Some(bytes) = bytes(path)? else {
        return Ok(None);
    };
    let wrong = |error| Error::file(path, format!("is not of a run of {command}: {error}"));
    Ok(Some(serde_json::from_slice(&bytes).map_err(wrong)?))
}

/// Has `path` say `state`.
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
