//! Files beside a book, and checkpoints of runs in rounds.

use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use yane_io::{Error, Job, OpenedSnapshot, RunIdentity, Snapshot};

use crate::Result;

/// Reads a file; `None` when it is not there.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error).into()),
    }
}

/// Opens the state `path` of the run `identity`.
///
/// # Errors
/// When it cannot be read, or is that of another run.
pub(crate) fn open(path: &Path, identity: &RunIdentity) -> yane_io::Result<OpenedSnapshot> {
    // Those of earlier versions had this name, and are no snapshots.
    let old = path.with_extension("json");
    if old.exists() {
        let reason = "is the checkpoint of an earlier version, which cannot be resumed; remove it to begin anew";
        return Err(Error::file(old, reason));
    }
    Snapshot::open(path, identity)
}

/// What a state says; `None` when there is none. Damage is told.
///
/// # Errors
/// When it is nothing of the kind.
pub(crate) fn parse<T: DeserializeOwned>(opened: OpenedSnapshot, job: &Job) -> Result<Option<T>> {
    let Some(state) = opened.tell(|note| job.progress.note(note)) else {
        return Ok(None);
    };
    let wrong = |error| state.error(0, format!("{error}; expected the state of a run"));
    Ok(Some(serde_json::from_slice(&state).map_err(wrong)?))
}

/// Writes `state` as that of the run `identity`.
pub(crate) fn write(path: &Path, identity: &RunIdentity, state: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(state).map_err(std::io::Error::from);
    let bytes = bytes.map_err(Error::write(path, 0))?;
    Ok(Snapshot::write(path, identity, &bytes)?)
}

/// Removes `path` if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path)(error).into()),
        _ => Ok(()),
    }
}
