//! Files and folders as they are seen from outside, and how they are moved and copied.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

use page_messages::PageFailure;
use yane_io::{AtomicFile, Error};

/// A time that a change is still so fresh that another one may have the same time.
const FRESH: Duration = Duration::from_millis(200);

/// What tells, without a look inside, that a file or folder is another one: its size, and when it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryStamp {
    size: u64,
    changed: Option<SystemTime>,
}

impl EntryStamp {
    /// The stamp of what the system tells.
    pub fn of(data: &Metadata) -> Self {
        Self {
            size: data.len(),
            changed: data.modified().ok(),
        }
    }

    /// The stamp of a path; `None` if nothing is there.
    pub fn of_path(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|data| Self::of(&data))
    }

    /// The size in bytes.
    pub const fn size(self) -> u64 {
        self.size
    }

    /// When it was changed; `None` where the system does not tell.
    pub const fn changed(self) -> Option<SystemTime> {
        self.changed
    }

    /// Returns whether the change is so young that the next one may not be told from it.
    pub fn is_fresh(self) -> bool {
        let age = self.changed.and_then(|changed| changed.elapsed().ok());
        age.is_none_or(|age| age < FRESH)
    }
}

/// Copies a file of any size, so that it appears whole.
///
/// # Errors
///
/// A file that cannot be read or written.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), PageFailure> {
    let copied = || -> yane_io::Result<()> {
        let mut source = std::fs::File::open(from).map_err(Error::io(from))?;
        let mut file = AtomicFile::create(to)?;
        let failed = file.error();
        std::io::copy(&mut source, &mut file).map_err(failed)?;
        file.commit()
    };
    copied().map_err(|error| PageFailure::of(&error))
}

/// Moves a file to a name that is free.
///
/// # Errors
///
/// A file that cannot be moved.
pub fn move_file(from: &Path, to: &Path) -> Result<(), PageFailure> {
    std::fs::rename(from, to).map_err(|error| PageFailure::of(&Error::io(from)(error)))
}
