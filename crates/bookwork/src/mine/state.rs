//! Where a run stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Result, saved};

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
    /// How many of these were thought about before an interruption.
    #[serde(default)]
    pub(super) thought_of_list: u64,
    #[serde(skip)]
    path: PathBuf,
}

impl State {
    /// Of the run that mines `book`; at its beginning when there is none.
    pub(super) fn read(book: &Path) -> Result<Self> {
        let path = saved::beside(book, "mine.json");
        let state = saved::read(&path, "mine")?.unwrap_or_default();
        Ok(Self { path, ..state })
    }

    /// The time that was taken.
    pub(super) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }

    /// Positions thought about by now.
    pub(super) const fn thought_in_all(&self) -> u64 {
        self.thought + self.thought_of_list
    }

    /// More time was taken.
    pub(super) fn take(&mut self, time: Duration) {
        self.seconds += time.as_secs_f64();
    }

    pub(super) fn write(&self) -> Result<()> {
        saved::write(&self.path, self)
    }

    /// Where the list of the round is written for those who think about it.
    pub(super) fn list_path(&self) -> PathBuf {
        self.path.with_extension("sfen")
    }

    /// The run is over.
    pub(super) fn remove(&self) -> Result<()> {
        // What says that there is something to go on with is the last to go.
        saved::remove(&self.list_path())?;
        saved::remove(&self.path)
    }
}
