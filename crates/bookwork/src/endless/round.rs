//! The round that a run is in, so that one that is interrupted goes on with the list that it had. Listing anew from
//! half a round finds other ways to the same positions, and so other move numbers.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use yane_book::extend_tree::{ExtendTreeReport, extension_lines};
use yane_book::memory::ReadOptions;
use yane_book::records::{Root, read_roots};
use yane_io::{AtomicFile, Job};

use super::Endless;
use crate::think::{fingerprint, read_book};
use crate::{Result, saved};

/// What has to be known to go on with a run.
#[derive(Serialize, Deserialize)]
struct State {
    /// How often lines were listed before this time.
    number: u64,
    /// What the lines follow from besides the book.
    wanted: String,
    /// Of the bytes of the list.
    list: String,
}

/// The list of lines of a run, again and again.
pub(super) struct Rounds<'a> {
    options: &'a Endless,
    roots: Vec<Root>,
    wanted: String,
    path: PathBuf,
    /// How often lines were listed, and the book grew by all of them.
    pub(super) done: u64,
}

impl<'a> Rounds<'a> {
    /// Those of the run that an earlier process did not end, or else of a new one; and whether the list of that
    /// run is not done with.
    pub(super) fn begin(options: &'a Endless) -> Result<(Self, bool)> {
        let roots = read_roots(&options.roots)?;
        if roots.is_empty() {
            let reason =
                "no game or position is in the file (expected lines such as startpos moves 7g7f)";
            return Err(yane_io::Error::file(&options.roots, reason).into());
        }
        let wanted = format!("{:?} from {:016x}", options.extend, fingerprint_of(&roots));
        let path = saved::beside(&options.think.book, "endless.json");
        let state: Option<State> = saved::read(&path, "endless_extend_tree")?;
        let state = state.filter(|state| state.wanted == wanted);
        let rounds = Self {
            options,
            roots,
            wanted,
            path,
            done: state.as_ref().map_or(0, |state| state.number),
        };
        // A list that somebody wrote since is not the one of this round.
        let is_listed = match state {
            Some(state) => hash_of(&options.list)? == Some(state.list),
            None => false,
        };
        Ok((rounds, is_listed))
    }

    /// Lists the lines by which the book can grow.
    pub(super) fn list(&self, job: &Job) -> Result<ExtendTreeReport> {
        let Endless {
            think,
            list,
            extend,
            ..
        } = self.options;
        let read = ReadOptions {
            ignore_ply: extend.ignore_book_ply,
        };
        let book = read_book(&think.book, read, job)?;
        let mut file = AtomicFile::create(list)?;
        let mut hash = Xxh3::new();
        let report = extension_lines(&book, &self.roots, extend, job, |line| {
            for bytes in [line.as_bytes(), extend.line_end.bytes()] {
                hash.update(bytes);
                file.put(bytes)?;
            }
            Ok(())
        })?;
        // First, so that there is no list of which nobody knows to which round it belongs.
        let state = State {
            number: self.done,
            wanted: self.wanted.clone(),
            list: text(hash.digest()),
        };
        saved::write(&self.path, &state)?;
        file.commit()?;
        Ok(report)
    }

    /// The run is over.
    pub(super) fn end(&self) -> Result<()> {
        saved::remove(&self.path)
    }
}

/// What follows from where lines begin.
pub(super) fn fingerprint_of(roots: &[Root]) -> u64 {
    fingerprint(roots.iter().map(|root| root.game().position()))
}

fn hash_of(path: &Path) -> Result<Option<String>> {
    Ok(saved::bytes(path)?.map(|bytes| text(xxh3_64(&bytes))))
}

fn text(hash: u64) -> String {
    format!("{hash:016x}")
}
