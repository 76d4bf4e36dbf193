//! The library on the disk, and what is known about it in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use othello_record::OpeningNames;
use page_messages::PageFailure;
use page_shelf::library::{FolderName, LibraryPlace, LibraryRoot};
use yane_io::{AtomicFile, Error, ReadLimit};

use super::archive::is_archive;
use super::folder::{Folder, Game, TABLE, changed_table};

/// The library on the disk, and what is known about it.
pub(super) struct Store {
    pub(super) root: Arc<LibraryRoot>,
    pub(super) openings: Arc<OpeningNames>,
    state: Mutex<State>,
}

/// What is known of the library.
#[derive(Default)]
pub(super) struct State {
    pub(super) folders: BTreeMap<FolderName, Folder>,
}

impl Store {
    /// The library in a folder, which is made if it is not there.
    pub(super) fn open(root: &Path, openings: OpeningNames) -> yane_io::Result<Self> {
        Ok(Self {
            root: Arc::new(LibraryRoot::open(root)?),
            openings: Arc::new(openings),
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
        self.root.place(name, is_archive)
    }

    /// Looks at a folder whose files are about to change; returns its path.
    ///
    /// # Errors
    ///
    /// Those of [`LibraryRoot::folder`]; a folder that cannot be read.
    pub(super) fn look_at(&self, name: &FolderName) -> Result<PathBuf, PageFailure> {
        let path = self.root.folder(name, is_archive)?;
        let mut state = self.state();
        state
            .folders
            .entry(name.clone())
            .or_default()
            .refresh(&path)?;
        Ok(path)
    }

    /// Looks at a folder and all below it; what is gone is forgotten.
    pub(super) fn walk(&self, name: &FolderName) -> Result<(), PageFailure> {
        let mut seen = HashSet::new();
        let mut open = vec![name.clone()];
        while let Some(folder) = open.pop() {
            let path = folder.path(self.root.path());
            let mut state = self.state();
            let known = state.folders.entry(folder.clone()).or_default();
            if let Err(failure) = known.refresh(&path) {
                if folder == *name {
                    return Err(failure);
                }
                continue;
            }
            open.extend(known.folders.iter().map(|part| folder.join(part)));
            seen.insert(folder);
        }
        let is_gone = |folder: &FolderName| folder.is_within(name) && !seen.contains(folder);
        self.state().folders.retain(|folder, _| !is_gone(folder));
        Ok(())
    }

    /// Changes what is known of a folder that was [looked at](Self::look_at) as its files were changed, and writes its table.
    pub(super) fn settle(
        &self,
        name: &FolderName,
        change: impl FnOnce(&mut Vec<Game>),
    ) -> Result<(), PageFailure> {
        let path = name.path(self.root.path());
        let mut state = self.state();
        let folder = state.folders.entry(name.clone()).or_default();
        change(&mut folder.games);
        folder.sort();
        write_table(folder, &path)?;
        folder.is_as_now(&path);
        Ok(())
    }
}

/// Writes the table of a folder as its games are; returns whether it was another one.
///
/// # Errors
///
/// When it cannot be written; the old one is whole then.
pub(super) fn write_table(folder: &mut Folder, path: &Path) -> Result<bool, PageFailure> {
    let failed = |error: Error| PageFailure::of(&error);
    let table = path.join(TABLE);
    let old = ReadLimit::List.read_if_there(&table).map_err(failed)?;
    let known = folder.games.iter().filter(|game| game.is_known);
    let rows: HashMap<&str, _> = known
        .map(|game| (game.row.name(), game.row.table()))
        .collect();
    let unread: HashSet<&str> = folder
        .games
        .iter()
        .filter(|game| !game.is_known)
        .map(|game| game.row.name())
        .collect();
    let kept = |name: &str| unread.contains(name) || folder.damaged.contains_key(name);
    let text = String::from_utf8_lossy(old.as_deref().unwrap_or_default());
    let new = changed_table(&text, &rows, &kept);
    let is_other = new.as_bytes() != old.as_deref().unwrap_or_default();
    if is_other {
        let mut file = AtomicFile::create(&table).map_err(failed)?;
        file.put(new.as_bytes()).map_err(failed)?;
        file.commit().map_err(failed)?;
    }
    folder.is_table_old = !unread.is_empty();
    Ok(is_other)
}
