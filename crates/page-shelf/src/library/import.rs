//! What an import has done so far.

use std::time::{Duration, Instant};

use page_messages::{EventSink, PageFailure};
use serde_json::{Value, json};

use super::names::{FolderName, check_new};
use super::root::LibraryRoot;

/// Files and games that cannot be read which are told by name.
const MOST_TOLD: usize = 20;

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(250);

/// What an import has done so far.
#[derive(Debug)]
pub struct ImportTally {
    /// Games that were saved one by one.
    pub saved: usize,
    /// Files of several games that were copied as they stand, by their names in the library.
    pub archives: Vec<String>,
    failed: usize,
    failures: Vec<Value>,
    reported: Instant,
}

impl Default for ImportTally {
    fn default() -> Self {
        Self {
            saved: 0,
            archives: Vec::new(),
            failed: 0,
            failures: Vec::new(),
            reported: Instant::now(),
        }
    }
}

impl ImportTally {
    /// Counts a file or game that cannot be read; the first ones are told.
    pub fn fail(&mut self, name: &str, reason: &str) {
        self.failed += 1;
        if self.failures.len() < MOST_TOLD {
            self.failures.push(json!({ "name": name, "error": reason }));
        }
    }

    /// Says how far the import is, but not too often.
    pub fn report(&mut self, sink: &dyn EventSink, done: usize, total: usize) {
        if self.reported.elapsed() >= REPORT {
            self.reported = Instant::now();
            let fields = json!({ "done": done, "total": total });
            sink.state("progress", 0, fields);
        }
    }

    /// The answer of an import into a folder.
    pub fn answer(&self, to: &FolderName) -> Value {
        json!({
            "folder": to.as_str(),
            "games": self.saved,
            "archives": self.archives,
            "failed": self.failed,
            "failures": self.failures,
        })
    }
}

impl LibraryRoot {
    /// Makes a folder in another one with a name, or with a number behind it where that is taken.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn make_beside(&self, to: &FolderName, name: &str) -> Result<FolderName, PageFailure> {
        check_new(name)?;
        for n in 1.. {
            let part = match n {
                1 => name.to_owned(),
                n => format!("{name} {n}"),
            };
            let folder = to.join(&part);
            let path = folder.path(self.path());
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(PageFailure::of(&yane_io::Error::io(&path)(error))),
            }
        }
        Err(PageFailure::new("there is no free name for a folder"))
    }

    /// The folder below `to` that stands there as `here` does below `base`; it is made if it is not there.
    ///
    /// # Errors
    ///
    /// A name that not every system takes; a folder that cannot be made.
    pub fn make_like(
        &self,
        to: &FolderName,
        base: &std::path::Path,
        here: &std::path::Path,
    ) -> Result<FolderName, PageFailure> {
        let mut to = to.clone();
        let parts = here.strip_prefix(base).ok().into_iter();
        for part in parts.flat_map(std::path::Path::components) {
            let part = part.as_os_str().to_str().unwrap_or_default();
            check_new(part)?;
            to = to.join(part);
        }
        let path = to.path(self.path());
        std::fs::create_dir_all(&path)
            .map_err(|error| PageFailure::of(&yane_io::Error::io(&path)(error)))?;
        Ok(to)
    }
}
