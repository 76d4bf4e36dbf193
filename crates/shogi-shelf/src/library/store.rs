//! The library on the disk, and what is known about it in memory.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use page_messages::PageFailure;
use page_shelf::library::{FolderName, LibraryPlace, LibraryRoot};

use super::folder::{Folder, Seen};
use super::reading::is_record;

/// The time after which all files are looked at again: editors may change one without a trace in its folder.
const STALE: Duration = Duration::from_secs(10);

/// Looks at a folder that changes meanwhile.
const TRIES: usize = 5;

/// The library on the disk, and what is known about it.
pub(super) struct Store {
    pub(super) root: Arc<LibraryRoot>,
    state: Mutex<State>,
}

/// What is known of the library.
#[derive(Default)]
pub(super) struct State {
    pub(super) folders: BTreeMap<FolderName, Folder>,
    /// When all files were last looked at.
    looked: Option<Instant>,
}

/// How exactly a folder is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Not, if the time of the folder is the same: no file was added or removed.
    Quick,
    /// As [`Self::Quick`] where it has many files, else all.
    Small,
    /// At the time and size of every file.
    Full,
}

impl Store {
    /// The library in a folder, which is made if it is not there.
    pub(super) fn open(root: &Path) -> yane_io::Result<Self> {
        Ok(Self {
            root: Arc::new(LibraryRoot::open(root)?),
            state: Mutex::default(),
        })
    }

    /// What is known; held for a moment only.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // What a thread left that failed is looked at again.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a name of a folder names.
    pub(super) fn place(&self, name: &FolderName) -> Result<LibraryPlace, PageFailure> {
        self.root.place(name, is_record)
    }

    /// Looks at a folder; returns whether something was another there.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read.
    pub(super) fn look(
        &self,
        name: &FolderName,
        path: &Path,
        how: Look,
    ) -> Result<bool, PageFailure> {
        for _ in 0..TRIES {
            let before = {
                let state = self.state();
                let known = state.folders.get(name);
                let is_enough = |folder: &Folder| match how {
                    Look::Quick => folder.is_as(path),
                    Look::Small => !folder.is_small() && folder.is_as(path),
                    Look::Full => false,
                };
                if known.is_some_and(is_enough) {
                    return Ok(false);
                }
                known.map_or(0, Folder::version)
            };
            // Not while others wait for what is known.
            let seen = Seen::of(path)?;
            let mut state = self.state();
            let folder = state.folders.entry(name.clone()).or_default();
            if folder.version() == before {
                return Ok(folder.take(seen));
            }
        }
        Ok(true)
    }

    /// Looks at a folder that is about to be changed; returns its path.
    ///
    /// # Errors
    ///
    /// A name of nothing that is there; a file of several games, which is only read.
    pub(super) fn look_at(&self, name: &FolderName) -> Result<PathBuf, PageFailure> {
        let path = self.root.folder(name, is_record)?;
        self.look(name, &path, Look::Quick)?;
        Ok(path)
    }

    /// Looks at a folder and all below it; what is gone is forgotten. Returns whether something was another there.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read; those below it that cannot are left out.
    pub(super) fn walk(&self, name: &FolderName, how: Look) -> Result<bool, PageFailure> {
        let mut seen = HashSet::new();
        let mut open = vec![name.clone()];
        let mut is_other = false;
        while let Some(folder) = open.pop() {
            match self.look(&folder, &folder.path(self.root.path()), how) {
                Ok(one) => is_other |= one,
                Err(failure) if folder == *name => return Err(failure),
                Err(_) => continue,
            }
            let state = self.state();
            let inside = state.folders.get(&folder).map(|known| &known.folders);
            open.extend(inside.into_iter().flatten().map(|part| folder.join(part)));
            seen.insert(folder);
        }
        let is_gone = |folder: &FolderName| folder.is_within(name) && !seen.contains(folder);
        let mut state = self.state();
        let before = state.folders.len();
        state.folders.retain(|folder, _| !is_gone(folder));
        Ok(is_other || state.folders.len() != before)
    }

    /// Changes what is known of a folder as its files were changed.
    pub(super) fn settle<T>(&self, name: &FolderName, change: impl FnOnce(&mut Folder) -> T) -> T {
        let path = name.path(self.root.path());
        let mut state = self.state();
        let folder = state.folders.entry(name.clone()).or_default();
        let done = change(folder);
        folder.is_as_now(&path);
        done
    }

    /// Returns whether files were seen that have not been read.
    pub(super) fn has_unread(&self) -> bool {
        self.state().folders.values().any(Folder::has_unread)
    }

    /// Returns whether it is time to look at all files again.
    pub(super) fn is_stale(&self) -> bool {
        let looked = self.state().looked;
        looked.is_none_or(|looked| looked.elapsed() >= STALE)
    }

    /// Remembers that all files were looked at.
    pub(super) fn has_looked(&self) {
        self.state().looked = Some(Instant::now());
    }
}
