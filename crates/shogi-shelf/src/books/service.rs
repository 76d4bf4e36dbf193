//! The operations on opened books.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFiles, PageRequest, PageService, StopFlag,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use yane_io::Job;

use super::book::OpenBook;
use super::change::{BookEdit, ChangeFields};
#[cfg(feature = "checks")]
use super::check::{CheckRequest, check};
#[cfg(feature = "checks")]
use super::diff::{DiffRequest, diff};
use super::info::EngineUse;
use super::path::{PathRequest, path};
use super::playing::OpenBooks;
use super::register::register;
use super::search::{SearchRequest, search};
use super::shelf::Shelf;
use super::tree::{TreeRequest, tree};
use crate::fields::{FindingFields, edit_failure, position_of};

/// The operations.
const OPS: [&str; 15] = [
    "book.open",
    "book.close",
    "book.list",
    "book.engine",
    "book.move",
    "book.at",
    "book.path",
    "book.tree",
    "book.search",
    "book.edit",
    "book.register",
    "book.undo",
    "book.redo",
    "book.save",
    "book.discard",
];

/// Those that look at whole books to compare them.
const CHECKS: &[&str] = if cfg!(feature = "checks") {
    &["book.check", "book.diff"]
} else {
    &[]
};

/// The opened books of a server. Clones are the same shelf.
#[derive(Clone)]
pub struct ShogiBookShelf(Arc<Shelf>);

/// The fields of requests on one book.
#[derive(Clone, Debug, Deserialize)]
struct BookRequest {
    book: String,
}

/// The further field of `book.engine`.
#[derive(Clone, Copy, Debug, Deserialize)]
struct EngineRequest {
    on: bool,
}

/// The further field of `book.move`.
#[derive(Clone, Copy, Debug, Deserialize)]
struct MoveRequest {
    to: usize,
}

/// The fields of requests that change a book.
#[derive(Clone, Debug, Deserialize)]
struct ChangeRequest {
    book: String,
    rev: u64,
}

/// The further fields of `book.edit`.
#[derive(Clone, Debug, Deserialize)]
struct EditRequest {
    sfen: String,
    changes: Vec<ChangeFields>,
    #[serde(flatten)]
    finding: FindingFields,
}

impl fmt::Debug for ShogiBookShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShogiBookShelf")
    }
}

impl ShogiBookShelf {
    /// An empty shelf for files that pages may name. `job` has the resources of work on whole books; what is found of the order of large files
    /// is kept in `folder`, that of the server's own files. `playing` is told the books to play from whenever they change: when books are
    /// opened, closed or moved, and at each edit.
    pub fn new(
        files: Arc<dyn PageFiles>,
        job: Job,
        folder: Option<&Path>,
        playing: impl Fn(OpenBooks) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shelf::new(files, job, folder, Box::new(playing))))
    }

    /// Opens a book of the machine behind those that are open; returns by which name requests know it.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no book; too many books.
    pub fn open(&self, path: &Path) -> Result<String, PageFailure> {
        self.0.open(path, &StopFlag::default())
    }

    /// The file of an opened book.
    ///
    /// # Errors
    ///
    /// A book that is not open.
    pub fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure> {
        Ok(self.0.book(book)?.path.clone())
    }

    /// Takes the file of an opened book as it is now, which another part of the program wrote, and drops its edits.
    ///
    /// # Errors
    ///
    /// A book that is not open, or whose file cannot be opened again.
    pub fn replaced(&self, book: &str) -> Result<(), PageFailure> {
        let book = self.0.book(book)?;
        let replaced = book.replaced(&self.0.memory, &self.0.job);
        self.0.check_order(&book);
        self.0.play();
        replaced
    }

    /// The number of edits of the book of a file that are not saved; `None` if it is not open.
    pub fn edits_of(&self, path: &Path) -> Option<usize> {
        let path = yane_io::real_path(path).ok()?;
        Some(self.0.books.of_path(&path)?.info().edits)
    }

    /// Takes note that another part of the program wrote a file: where it is that of an opened book, the book is the new one, and
    /// all pages are told. Edits stay: saving them tells that the file is another one.
    ///
    /// # Errors
    ///
    /// An opened book whose file cannot be opened again.
    pub fn written(&self, path: &Path) -> Result<(), PageFailure> {
        let path = yane_io::real_path(path);
        let Some(book) = path.ok().and_then(|path| self.0.books.of_path(&path)) else {
            return Ok(());
        };
        let replaced = book.replaced_without_edits(&self.0.memory, &self.0.job);
        if matches!(replaced, Ok(false)) {
            return Ok(());
        }
        self.0.check_order(&book);
        self.0.play();
        self.0.tell_all(&book);
        replaced.map(|_| ())
    }
}

