//! The files of a tab: those that people dropped on the page, in memory. Pages know them as those of the root [`ROOT`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService,
    StopFlag,
};
use serde::Deserialize;
use serde_json::json;
use yane_io::{Job, MemoryFiles};

/// The name of the files of a tab in messages.
pub const ROOT: &str = "tab";

/// Memory for work on a whole book, in bytes.
const WORK_MEMORY: u64 = 128 << 20;

/// Is given files that were written, with their names.
type Keep = dyn Fn(&str, &[u8]) + Send + Sync;

/// The files of a tab. Clones are the same files.
#[derive(Clone)]
pub struct TabFiles {
    keep: Arc<Keep>,
}

impl TabFiles {
    /// The files of a host that keeps what is written: `keep` is given each such file as a whole.
    pub fn new(keep: impl Fn(&str, &[u8]) + Send + Sync + 'static) -> Self {
        Self {
            keep: Arc::new(keep),
        }
    }

    /// Puts a file here under a name, or a newer version of it.
    pub fn put(name: &str, bytes: Vec<u8>) {
        MemoryFiles::put(Path::new(name), bytes);
    }

    /// The path of a file that is here.
    ///
    /// # Errors
    ///
    /// There is no file of this name.
    pub(crate) fn path(name: &str) -> Result<PathBuf, PageFailure> {
        let path = PathBuf::from(name);
        if MemoryFiles::has(&path) {
            return Ok(path);
        }
        Err(PageFailure::new(format!(
            "{name}: this tab has no such file"
        )))
    }

    /// Gives a file that was written to who keeps it.
    fn keep(&self, path: &Path) {
        if let (Some(name), Some(bytes)) = (path.to_str(), MemoryFiles::bytes(path)) {
            (self.keep)(name, bytes.as_ref());
        }
    }
}

impl PageFiles for TabFiles {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        if file.root == ROOT {
            return Self::path(&file.path);
        }
        let text = format!("there is no folder '{}' in a tab", file.root.escape_debug());
        Err(PageFailure::new(text))
    }

    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        self.existing(file)
    }

    fn name_of(&self, path: &Path) -> Option<PageFile> {
        let name = path.to_str().filter(|_| MemoryFiles::has(path))?;
        Some(PageFile {
            root: ROOT.to_owned(),
            path: name.to_owned(),
        })
    }
}

/// The resources of work on books.
pub(crate) fn job() -> Job {
    Job {
        threads: 1,
        memory: WORK_MEMORY,
        // Nothing is ever put there; but systems without files have no other place to tell.
        temp_dir: Some(PathBuf::new()),
        ..Job::default()
    }
}

/// The fields of requests about one file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FileRequest {
    /// Its name.
    pub(crate) path: String,
}

/// Says what files are, by their names and contents.
pub(crate) struct FileKinds {
    /// The kind of a file: `network` or `book`; `None` of all others.
    pub(crate) kind: fn(&Path, &[u8]) -> Option<&'static str>,
    /// What is expected, for people.
    pub(crate) expected: &'static str,
}

impl PageService for FileKinds {
    fn capabilities(&self) -> Vec<String> {
        vec!["tab_files".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        matches!(op, "file.kind" | "file.forget").then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        _: &StopFlag,
    ) -> Result<(), PageFailure> {
        let FileRequest { path: name } = request.read()?;
        let path = TabFiles::path(&name)?;
        if request.op == "file.forget" {
            MemoryFiles::remove(&path);
            return Ok(());
        }
        let kind = match MemoryFiles::bytes(&path) {
            Some(bytes) => (self.kind)(&path, bytes.as_ref()),
            // Nothing else is in slices.
            None => Some("book"),
        };
        let Some(kind) = kind else {
            let text = format!("{name}: {} was expected", self.expected);
            return Err(PageFailure::new(text));
        };
        sink.event("file", json!({ "path": name, "kind": kind }));
        Ok(())
    }
}

/// A shelf whose books are kept when they were saved. Checks and differences of whole books are left out, whatever the shelf was built with: they would be a
/// good part of the module.
pub(crate) struct KeptBooks<S, P> {
    pub(crate) shelf: S,
    /// The path of an opened book.
    pub(crate) path_of: P,
    pub(crate) files: TabFiles,
}

impl<S: PageService, P: Fn(&S, &str) -> Option<PathBuf> + Send + Sync> PageService
    for KeptBooks<S, P>
{
    fn start(&self, pages: &Arc<dyn AllPages>) {
        self.shelf.start(pages);
    }

    fn capabilities(&self) -> Vec<String> {
        vec!["books".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        let is_left_out = matches!(op, "book.check" | "book.diff");
        self.shelf.effort(op).filter(|_| !is_left_out)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        self.shelf.answer(request, sink, stop)?;
        let book = request.fields.get("book").and_then(|book| book.as_str());
        if let Some(book) = book.filter(|_| request.op == "book.save")
            && let Some(path) = (self.path_of)(&self.shelf, book)
        {
            self.files.keep(&path);
        }
        Ok(())
    }
}
