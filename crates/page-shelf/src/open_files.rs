//! The opened books.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use page_messages::PageFailure;

/// Files that are open at a time at most.
pub const MOST_OPEN: usize = 50;

/// An opened file.
pub trait OpenFile: Send + Sync {
    /// By which name requests know it.
    fn id(&self) -> String;

    /// Its path, without symbolic links in it.
    fn path(&self) -> &Path;
}

/// The opened files in their order, each by its name, each file once.
#[derive(Debug)]
pub struct OpenFiles<F> {
    files: RwLock<Vec<Arc<F>>>,
    /// The number of the last file that was opened. Whoever changes the list has it.
    last: Mutex<u64>,
}

impl<F> Default for OpenFiles<F> {
    fn default() -> Self {
        Self {
            files: RwLock::default(),
            last: Mutex::default(),
        }
    }
}

impl<F: OpenFile> OpenFiles<F> {
    /// All of them, in their order.
    pub fn all(&self) -> Vec<Arc<F>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.clone()
    }

    /// An opened one.
    ///
    /// # Errors
    /// No file has the name.
    pub fn named(&self, name: &str) -> Result<Arc<F>, PageFailure> {
        let found = self.all().into_iter().find(|file| file.id() == name);
        found.ok_or_else(|| PageFailure::new(format!("the book '{name}' is not open")))
    }

    /// The opened one of a path.
    pub fn of_path(&self, path: &Path) -> Option<Arc<F>> {
        self.all().into_iter().find(|file| file.path() == path)
    }

    /// The right to change the list: who changes several things in order has it meanwhile.
    pub fn changing(&self) -> MutexGuard<'_, u64> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, files: Vec<Arc<F>>) {
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
    }

    /// Opens a file behind the others, unless it is open already; `open` gets its name and its path without symbolic links. Returns it, and
    /// whether it is new.
    ///
    /// # Errors
    /// A file that cannot be opened; too many files.
    pub fn open(
        &self,
        path: &Path,
        open: impl FnOnce(String, PathBuf) -> Result<F, PageFailure>,
    ) -> Result<(Arc<F>, bool), PageFailure> {
        let path = yane_io::real_path(path)
            .map_err(|error| PageFailure::new(format!("{}: {error}", path.display())))?;
        let mut last = self.changing();
        let mut files = self.all();
        if let Some(open) = files.iter().find(|file| file.path() == path) {
            return Ok((Arc::clone(open), false));
        }
        if files.len() >= MOST_OPEN {
            let text = format!("{MOST_OPEN} books are open: close one first");
            return Err(PageFailure::new(text));
        }
        let file = Arc::new(open(format!("b{}", *last + 1), path)?);
        files.push(Arc::clone(&file));
        *last += 1;
        self.set(files);
        Ok((file, true))
    }

    /// Takes a file out of the list.
    ///
    /// # Errors
    /// No file has the name.
    pub fn close(&self, name: &str) -> Result<Arc<F>, PageFailure> {
        let _changing = self.changing();
        let file = self.named(name)?;
        let mut files = self.all();
        files.retain(|open| !Arc::ptr_eq(open, &file));
        self.set(files);
        Ok(file)
    }

    /// Gives a file another place, counted from 0; the last one if there are fewer.
    ///
    /// # Errors
    /// No file has the name.
    pub fn move_to(&self, name: &str, place: usize) -> Result<(), PageFailure> {
        let _changing = self.changing();
        let file = self.named(name)?;
        let mut files = self.all();
        files.retain(|open| !Arc::ptr_eq(open, &file));
        files.insert(place.min(files.len()), file);
        self.set(files);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(String, PathBuf);

    impl OpenFile for One {
        fn id(&self) -> String {
            self.0.clone()
        }

        fn path(&self) -> &Path {
            &self.1
        }
    }

    #[test]
    fn files_are_open_once_and_have_an_order() {
        let folder = test_support::TestFolder::new();
        let files = OpenFiles::default();
        let open = |name: &str| {
            files
                .open(&folder.path(name), |name, path| Ok(One(name, path)))
                .map(|(file, is_new)| (file.0.clone(), is_new))
        };
        for name in ["x", "y", "z"] {
            folder.write(name, "");
        }
        assert_eq!(open("x").unwrap(), ("b1".to_owned(), true));
        assert_eq!(open("y").unwrap(), ("b2".to_owned(), true));
        assert_eq!(open("x").unwrap(), ("b1".to_owned(), false));
        assert!(open("w").is_err());
        assert_eq!(open("z").unwrap(), ("b3".to_owned(), true));
        files.move_to("b3", 0).unwrap();
        files.move_to("b1", 9).unwrap();
        let names = || files.all().iter().map(|file| file.id()).collect::<Vec<_>>();
        assert_eq!(names(), ["b3", "b2", "b1"]);
        files.close("b2").unwrap();
        assert!(files.close("b2").is_err() && files.move_to("b2", 0).is_err());
        assert_eq!(names(), ["b3", "b1"]);
        // Names are not used again.
        assert_eq!(open("y").unwrap(), ("b4".to_owned(), true));
    }
}
