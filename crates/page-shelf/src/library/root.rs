//! The folder of a library: what names name in it, who writes, and who is told.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use page_messages::{AllPages, PageFailure};
use serde_json::{Value, json};
use yane_io::{Error, RunLock};

use super::names::{FolderName, TRASH, check_new};

/// How long a change waits for another program that writes.
const PATIENCE: Duration = Duration::from_secs(3);

/// The folder of a library.
pub struct LibraryRoot {
    path: PathBuf,
    pages: OnceLock<Arc<dyn AllPages>>,
    /// Held by the thread that changes files.
    writer: Mutex<()>,
    /// Files that the index has read, and all of them, while it reads.
    progress: Mutex<Option<[usize; 2]>>,
    /// True while a thread reads games for the index.
    pub(super) is_indexing: AtomicBool,
    /// True once nobody needs the library.
    pub(super) is_closing: AtomicBool,
}

/// What a name of a folder names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryPlace {
    /// A folder.
    Folder(PathBuf),
    /// A file of several games in a folder.
    Archive {
        /// The folder.
        folder: FolderName,
        /// The name of the file there.
        file: String,
        /// The path of the file.
        path: PathBuf,
    },
}

impl LibraryRoot {
    /// The library in a folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn open(path: &Path) -> yane_io::Result<Self> {
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
        Ok(Self {
            path: std::fs::canonicalize(path).map_err(Error::io(path))?,
            pages: OnceLock::new(),
            writer: Mutex::default(),
            progress: Mutex::default(),
            is_indexing: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
        })
    }

    /// The folder, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the pages that are told of changes.
    pub fn start(&self, pages: &Arc<dyn AllPages>) {
        // The first pages are those that count: a service is started once.
        let _is_first = self.pages.set(Arc::clone(pages)).is_ok();
    }

    /// Lets what goes on in the background end.
    pub fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
    }

    /// Files that the index has read, and all of them, while it reads.
    pub fn progress(&self) -> Option<[usize; 2]> {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_progress(&self, progress: Option<[usize; 2]>) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// What a name of a folder names; `is_archive` says which names files of several games may have.
    ///
    /// # Errors
    ///
    /// A name of nothing that is there, or of something outside of the library.
    pub fn place(
        &self,
        name: &FolderName,
        is_archive: impl Fn(&str) -> bool,
    ) -> Result<LibraryPlace, PageFailure> {
        let path = name.path(&self.path);
        let missing = || PageFailure::new(format!("'{}': there is no such folder", name.as_str()));
        let real = std::fs::canonicalize(&path).map_err(|_| missing())?;
        if real != path {
            return Err(missing());
        }
        if real.is_dir() {
            return Ok(LibraryPlace::Folder(real));
        }
        match name.split() {
            Some((folder, file)) if is_archive(file) && real.is_file() => {
                Ok(LibraryPlace::Archive {
                    folder,
                    file: file.to_owned(),
                    path: real,
                })
            }
            _ => Err(missing()),
        }
    }

    /// The path of a folder that can be changed.
    ///
    /// # Errors
    ///
    /// Those of [`place`](Self::place); a file of several games, which is only read.
    pub fn folder(
        &self,
        name: &FolderName,
        is_archive: impl Fn(&str) -> bool,
    ) -> Result<PathBuf, PageFailure> {
        match self.place(name, is_archive)? {
            LibraryPlace::Folder(path) => Ok(path),
            LibraryPlace::Archive { file, .. } => Err(PageFailure::new(format!(
                "'{file}' is a file of several games, which is only read: copy games from it"
            ))),
        }
    }

    /// Waits for the right to change files, which one thread of one program has at a time.
    ///
    /// # Errors
    ///
    /// Another program that does not finish; a folder that cannot be written to.
    pub fn lock(&self) -> Result<WriteLock<'_>, PageFailure> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let since = Instant::now();
        loop {
            match RunLock::folder(&self.path) {
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

    /// Answers `library.folder`: makes a folder, and tells all pages.
    ///
    /// # Errors
    ///
    /// A name that not every system takes; a folder that cannot be made.
    pub(crate) fn new_folder(&self, name: &str) -> Result<Value, PageFailure> {
        let name = FolderName::parse(name)?;
        let Some((parent, part)) = name.split() else {
            return Err(PageFailure::new("a folder needs a name"));
        };
        check_new(part)?;
        let _lock = self.lock()?;
        let path = self.folder(&parent, |_| false)?.join(part);
        std::fs::create_dir(&path).map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
        self.tell_changed(&[&parent]);
        Ok(json!({ "folder": name.as_str() }))
    }

    /// The folder of the trash for games of a folder; it is made if it is not there.
    ///
    /// # Errors
    ///
    /// A folder that is in the trash, or that cannot be made.
    pub fn trash_of(&self, from: &FolderName) -> Result<FolderName, PageFailure> {
        if from.is_in_trash() {
            return Err(PageFailure::new("these games are in the trash"));
        }
        let mut to = FolderName::parse(TRASH)?;
        for part in from.as_str().split('/').filter(|part| !part.is_empty()) {
            to = to.join(part);
        }
        let path = to.path(&self.path);
        std::fs::create_dir_all(&path)
            .map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
        Ok(to)
    }

    /// Tells all pages that folders have changed.
    pub fn tell_changed(&self, folders: &[&FolderName]) {
        let folders: Vec<&str> = folders.iter().map(|folder| folder.as_str()).collect();
        self.broadcast("library_changed", json!({ "folders": folders }));
    }

    pub(super) fn broadcast(&self, name: &str, fields: Value) {
        if let Some(pages) = self.pages.get() {
            pages.broadcast(name, fields);
        }
    }
}

/// The right to change files.
pub struct WriteLock<'a> {
    // Free for other programs before other threads.
    _lock: RunLock,
    _writer: MutexGuard<'a, ()>,
}
