//! The library on the disk, and what is known about it in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use othello_record::OpeningNames;
use page_messages::{AllPages, PageFailure};
use serde_json::json;
use yane_io::{AtomicFile, Error, ReadLimit, RunLock};

use super::archive::is_archive;
use super::folder::{Folder, Game, TABLE, changed_table};
use super::names::FolderName;

/// How long a change waits for another program that writes.
const PATIENCE: Duration = Duration::from_secs(3);

/// The library on the disk, and what is known about it.
pub(super) struct Store {
    /// Its folder, without symbolic links.
    pub(super) root: PathBuf,
    pub(super) openings: Arc<OpeningNames>,
    pub(super) pages: OnceLock<Arc<dyn AllPages>>,
    state: Mutex<State>,
    /// Held by the thread that changes files.
    writer: Mutex<()>,
    /// True while a thread reads games for the index.
    pub(super) is_indexing: AtomicBool,
    /// True once nobody needs the library.
    pub(super) is_closing: AtomicBool,
}

/// What is known of the library.
#[derive(Default)]
pub(super) struct State {
    pub(super) folders: BTreeMap<FolderName, Folder>,
    /// Games that the index has read, and all of them, while it reads.
    pub(super) progress: Option<[usize; 2]>,
}

/// What a name of a folder names.
pub(super) enum Place {
    /// A folder.
    Folder(PathBuf),
    /// A file of several games in a folder.
    Archive {
        folder: FolderName,
        file: String,
        path: PathBuf,
    },
}

impl Store {
    /// The library in a folder, which is made if it is not there.
    pub(super) fn open(root: &Path, openings: OpeningNames) -> yane_io::Result<Self> {
        std::fs::create_dir_all(root).map_err(Error::io(root))?;
        Ok(Self {
            root: std::fs::canonicalize(root).map_err(Error::io(root))?,
            openings: Arc::new(openings),
            pages: OnceLock::new(),
            state: Mutex::default(),
            writer: Mutex::default(),
            is_indexing: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
        })
    }

    /// What is known; held for a moment only.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // What a thread left that failed is looked at again.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a name of a folder names.
    ///
    /// # Errors
    ///
    /// A name of nothing that is there, or of something outside of the library.
    pub(super) fn place(&self, name: &FolderName) -> Result<Place, PageFailure> {
        let path = name.path(&self.root);
        let missing = || PageFailure::new(format!("'{}': there is no such folder", name.as_str()));
        let real = std::fs::canonicalize(&path).map_err(|_| missing())?;
        if real != path {
            return Err(missing());
        }
        if real.is_dir() {
            return Ok(Place::Folder(real));
        }
        match name.split() {
            Some((folder, file)) if is_archive(file) => Ok(Place::Archive {
                folder,
                file: file.to_owned(),
                path: real,
            }),
            _ => Err(missing()),
        }
    }

    /// The path of a folder that can be changed.
    ///
    /// # Errors
    ///
    /// Those of [`place`](Self::place); a file of several games, which is only read.
    pub(super) fn folder(&self, name: &FolderName) -> Result<PathBuf, PageFailure> {
        match self.place(name)? {
            Place::Folder(path) => Ok(path),
            Place::Archive { file, .. } => Err(PageFailure::new(format!(
                "'{file}' is a file of several games, which is only read: copy games from it"
            ))),
        }
    }

    /// Looks at a folder whose files are about to change; returns its path.
    ///
    /// # Errors
    ///
    /// Those of [`folder`](Self::folder); a folder that cannot be read.
    pub(super) fn look_at(&self, name: &FolderName) -> Result<PathBuf, PageFailure> {
        let path = self.folder(name)?;
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
            let path = folder.path(&self.root);
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

    /// Waits for the right to change files, which one thread of one program has at a time.
    ///
    /// # Errors
    ///
    /// Another program that does not finish; a folder that cannot be written to.
    pub(super) fn lock(&self) -> Result<WriteLock<'_>, PageFailure> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let since = Instant::now();
        loop {
            match RunLock::folder(&self.root) {
                Ok(lock) => {
                    return Ok(WriteLock {
                        _lock: lock,
                        _writer: writer,
                    });
                }
                Err(Error::InUse { .. }) if since.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(PageFailure::of(&error)),
            }
        }
    }

    /// Changes what is known of a folder that was [looked at](Self::look_at) as its files were changed, and writes its table.
    pub(super) fn settle(
        &self,
        name: &FolderName,
        change: impl FnOnce(&mut Vec<Game>),
    ) -> Result<(), PageFailure> {
        let path = name.path(&self.root);
        let mut state = self.state();
        let folder = state.folders.entry(name.clone()).or_default();
        change(&mut folder.games);
        folder.sort();
        write_table(folder, &path)?;
        folder.is_as_now(&path);
        Ok(())
    }

    /// Tells all pages that folders have changed.
    pub(super) fn tell_changed(&self, folders: &[&FolderName]) {
        if let Some(pages) = self.pages.get() {
            let folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
            pages.broadcast("library_changed", json!({ "folders": folders }));
        }
    }
}

/// The right to change files.
pub(super) struct WriteLock<'a> {
    // Free for other programs before other threads.
    _lock: RunLock,
    _writer: MutexGuard<'a, ()>,
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
