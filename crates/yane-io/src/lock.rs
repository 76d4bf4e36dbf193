//! Locks: one writer for every output, log, state and folder of checkpoints.
//!
//! The system keeps them ([`File::try_lock`]) and frees them when a process ends, however it ends: a file that
//! a killed run left behind locks nothing, and there is no lock that anybody would have to break.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::folder::folder_of;
use crate::{Error, Result, names};

/// The end of the name of a file that is there only to be locked.
const SUFFIX: &str = ".lock";
/// The file of a folder that is there only to be locked.
const IN_FOLDER: &str = ".lock";

/// The right to write something, which one process has at a time. It ends when this is dropped, or with the process.
#[derive(Debug)]
#[must_use = "the lock is free again when this is dropped"]
pub struct RunLock {
    /// None where the file system has no locks.
    file: Option<File>,
    path: PathBuf,
}

impl RunLock {
    /// Locks the file `path`, which need not be there: the lock is a file beside it, a dot before its name and
    /// `.lock` behind it, that is removed at the end. A symbolic link is followed.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has the lock; when its folder cannot be written to.
    pub fn file(path: &Path) -> Result<Self> {
        names::check(path)?;
        Self::at(beside(path), path)
    }

    /// Removes what a process that was killed may have left beside `path`; locks of the living stay.
    pub(crate) fn sweep(path: &Path) {
        if beside(path).exists() {
            drop(Self::file(path));
        }
    }

    /// Locks the folder `path`, which is made if it is not there: the lock is the file `.lock` in it.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has the lock; when the folder cannot be made or written to.
    pub fn folder(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).map_err(Error::write(path, 0))?;
        Self::at(path.join(IN_FOLDER), path)
    }

    /// Locks `path`; errors name `what`.
    fn at(path: PathBuf, what: &Path) -> Result<Self> {
        let file = match open_locked(&path, what) {
            // Nothing but the lock is lost.
            Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::Unsupported => None,
            opened => Some(opened?),
        };
        Ok(Self { file, path })
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody can have it at this moment. Where it cannot be seen that an open
        // file has lost its name, the file stays.
        if cfg!(unix) && self.file.is_some() {
            let _stays_without_harm = fs::remove_file(&self.path);
        }
    }
}

/// The file that is locked for the file `path`.
fn beside(path: &Path) -> PathBuf {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = names::hidden(target.file_name().unwrap_or_default(), SUFFIX.len());
    name.push(SUFFIX);
    folder_of(&target).join(name)
}

/// Opens the file `path` for reading and writing, or makes it, and locks it; errors name `what`.
///
/// # Errors
/// [`Error::InUse`] when another process has locked it, [`Error::Write`] when it cannot be opened, and [`Error::Io`] of the
/// kind [`ErrorKind::Unsupported`] where the file system has no locks.
pub(crate) fn open_locked(path: &Path, what: &Path) -> Result<File> {
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Error::write(what, 0))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::InUse {
                    path: what.to_owned(),
                    pid: holder(&file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(Error::io(what)(source)),
        }
        // Between opening and locking its owner may have removed or replaced it.
        if has_name(&file, path).map_err(Error::io(what))? {
            return Ok(file);
        }
    }
}

/// Returns whether `path` still is the name of the open file.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Lock files are not removed here.
#[cfg(not(unix))]
fn has_name(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// The process that has locked a file, where the system tells.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;

    let inode = file.metadata().ok()?.ino();
    holder_in(&fs::read_to_string("/proc/locks").ok()?, inode)
}

/// The process that has locked the file `inode`, in the text of `/proc/locks`:
/// `1: FLOCK  ADVISORY  WRITE 4711 08:01:131077 0 EOF`.
#[cfg(target_os = "linux")]
fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    let holders = locks.lines().filter_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", pid, place, ..] = words[..] else {
            return None;
        };
        let found = place.rsplit(':').next()?.parse() == Ok(inode);
        found.then(|| pid.parse().ok()).flatten()
    });
    let mut holders: Vec<u32> = holders.filter(|&pid| pid > 0).collect();
    // Two disks may have files of one number.
    holders.dedup();
    match holders[..] {
        [pid] => Some(pid),
        _ => None,
    }
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
fn holder(_: &File) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let lock = RunLock::file(&path).unwrap();
        let error = RunLock::file(&path).unwrap_err();
        assert!(matches!(error, Error::InUse { .. }), "{error:?}");
        let told = error.to_string();
        let expected = format!("{}: is in use by another process", path.display());
        assert!(told.starts_with(&expected), "{told}");
        // Other files of the folder are free.
        drop(RunLock::file(&folder.path().join("other")).unwrap());
        drop(lock);
        drop(RunLock::file(&path).unwrap());
        #[cfg(unix)]
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn folders_are_made_and_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let lock = RunLock::folder(&path).unwrap();
        let error = RunLock::folder(&path).unwrap_err();
        assert!(error.to_string().contains("is in use"), "{error}");
        drop(lock);
        drop(RunLock::folder(&path).unwrap());
    }

    #[test]
    fn what_a_dead_process_left_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(folder.path().join(".log.lock"), "").unwrap();
        drop(RunLock::file(&path).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_was_removed_meanwhile_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let file = File::create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!has_name(&file, &path).unwrap());
        File::create(&path).unwrap();
        assert!(!has_name(&file, &path).unwrap());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_who_has_a_lock() {
        let text = "1: FLOCK  ADVISORY  WRITE 4711 08:01:77 0 EOF\n2: POSIX  ADVISORY  WRITE 12 08:01:78 0 EOF\n\
            2: -> FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF\n";
        assert_eq!(holder_in(text, 77), Some(4711));
        assert_eq!(holder_in(text, 78), None);
    }
}
