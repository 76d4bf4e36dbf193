//! The folder of the list of jobs: the list itself, and texts that pages sent.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yane_io::{AtomicFile, Error, ReadLimit, Result, RunLock};

use super::record::JobRecord;

/// Folders that are tried: servers that run at the same time have lists of their own.
const FOLDERS: usize = 16;

/// The file of the list.
const LIST: &str = "list.json";

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    /// The number of the last job.
    last: u64,
    jobs: Vec<JobRecord>,
}

/// The folder, which no other server uses.
#[derive(Debug)]
pub(crate) struct JobFiles {
    folder: PathBuf,
    _lock: RunLock,
}

impl JobFiles {
    /// The first folder below `folder` that no other server uses.
    pub(crate) fn claim(folder: &Path) -> Result<Self> {
        for number in 1..=FOLDERS {
            let name = match number {
                1 => "jobs".to_owned(),
                number => format!("jobs-{number}"),
            };
            let folder = folder.join(name);
            match RunLock::folder(&folder) {
                Ok(lock) => {
                    return Ok(Self {
                        folder,
                        _lock: lock,
                    });
                }
                Err(Error::InUse { .. }) if number < FOLDERS => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::file(folder, "all folders for jobs are in use"))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn list(&self) -> PathBuf {
        self.folder.join(LIST)
    }

    /// The number of the last job, and the jobs of the list.
    pub(crate) fn load(&self) -> Result<(u64, Vec<JobRecord>)> {
        let path = self.list();
        let list: List = match ReadLimit::List.read_if_there(&path)? {
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| Error::file(&path, format!("no list of jobs: {error}")))?,
            None => List::default(),
        };
        let last = list.jobs.iter().map(|job| job.job).max();
        Ok((last.unwrap_or_default().max(list.last), list.jobs))
    }

    /// Writes the list.
    pub(crate) fn save(&self, last: u64, jobs: &[JobRecord]) -> Result<()> {
        let list = List {
            last,
            jobs: jobs.to_vec(),
        };
        let path = self.list();
        let text =
            serde_json::to_vec(&list).map_err(|error| Error::file(&path, error.to_string()))?;
        let mut file = AtomicFile::create(&path)?;
        file.put(&text)?;
        file.commit()
    }

    /// Removes the texts of jobs that are not in the list.
    pub(crate) fn sweep(&self, jobs: &[JobRecord]) {
        self.remove(&|number| jobs.iter().all(|job| job.job != number));
    }

    /// Removes the texts of a job.
    pub(crate) fn sweep_of(&self, job: u64) {
        self.remove(&|number| number == job);
    }

    fn remove(&self, is_one: &dyn Fn(u64) -> bool) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.split_once('-'));
            let number: Option<u64> = number.and_then(|(number, _)| number.parse().ok());
            if number.is_some_and(is_one) {
                let _stays_without_harm = std::fs::remove_file(entry.path());
            }
        }
    }
}
