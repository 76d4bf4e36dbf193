//! Small files beside a book that say where its run stands.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use yane_io::{AtomicFile, Error};

use crate::Result;

/// The file of runs of `command` for `book`.
pub(crate) fn beside(book: &Path, command: &str) -> PathBuf {
    let mut path = book.as_os_str().to_owned();
    path.push(format!(".{command}.json"));
    path.into()
}

/// What `path` says; `None` when it is not there.
///
/// # Errors
/// When it cannot be read, or was not written by a run of `command`.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, command: &str) -> Result<Option<T>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).map_err(|error| {
            Error::file(path, format!("is not of a run of {command}: {error}"))
        })?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error).into()),
    }
}

/// Has `path` say `state`.
pub(crate) fn write(path: &Path, state: &impl Serialize) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let written = serde_json::to_writer(&mut file, state).map_err(std::io::Error::from);
    written.map_err(Error::io(path))?;
    Ok(file.commit()?)
}

/// Removes `path` if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path)(error).into()),
        _ => Ok(()),
    }
}
