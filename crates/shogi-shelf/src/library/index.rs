//! The index: files are read in the background, once each.

use std::path::PathBuf;
use std::sync::Arc;

use page_shelf::library::{EntryStamp, FolderName};

use super::reading::{Contents, read};
use super::store::{Look, Store};

/// A file that is to be read.
struct Unread {
    folder: Arc<(FolderName, PathBuf)>,
    name: Box<str>,
    stamp: EntryStamp,
}

impl Store {
    /// Begins to read what has not been read, unless that is going on.
    pub(super) fn index(self: &Arc<Self>) {
        let store = Arc::clone(self);
        self.root.in_background(move || store.read_all());
    }

    /// Reads all files that have not been read.
    fn read_all(&self) {
        // A folder that cannot be read is told when it is asked for.
        let is_other = self.walk(&FolderName::default(), Look::Full);
        self.has_looked();
        let unread = self.unread();
        let is_any = !unread.is_empty();
        let contents = |file: &Unread| read(&file.folder.1.join(&*file.name), &file.name);
        let is_done = self.root.read_files(unread, contents, |file, contents| {
            if let Some(folder) = self.state().folders.get_mut(&file.folder.0) {
                folder.set_contents(&file.name, file.stamp, contents);
            }
        });
        if is_done && is_any {
            self.root.tell_progress();
        }
        if is_done && (is_any || is_other.unwrap_or(false)) {
            self.root.tell_changed(&[]);
        }
    }

    /// The files of all folders that have not been read.
    fn unread(&self) -> Vec<Unread> {
        let mut unread = Vec::new();
        for (name, folder) in &self.state().folders {
            let place = Arc::new((name.clone(), name.path(self.root.path())));
            let files = folder.files().iter();
            let files = files.filter(|file| matches!(file.contents, Contents::Unread));
            unread.extend(files.map(|file| Unread {
                folder: Arc::clone(&place),
                name: file.name.clone(),
                stamp: file.stamp,
            }));
        }
        unread
    }
}
