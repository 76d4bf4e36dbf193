//! The index beside a file of games.

use std::borrow::Cow;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yane_io::AtomicFile;

use super::{Plan, beside, numbered};
use crate::Result;

/// The games of a file, so that each of them can be played again.
#[derive(Serialize, Deserialize)]
pub(super) struct Index<'a> {
    /// `gensfen --game N` with the same settings plays game `first_game + N × shards` again.
    pub(super) seed: u64,
    pub(super) shard: String,
    pub(super) first_game: u64,
    pub(super) step: u64,
    pub(super) games: u64,
    /// Numbers of games that are not in the file: given up, or duplicates.
    pub(super) left_out: Vec<u64>,
    pub(super) run: Cow<'a, str>,
}

impl Index<'_> {
    /// Writes the index of the file `path`.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let path = path_of(path);
        let mut file = AtomicFile::create(&path)?;
        let written = serde_json::to_writer_pretty(&mut file, self).map_err(std::io::Error::from);
        written
            .and_then(|()| file.write_all(b"\n"))
            .map_err(yane_io::Error::io(&path))?;
        Ok(file.commit()?)
    }

    /// Reads the index of the file `path`; `None` when it has none.
    fn read(path: &Path) -> Result<Option<Self>> {
        let path = path_of(path);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(serde_json::from_str(&text).ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(yane_io::Error::io(&path)(error).into()),
        }
    }
}

fn path_of(file: &Path) -> PathBuf {
    beside(file, ".json")
}

/// The number of the last file of a run, if its files have all of its games.
pub(super) fn last_file(plan: &Plan) -> Result<Option<u64>> {
    let Some(total) = plan.total else {
        return Ok(None);
    };
    let mut next = 0;
    for file in 1.. {
        let path = numbered(&plan.path, file);
        let Some(index) = Index::read(&path)? else {
            return Ok(None);
        };
        let is_next = index.run == plan.description && index.first_game == plan.shard.unit(next);
        if !is_next || !path.exists() {
            return Ok(None);
        }
        next += index.games + index.left_out.len() as u64;
        if next >= total {
            return Ok((next == total).then_some(file));
        }
    }
    Ok(None)
}
