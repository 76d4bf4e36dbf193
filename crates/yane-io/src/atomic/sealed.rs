//! Files that appear together.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::temporary::{SEALED, Target, sync_folder};
use crate::{Error, Result};

/// A complete file that does not have its name yet, for several files that shall appear together:
/// once all are sealed, little can go wrong. It is closed, so there may be many.
///
/// No other process removes it as long as this one lives. Dropped without [`Self::commit_all`] it leaves nothing
/// behind.
#[derive(Debug)]
pub struct SealedFile {
    file: TempPath,
    target: Target,
}

impl SealedFile {
    /// A temporary file with all its bytes.
    pub(crate) fn new(file: NamedTempFile, target: Target, written: u64) -> Result<Self> {
        target.complete(&file, written)?;
        // The lock ends when the file is closed; from then on the name tells who needs it.
        let sealed = target.unused_name()?;
        let (open, mut path) = file.into_parts();
        fs::rename(&path, &sealed).map_err(Error::write(target.path(), written))?;
        path.disable_cleanup(true);
        drop(open);
        Ok(Self {
            file: TempPath::try_from_path(sealed).map_err(Error::write(target.path(), written))?,
            target,
        })
    }

    /// Gives the files their names, in their order: all of them, or none as far as the system lets.
    ///
    /// # Errors
    /// When a rename is refused, and [`Error::Appeared`] when another program made one of those that were not there;
    /// all old versions are where they were then.
    pub fn commit_all(files: Vec<Self>) -> Result<()> {
        let mut folders = Vec::new();
        let mut published = Vec::new();
        for file in files {
            let folder = file.target.folder();
            match file.publish() {
                Ok(done) => published.push(done),
                Err(error) => {
                    published.into_iter().rev().for_each(Published::take_back);
                    return Err(error);
                }
            }
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
            .iter()
            .try_for_each(|folder| sync_folder(folder).map_err(Error::write(folder, 0)))
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        self.target.path()
    }

    /// Gives the file its name, and keeps the old version until all have theirs.
    fn publish(self) -> Result<Published> {
        let Self { file, target } = self;
        let failed = |source| Error::write(target.path(), 0)(source);
        if target.is_new() {
            file.persist_noclobber(target.path())
                .map_err(|error| target.refused(error.error))?;
            return Ok(Published { target, old: None });
        }
        let old = target.unused_name()?;
        // Without links the old version cannot be kept.
        let old = fs::hard_link(target.path(), &old)
            .ok()
            .and_then(|()| TempPath::try_from_path(old).ok());
        file.persist(target.path())
            .map_err(|error| failed(error.error))?;
        Ok(Published { target, old })
    }
}

/// A file that has its name.
struct Published {
    target: Target,
    /// The version before; it vanishes with this.
    old: Option<TempPath>,
}

impl Published {
    /// Puts the version before in its place again.
    fn take_back(self) {
        let _as_far_as_possible = match self.old {
            Some(old) => old.persist(self.target.path()).is_ok(),
            None => self.target.is_new() && fs::remove_file(self.target.path()).is_ok(),
        };
    }
}

impl Target {
    /// A name that no file has, for one that only this process knows.
    fn unused_name(&self) -> Result<PathBuf> {
        let mut prefix = self.prefix();
        prefix.push(format!("{}-", std::process::id()));
        // Made and removed: the letters are not drawn again.
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(SEALED)
            .tempfile_in(self.folder())
            .map_err(Error::write(self.path(), 0))?;
        Ok(file.path().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicFile;

    fn sealed(path: &Path, text: &str) -> SealedFile {
        let mut file = crate::BulkFile::create(path).unwrap();
        file.put(text.as_bytes()).unwrap();
        file.seal().unwrap()
    }

    #[test]
    fn all_appear_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, last] = ["old", "new", "last"].map(|name| folder.path().join(name));
        fs::write(&old, "before").unwrap();
        let files = [&old, &new, &last].map(|path| sealed(path, "after"));
        fs::write(&last, "of another").unwrap();
        let error = SealedFile::commit_all(files.into()).unwrap_err();
        assert!(matches!(error, Error::Appeared(_)), "{error:?}");
        let read = |path| fs::read_to_string(path).ok();
        assert_eq!(read(&old).as_deref(), Some("before"));
        assert_eq!(read(&new), None);
        assert_eq!(read(&last).as_deref(), Some("of another"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);

        let files = [&old, &new].map(|path| sealed(path, "after"));
        SealedFile::commit_all(files.into()).unwrap();
        assert_eq!(read(&old).as_deref(), Some("after"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 3);
    }

    #[test]
    fn sealed_files_of_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let file = sealed(&path, "whole");
        // Another run begins to write the same.
        drop(AtomicFile::create(&path).unwrap());
        SealedFile::commit_all(vec![file]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
    }
}
