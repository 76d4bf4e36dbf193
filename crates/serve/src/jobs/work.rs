//! What jobs do, as the list of them sees it.

use std::path::{Path, PathBuf};

use page_messages::{PageFailure, PageFile};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use yane_io::{AtomicFile, Job};

use super::kinds::JobKindInfo;
use super::lane::JobLane;

/// A job as a page asks for it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct JobRequest {
    /// The name of what is to be done.
    pub kind: String,
    /// What it is done to.
    #[serde(default)]
    pub book: Value,
    /// Options by name.
    #[serde(default)]
    pub options: Map<String, Value>,
}

/// A job that can be begun, and begun again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPlan {
    /// The words of the command that it is. What is no UTF-8 in them is carried ([`yane_io::text_of_name`]).
    pub words: Vec<String>,
    /// The same for people, to be copied to a shell.
    pub command: String,
    /// What it works beside.
    pub lane: JobLane,
    /// Files that it reads, as text that carries their paths.
    pub reads: Vec<String>,
    /// Files that it writes, in the same form.
    pub writes: Vec<String>,
    /// The file that comes out, as pages name it.
    pub output: Option<PageFile>,
    /// The program that it is, if it is a process of its own.
    #[serde(default)]
    pub program: Option<JobProgram>,
}

/// A program that is a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobProgram {
    /// The name of the program.
    pub name: String,
    /// The kind of job.
    pub kind: String,
    /// The file that its events go to, as text that carries its path.
    pub events: String,
}

impl JobPlan {
    /// Returns whether one of two jobs writes a file that the other needs.
    pub(crate) fn is_in_the_way_of(&self, other: &Self) -> bool {
        let meets = |writes: &[String], other: &Self| {
            let mut writes = writes.iter();
            writes.any(|file| other.reads.contains(file) || other.writes.contains(file))
        };
        meets(&self.writes, other) || meets(&other.writes, self)
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub enum JobEnd {
    /// All is done.
    Done {
        /// What was done, in a line.
        summary: String,
        /// What pages show of it.
        result: Option<Value>,
    },
    /// It ended at a safe point, and can be begun again to go on.
    Stopped {
        /// Why, and what was done, in a line.
        text: String,
    },
    /// It failed.
    Failed {
        /// The error.
        text: String,
    },
}

/// Where a job that is being planned keeps texts that pages sent: files that are there as long as the job is in the list.
#[derive(Clone, Debug)]
pub struct JobFolder {
    folder: PathBuf,
    job: u64,
}

impl JobFolder {
    /// The folder of the list, for the job of a number.
    pub const fn new(folder: PathBuf, job: u64) -> Self {
        Self { folder, job }
    }

    /// The path of a file of the job. `name` is one of a few plain names.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}-{name}", self.job))
    }

    /// Writes a text, and returns the path of its file. `name` is one of a few plain names, such as `games.txt`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> yane_io::Result<PathBuf> {
        let path = self.path(name);
        let mut file = AtomicFile::create(&path)?;
        file.put(text.as_bytes())?;
        file.commit()?;
        Ok(path)
    }
}

/// Who knows what jobs do.
pub trait JobWork: Send + Sync {
    /// What is to be done for a request.
    ///
    /// # Errors
    ///
    /// A kind or an option that is none; files that are not there or must not be named.
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure>;

    /// Refuses to begin a job, or to begin it again, where its files are not as they have to be now.
    ///
    /// # Errors
    ///
    /// Why it must not begin.
    fn check(&self, plan: &JobPlan) -> Result<(), PageFailure>;

    /// Does a job, on this thread: its progress goes to `job`, by which it is asked to pause and to stop.
    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd;

    /// A job has written a file, which is whole. Is called on the thread of the job, while it goes on.
    fn written(&self, path: &Path);

    /// The list of jobs is in a folder, where files of jobs are, too. Is called once, before all else.
    fn opened(&self, folder: &Path) {
        let _ = folder;
    }

    /// Returns whether there is a kind of a name. Whoever answers for all kinds need not know.
    fn knows(&self, kind: &str) -> bool {
        let _ = kind;
        true
    }

    /// What can be done beside `jobs`, as [`Hello::caps`](page_messages::Hello::caps) names it.
    fn capabilities(&self) -> Vec<String> {
        Vec::new()
    }

    /// The kinds, for pages.
    fn kinds(&self) -> Vec<JobKindInfo> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_are_in_the_way_of_readers_and_writers() {
        let plan = |reads: &[&str], writes: &[&str]| JobPlan {
            words: Vec::new(),
            command: String::new(),
            lane: JobLane::Files,
            reads: reads.iter().map(ToString::to_string).collect(),
            writes: writes.iter().map(ToString::to_string).collect(),
            output: None,
            program: None,
        };
        let (reader, writer) = (plan(&["a"], &[]), plan(&["b"], &["a"]));
        assert!(reader.is_in_the_way_of(&writer) && writer.is_in_the_way_of(&reader));
        assert!(writer.is_in_the_way_of(&writer));
        assert!(!reader.is_in_the_way_of(&reader));
        assert!(!writer.is_in_the_way_of(&plan(&["b"], &["c"])));
    }

    #[test]
    fn texts_of_jobs_have_their_number() {
        let folder = tempfile::tempdir().unwrap();
        let of_job = JobFolder::new(folder.path().to_owned(), 7);
        let path = of_job.write("games.txt", "f5d6\n").unwrap();
        assert_eq!(path, folder.path().join("7-games.txt"));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "f5d6\n");
    }
}
