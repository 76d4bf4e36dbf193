//! A folder of the library as it was last seen.

use std::collections::HashMap;
use std::path::Path;

use page_messages::PageFailure;
use page_shelf::library::{EntryStamp, LibraryDamage, check_part};
use yane_io::Error;

use super::reading::{Contents, is_record};

/// Files of a folder whose times are looked at with each list; those of larger ones are looked at in the background.
pub(super) const SMALL: usize = 2_000;

/// A file of a folder.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) name: Box<str>,
    pub(super) stamp: EntryStamp,
    pub(super) contents: Contents,
}

impl File {
    /// The date of the game as a number; 0 where there is none.
    fn day(&self) -> u32 {
        match &self.contents {
            Contents::Game(entry) => entry.day,
            _ => 0,
        }
    }
}

/// A folder as it was last seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Folder {
    /// The time of the folder; `None`: it has to be looked at.
    stamp: Option<EntryStamp>,
    pub(super) folders: Vec<String>,
    /// The files, by their names.
    files: Vec<File>,
    /// The numbers of the files in the order of lists; empty: it is not known.
    order: Vec<u32>,
    /// Changes here that were no looks.
    version: u64,
}

/// A folder on the disk.
pub(super) struct Seen {
    stamp: Option<EntryStamp>,
    folders: Vec<String>,
    files: Vec<(String, EntryStamp)>,
}

impl Seen {
    /// Looks at a folder.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read.
    pub(super) fn of(path: &Path) -> Result<Self, PageFailure> {
        let failed = |error| PageFailure::of(&Error::io(path)(error));
        let mut seen = Self {
            // Before its entries: what is added meanwhile is seen the next time.
            stamp: EntryStamp::of_path(path).filter(|stamp| !stamp.is_fresh()),
            folders: Vec::new(),
            files: Vec::new(),
        };
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // Links are not followed: they may lead elsewhere, or round in circles.
            let kind = entry.file_type().map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if check_part(&name).is_err() {
                continue;
            }
            if kind.is_dir() {
                seen.folders.push(name);
            } else if kind.is_file() && is_record(&name) {
                let data = entry.metadata().ok();
                let stamp = data.map(|data| EntryStamp::of(&data));
                seen.files.extend(stamp.map(|stamp| (name, stamp)));
            }
        }
        seen.folders.sort();
        Ok(seen)
    }
}

impl Folder {
    /// Returns whether the folder has the time at which it was looked at.
    pub(super) fn is_as(&self, path: &Path) -> bool {
        self.stamp.is_some() && self.stamp == EntryStamp::of_path(path)
    }

    /// Returns whether it has few files.
    pub(super) const fn is_small(&self) -> bool {
        self.files.len() <= SMALL
    }

    /// Changes here that were no looks.
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// The files, by their names.
    pub(super) fn files(&self) -> &[File] {
        &self.files
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|file| (*file.name).cmp(name))
    }

    /// A file.
    pub(super) fn file(&self, name: &str) -> Option<&File> {
        self.place(name).ok().map(|at| &self.files[at])
    }

    /// Takes over what was seen; returns whether something was new, another, or gone.
    pub(super) fn take(&mut self, seen: Seen) -> bool {
        let mut old: HashMap<Box<str>, File> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|file| (file.name.clone(), file))
            .collect();
        let mut is_other = self.folders != seen.folders;
        self.files.reserve_exact(seen.files.len());
        for (name, stamp) in seen.files {
            let known = old.remove(name.as_str());
            let known = known.filter(|file| file.stamp == stamp);
            is_other |= known.is_none();
            self.files.push(known.unwrap_or_else(|| File {
                name: name.into(),
                stamp,
                contents: Contents::Unread,
            }));
        }
        is_other |= !old.is_empty();
        self.folders = seen.folders;
        self.stamp = seen.stamp;
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        self.order.clear();
        is_other
    }

    /// Takes over what a file holds, unless it has changed since.
    pub(super) fn set_contents(&mut self, name: &str, stamp: EntryStamp, contents: Contents) {
        if let Ok(at) = self.place(name)
            && self.files[at].stamp == stamp
        {
            self.files[at].contents = contents;
            self.order.clear();
        }
    }

    /// Takes a file away that is gone.
    pub(super) fn remove(&mut self, name: &str) -> Option<File> {
        let at = self.place(name).ok()?;
        self.order.clear();
        self.version += 1;
        Some(self.files.remove(at))
    }

    /// Adds files that are new or others now.
    pub(super) fn add(&mut self, files: Vec<File>) {
        for file in &files {
            self.remove(&file.name);
        }
        self.files.extend(files);
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        self.order.clear();
        self.version += 1;
    }

    /// Takes the time of a folder after changes that are known here.
    pub(super) fn is_as_now(&mut self, path: &Path) {
        // A small one is looked at again: that costs little, and others may have changed it too.
        self.stamp = EntryStamp::of_path(path).filter(|_| !self.is_small());
    }

    /// Finds the order of lists: the latest first, then by name from the last.
    pub(super) fn sort(&mut self) {
        if self.order.len() != self.files.len() {
            let mut order: Vec<u32> = (0..self.files.len() as u32).rev().collect();
            order.sort_by_key(|&at| std::cmp::Reverse(self.files[at as usize].day()));
            self.order = order;
        }
    }

    /// The files in the order of lists, once it was [found](Self::sort).
    pub(super) fn sorted(&self) -> impl Iterator<Item = &File> {
        self.order.iter().map(|&at| &self.files[at as usize])
    }

    /// Returns whether files were not read.
    pub(super) fn has_unread(&self) -> bool {
        let is_unread = |file: &File| matches!(file.contents, Contents::Unread);
        self.files.iter().any(is_unread)
    }

    /// The folders in it, and the files of several games.
    pub(super) fn folders_and_archives(&self) -> Vec<String> {
        let archives = self.files.iter();
        let archives = archives.filter(|file| matches!(file.contents, Contents::Archive(_)));
        let archives = archives.map(|file| file.name.to_string());
        self.folders.iter().cloned().chain(archives).collect()
    }

    /// The files that cannot be read.
    pub(super) fn damage(&self) -> Vec<LibraryDamage> {
        let mut all = Vec::new();
        for file in &self.files {
            match &file.contents {
                Contents::Damaged(reason) => all.push(LibraryDamage {
                    name: file.name.to_string(),
                    reason: reason.to_string(),
                }),
                Contents::Archive(games) => all.extend(games.damage.iter().cloned()),
                _ => {}
            }
        }
        all
    }
}
