//! The folders below which pages see files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use page_messages::{FailurePlace, PageFailure, PageFile, PageFiles};

use super::names;
use crate::ServeError;

/// Folders below which pages see files, each with a name of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRoots {
    /// Folders without symbolic links in their paths.
    roots: Vec<(String, PathBuf)>,
}

impl FileRoots {
    /// Adds a folder, under its own name, or that name and a number if another root has it. A folder that is a root already is
    /// not added again.
    ///
    /// # Errors
    ///
    /// What is no folder that can be read.
    pub fn add(&mut self, folder: &Path) -> Result<(), ServeError> {
        let failed = |reason| ServeError::Root {
            path: folder.display().to_string(),
            reason,
        };
        let path = fs::canonicalize(folder).map_err(failed)?;
        if !path.is_dir() {
            return Err(failed(io::Error::from(ErrorKind::NotADirectory)));
        }
        if self.roots.iter().any(|(_, root)| *root == path) {
            return Ok(());
        }
        let own = path.file_name().and_then(|name| name.to_str());
        let own = own.unwrap_or("files").to_owned();
        let numbered = (2..).map(|n| format!("{own} {n}"));
        let mut names = std::iter::once(own.clone()).chain(numbered);
        let is_free = |name: &String| self.roots.iter().all(|(other, _)| other != name);
        let name = names.find(is_free).unwrap_or(own);
        self.roots.push((name, path));
        Ok(())
    }

    /// The names of the roots, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(|(name, _)| name.as_str())
    }

    fn root(&self, name: &str) -> Result<&Path, PageFailure> {
        let root = self.roots.iter().find(|(root, _)| root == name);
        root.map(|(_, path)| path.as_path())
            .ok_or_else(|| PageFailure::new("there is no such root"))
    }
}

/// The failure of a path that the page named.
pub(super) fn failed(file: &PageFile, reason: &io::Error) -> PageFailure {
    let place = FailurePlace {
        path: Some(file.path.clone()),
        ..FailurePlace::default()
    };
    let shown = if file.path.is_empty() {
        &file.root
    } else {
        &file.path
    };
    PageFailure::new(format!("{shown}: {reason}")).at(place)
}

/// What is outside is not told from what is not there.
fn absent(file: &PageFile) -> PageFailure {
    failed(file, &io::Error::from(ErrorKind::NotFound))
}

impl PageFiles for FileRoots {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        let root = self.root(&file.root)?;
        let path = root.join(names::relative(&file.path)?);
        let path = fs::canonicalize(path).map_err(|_| absent(file))?;
        if path.starts_with(root) {
            Ok(path)
        } else {
            Err(absent(file))
        }
    }

    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        names::relative(&file.path)?;
        let (folder, name) = match file.path.rsplit_once('/') {
            Some((folder, name)) => (folder, name),
            None => ("", file.path.as_str()),
        };
        if name.is_empty() {
            return Err(PageFailure::new("the name of a file was expected"));
        }
        let folder = self.existing(&PageFile {
            root: file.root.clone(),
            path: folder.to_owned(),
        })?;
        let path = folder.join(name);
        // A link is followed by whoever writes: it must not lead out either, not even to what is not there yet.
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => self.existing(file),
            Ok(data) if data.is_file() => Ok(path),
            Ok(_) => Err(PageFailure::new(format!("{}: is no file", file.path))),
            Err(error) if error.kind() == ErrorKind::NotFound && folder.is_dir() => Ok(path),
            Err(error) => Err(failed(file, &error)),
        }
    }

    fn name_of(&self, path: &Path) -> Option<PageFile> {
        let path = fs::canonicalize(path).ok()?;
        let below = |(name, root): &(String, PathBuf)| {
            let parts = path.strip_prefix(root).ok()?.components();
            let parts: Option<Vec<_>> = parts.map(|part| part.as_os_str().to_str()).collect();
            let path = parts?.join("/");
            names::relative(&path).ok()?;
            Some(PageFile {
                root: name.clone(),
                path,
            })
        };
        self.roots.iter().find_map(below)
    }
}
