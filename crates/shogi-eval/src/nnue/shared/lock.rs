//! One process at a time makes files.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use yane_io::{Error, Result};

/// The file that is locked.
pub(super) const FILE: &str = "lock";

/// A process that has the lock for longer is not waited for: it may have been stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to make files in a folder.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "closing it gives the lock back")] File);

impl Lock {
    /// Waits for the lock of `folder`, which is made if it is not there. Where files cannot be locked
    /// (some network file systems) everybody has it.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or another process does not give the lock back.
    pub(super) fn wait(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = folder.join(FILE);
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io(&path))?;
        let begin = Instant::now();
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if begin.elapsed() > PATIENCE {
                return Err(Error::file(&path, "another process has locked it for long"));
            }
            sleep(PAUSE);
        }
        Ok(Self(file))
    }
}