/// Changes a book; returns its name.
fn change(
    shelf: &Arc<Shelf>,
    request: &PageRequest,
    stop: &StopFlag,
) -> Result<String, PageFailure> {
    let ChangeRequest { book: name, rev } = request.read()?;
    let book = shelf.book(&name)?;
    match request.op.as_str() {
        "book.edit" => edit(&book, rev, request.read()?)?,
        "book.register" => {
            let fields = request.read()?;
            book.edit(rev, |view| register(&fields, view, &book.file))?;
        }
        "book.undo" => book.undo(rev)?,
        "book.redo" => book.redo(rev)?,
        "book.save" => book.save(rev, &shelf.memory, &shelf.job_of(stop))?,
        _ => book.discard(rev, &shelf.memory, &shelf.job_of(stop))?,
    }
    Ok(name)
}

fn edit(book: &OpenBook, rev: u64, request: EditRequest) -> Result<(), PageFailure> {
    let position = position_of(&request.sfen)?;
    let changes = request.changes.into_iter().map(ChangeFields::read);
    let changes: Vec<_> = changes.collect::<Result<_, _>>()?;
    if changes.is_empty() {
        return Err(PageFailure::new("changes: at least one was expected"));
    }
    book.edit(rev, |view| {
        let edit = view.edit_of(&position, request.finding.into(), &changes);
        let edit = edit.map_err(|error| edit_failure(&error, &book.file))?;
        Ok(BookEdit(vec![edit]))
    })
}

fn send(sink: &dyn EventSink, name: &str, fields: &impl Serialize) {
    sink.event(name, serde_json::to_value(fields).unwrap_or_default());
}

/// Answers requests that only look.
fn look(
    shelf: &Shelf,
    request: &PageRequest,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    match request.op.as_str() {
        "book.list" => shelf.tell(None, sink),
        "book.at" => sink.event("book", shelf.at(&request.read()?, stop)?),
        "book.path" => {
            let asked: PathRequest = request.read()?;
            let book = shelf.book(&asked.book)?;
            send(sink, "path", &path(&asked, &book.view(), &book.file)?);
        }
        "book.tree" => {
            let asked: TreeRequest = request.read()?;
            let book = shelf.book(&asked.book)?;
            send(sink, "tree", &tree(&asked, &book.view(), &book.file, stop)?);
        }
        "book.search" => {
            let asked: SearchRequest = request.read()?;
            let book = shelf.book(&asked.book)?;
            search(asked, &book.view(), &book.file, &shelf.job, sink, stop)?;
        }
        #[cfg(feature = "checks")]
        "book.check" => {
            let asked: CheckRequest = request.read()?;
            let book = shelf.book(&asked.book)?;
            check(&asked, &book.path, &book.file, &shelf.job, sink, stop)?;
        }
        #[cfg(feature = "checks")]
        "book.diff" => {
            let asked: DiffRequest = request.read()?;
            let first = shelf.book(&asked.books[0])?;
            let second = shelf.book(&asked.books[1])?;
            let paths = [first.path.as_path(), second.path.as_path()];
            diff(&asked, paths, &first.file, &shelf.job, sink, stop)?;
        }
        op => return Err(PageFailure::new(format!("'{op}' is no operation"))),
    }
    Ok(())
}

impl PageService for ShogiBookShelf {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        // Once is enough.
        let _already = self.0.pages.set(Arc::clone(pages));
    }

    fn capabilities(&self) -> Vec<String> {
        let mut capabilities = vec!["books".to_owned()];
        if !CHECKS.is_empty() {
            capabilities.push("book_checks".to_owned());
        }
        capabilities
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        // None waits for a search of an engine: those that take long read and write files.
        (OPS.contains(&op) || CHECKS.contains(&op)).then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let shelf = &self.0;
        match request.op.as_str() {
            "book.list" | "book.at" | "book.path" | "book.tree" | "book.search" | "book.check"
            | "book.diff" => look(shelf, request, sink, stop)?,
            "book.open" => {
                let path = shelf.files.existing(&request.read()?)?;
                let name = shelf.open(&path, stop)?;
                shelf.tell(Some(&name), sink);
                shelf.changed(&name, sink);
            }
            "book.close" => {
                let BookRequest { book } = request.read()?;
                let closed = shelf.close(&book);
                shelf.changed(&book, sink);
                closed?;
                shelf.tell(None, sink);
            }
            "book.engine" | "book.move" => {
                let BookRequest { book } = request.read()?;
                if request.op == "book.engine" {
                    let EngineRequest { on } = request.read()?;
                    let by_engine = if on {
                        EngineUse::Plays
                    } else {
                        EngineUse::Passes
                    };
                    shelf.book(&book)?.set_use(by_engine);
                } else {
                    let MoveRequest { to } = request.read()?;
                    shelf.books.move_to(&book, to)?;
                }
                shelf.play();
                shelf.changed(&book, sink);
                shelf.tell(None, sink);
            }
            _ => {
                let changed = change(shelf, request, stop);
                // A book that was saved and could not be opened again is another one too.
                let is_other = changed.is_ok() || request.op == "book.save";
                let book = request.fields.get("book").and_then(Value::as_str);
                if let Some(book) = book.filter(|_| is_other)
                    && let Ok(open) = shelf.book(book)
                {
                    shelf.check_order(&open);
                    shelf.play();
                    shelf.changed(book, sink);
                }
                changed?;
                shelf.tell(None, sink);
            }
        }
        Ok(())
    }
}
