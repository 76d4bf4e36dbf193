//! Where a run stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use yane_io::{AtomicFile, Error};

use crate::Result;

/// What has to be known to go on with a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// The round, from 1; 0 before the first.
    pub(super) round: u64,
    /// Positions thought about in the rounds before.
    pub(super) thought: u64,
    /// Seconds that were taken.
    seconds: f64,
    /// SFENs of this round; empty between rounds.
    pub(super) list: Vec<String>,
    #[serde(skip)]
    path: PathBuf,
}

impl State {
    /// Of the run that mines `book`; at its beginning when there is none.
    pub(super) fn read(book: &Path) -> Result<Self> {
        let mut path = book.as_os_str().to_owned();
        path.push(".mine.json");
        let path = PathBuf::from(path);
        let state = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| Error::file(&path, format!("is not of a run of mine: {error}")))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(Error::io(&path)(error).into()),
        };
        Ok(Self { path, ..state })
    }

    /// The time that was taken.
    pub(super) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }

    /// More time was taken.
    pub(super) fn take(&mut self, time: Duration) {
        self.seconds += time.as_secs_f64();
    }

    pub(super) fn write(&self) -> Result<()> {
        let mut file = AtomicFile::create(&self.path)?;
        let written = serde_json::to_writer(&mut file, self).map_err(std::io::Error::from);
        written.map_err(Error::io(&self.path))?;
        Ok(file.commit()?)
    }

    /// Where the list of the round is written for those who think about it.
    pub(super) fn list_path(&self) -> PathBuf {
        self.path.with_extension("sfen")
    }

    /// The run is over.
    pub(super) fn remove(&self) -> Result<()> {
        // What says that there is something to go on with is the last to go.
        for path in [&self.list_path(), &self.path] {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(path)(error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }
}
