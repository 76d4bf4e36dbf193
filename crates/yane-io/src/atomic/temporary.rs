//! Temporary files on the way to a target: how they are named, made, published and cleared away.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::folder::folder_of;
use crate::{Error, Result, names};

/// The end of the name of a file that is being written; it is locked as long as it is.
const WRITTEN: &str = ".tmp";
/// The end of the name of a complete file that waits for others; its name has the number of its process.
pub(super) const SEALED: &str = ".sealed";
/// Bytes behind the name of the target at most: a dot, a number of 32 bits, a dash, six random letters, and the end.
const ROOM: usize = 1 + 10 + 1 + 6 + SEALED.len();

/// The place of an output.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    path: PathBuf,
    /// There was no such file when writing began.
    is_new: bool,
}

impl Target {
    /// Creates the temporary file for a new version of `target`, and says where `target` leads.
    pub(crate) fn begin(target: &Path) -> Result<(NamedTempFile, Self)> {
        names::check(target)?;
        let path = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if path.is_dir() {
            return Err(Error::file(&path, "is a folder, expected a file name"));
        }
        // A rename would put a file in the place of a device or pipe.
        if fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
            let text = "is a device or a pipe, expected a file name";
            return Err(Error::file(&path, text));
        }
        let is_new =
            fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let target = Self { path, is_new };
        let (folder, prefix) = (target.folder(), target.prefix());
        remove_orphans(&folder, &prefix);
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(WRITTEN)
            .make_in(&folder, |path| {
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .create_new(true)
                    .open(path)
            })
            .map_err(Error::write(&target.path, 0))?;
        // Without locks (some network file systems) orphans stay; nothing else is lost.
        let _ = file.as_file().try_lock();
        Ok((file, target))
    }

    /// The path that the file will have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether there was no such file when writing began.
    pub(super) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The folder of the file.
    pub(super) fn folder(&self) -> PathBuf {
        folder_of(&self.path)
    }

    /// How the names of its temporary files begin.
    pub(super) fn prefix(&self) -> OsString {
        let mut prefix = names::hidden(self.path.file_name().unwrap_or_default(), ROOM);
        prefix.push(".");
        prefix
    }

    /// Makes a temporary file with all its bytes the new version, and gives it back open.
    pub(crate) fn publish(&self, file: NamedTempFile, written: u64) -> Result<File> {
        let failed = |source| Error::write(&self.path, written)(source);
        self.complete(&file, written)?;
        let file = if self.is_new {
            file.persist_noclobber(&self.path)
                .map_err(|error| self.refused(error.error))?
        } else {
            file.persist(&self.path)
                .map_err(|error| failed(error.error))?
        };
        sync_folder(&self.folder()).map_err(failed)?;
        Ok(file)
    }

    /// Flushes a temporary file with all its bytes to the disk.
    pub(super) fn complete(&self, file: &NamedTempFile, written: u64) -> Result<()> {
        let failed = |source| Error::write(&self.path, written)(source);
        if let Ok(old) = fs::metadata(&self.path) {
            file.as_file()
                .set_permissions(old.permissions())
                .map_err(failed)?;
        }
        file.as_file().sync_all().map_err(failed)
    }

    /// The reason why the file did not get its name.
    pub(super) fn refused(&self, error: io::Error) -> Error {
        if self.is_new && error.kind() == ErrorKind::AlreadyExists {
            return Error::Appeared(self.path.clone());
        }
        Error::write(&self.path, 0)(error)
    }
}

/// Removes temporary files whose writer is dead. Those of other targets, and of the living, stay.
fn remove_orphans(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let prefix = prefix.as_encoded_bytes();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(prefix);
        let is_orphan = rest
            .and_then(|rest| std::str::from_utf8(rest).ok())
            .is_some_and(|rest| is_orphan(rest, &entry.path()));
        if is_orphan {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether the file whose name ends on `rest` has no writer any more.
fn is_orphan(rest: &str, path: &Path) -> bool {
    // A dot would be part of the name of another target.
    if let Some(letters) = rest.strip_suffix(WRITTEN) {
        return !letters.contains('.')
            && OpenOptions::new()
                .write(true)
                .open(path)
                .is_ok_and(|file| file.try_lock().is_ok());
    }
    let process = rest.strip_suffix(SEALED).and_then(|middle| {
        let (process, letters) = middle.split_once('-')?;
        (!letters.contains('.')).then(|| process.parse().ok())?
    });
    process.is_some_and(is_dead)
}

/// Returns whether there surely is no such process on this machine.
#[cfg(unix)]
fn is_dead(process: u32) -> bool {
    let process = i32::try_from(process).ok();
    process
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|process| {
            rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
        })
}

/// Other systems do not tell without more ado.
#[cfg(not(unix))]
const fn is_dead(_: u32) -> bool {
    false
}

/// Makes a rename durable. Only Unix can and needs to.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            path
        };
        // No system has that many processes.
        let dead = [
            ".out.Abc123.tmp".to_owned(),
            format!(".out.{}-Abc123.sealed", i32::MAX),
        ];
        let living = [
            ".out.1.Abc123.tmp".to_owned(),
            ".out.tmp".to_owned(),
            ".out.1-Abc123.sealed".to_owned(),
            format!(".out.{}-Abc123.sealed", std::process::id()),
            format!(".out.1.{}-Abc123.sealed", i32::MAX),
            ".out.lock".to_owned(),
        ];
        let [dead, living] = [&dead[..], &living].map(|names| {
            let files: Vec<_> = names.iter().map(|name| file(name)).collect();
            files
        });
        let (_file, target) = Target::begin(&folder.path().join("out")).unwrap();
        assert!(target.is_new());
        if cfg!(unix) {
            assert!(dead.iter().all(|path| !path.exists()));
        }
        assert!(living.iter().all(|path| path.exists()));
    }
}
