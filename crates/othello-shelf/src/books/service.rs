//! The operations on opened books.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use othello_book::store::PositionEdit;
use othello_engine::PlayBook;
use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFiles, PageRequest, PageService, StopFlag,
};
use serde::Deserialize;
use serde_json::{Value, json};
use yane_io::Job;

use super::book::OpenBook;
use super::shelf::Shelf;
use super::tree::{TreeRequest, tree};
use crate::fields::position_of;

/// The highest level that a page may give.
const MOST_LEVEL: i8 = 100;

/// The opened books of a server. Clones are the same shelf.
#[derive(Clone)]
pub struct BookShelf(Arc<Shelf>);

/// The fields of requests on one book.
#[derive(Clone, Debug, Deserialize)]
struct BookRequest {
    book: String,
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
    board: String,
    /// Discs for the side to move; `null` removes the position.
    value: Option<i8>,
    #[serde(default = "by_hand")]
    level: i8,
}

const fn by_hand() -> i8 {
    PositionEdit::BY_HAND
}

impl fmt::Debug for BookShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BookShelf")
    }
}

impl BookShelf {
    /// An empty shelf for files that pages may name. `job` has the resources of work on whole books; `playing` is told the
    /// books to play from whenever they change.
    pub fn new(
        files: Arc<dyn PageFiles>,
        job: Job,
        playing: impl Fn(Option<PlayBook>) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shelf::new(files, job, Box::new(playing))))
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
        let replaced = self.0.book(book)?.replaced(&self.0.job);
        self.0.play();
        replaced
    }

    /// The number of edits of the book of a file that are not saved; `None` if it is not open.
    pub fn edits_of(&self, path: &Path) -> Option<usize> {
        Some(self.0.book_of(path)?.info().edits)
    }

    /// Takes note that another part of the program wrote a file: where it is that of an opened book, the book is the new one, and
    /// all pages are told. Edits stay: saving them tells that the file is another one.
    ///
    /// # Errors
    ///
    /// An opened book whose file cannot be opened again.
    pub fn written(&self, path: &Path) -> Result<(), PageFailure> {
        let path = yane_io::real_path(path);
        let Some(book) = path.ok().and_then(|path| self.0.book_of(&path)) else {
            return Ok(());
        };
        let replaced = book.replaced_without_edits(&self.0.job);
        if matches!(replaced, Ok(false)) {
            return Ok(());
        }
        self.0.play();
        if let Some(pages) = self.0.pages.get() {
            let info = book.info();
            let fields = json!({ "book": info.book, "rev": info.rev });
            pages.broadcast("book_changed", fields);
        }
        replaced.map(|_| ())
    }
}

/// Changes a book; returns its name.
fn change(shelf: &Shelf, request: &PageRequest, stop: &StopFlag) -> Result<String, PageFailure> {
    let ChangeRequest { book: name, rev } = request.read()?;
    let book = shelf.book(&name)?;
    let job = || Job {
        cancelled: stop.shared(),
        ..shelf.job.clone()
    };
    match request.op.as_str() {
        "book.edit" => edit(&book, rev, &request.read()?)?,
        "book.undo" => book.undo(rev)?,
        "book.redo" => book.redo(rev)?,
        "book.save" => book.save(rev, &job())?,
        _ => book.discard(rev, &job())?,
    }
    shelf.play();
    Ok(name)
}

fn edit(book: &OpenBook, rev: u64, request: &EditRequest) -> Result<(), PageFailure> {
    let position = position_of(&request.board)?;
    let checked = position.board().check();
    checked.map_err(|error| PageFailure::new(format!("board: {error}")))?;
    let level = request.level;
    if !(0..=MOST_LEVEL).contains(&level) {
        let text = format!("level {level}: 0 to {MOST_LEVEL} was expected");
        return Err(PageFailure::new(text));
    }
    if let Some(value) = request.value.filter(|value| value.unsigned_abs() > 64) {
        let text = format!("value {value}: -64 to 64 was expected");
        return Err(PageFailure::new(text));
    }
    book.edit(rev, position, request.value.map(|value| (value, level)))
}

impl PageService for BookShelf {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        // Once is enough.
        let _already = self.0.pages.set(Arc::clone(pages));
    }

    fn capabilities(&self) -> Vec<String> {
        vec!["books".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        // None waits for a search: those that take long read and write files.
        let is_own = matches!(
            op,
            "book.open"
                | "book.close"
                | "book.list"
                | "book.at"
                | "book.tree"
                | "book.edit"
                | "book.undo"
                | "book.redo"
                | "book.save"
                | "book.discard"
        );
        is_own.then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let shelf = &*self.0;
        match request.op.as_str() {
            "book.list" => shelf.tell(None, sink),
            "book.at" => sink.event("book", shelf.at(&request.read()?, stop)?),
            "book.tree" => {
                let asked: TreeRequest = request.read()?;
                let book = shelf.book(&asked.book)?;
                let fields = tree(&asked, &*book.view(), stop)?;
                book.check_read()?;
                sink.event("tree", serde_json::to_value(fields).unwrap_or_default());
            }
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
            _ => {
                let changed = change(shelf, request, stop);
                // A book that was saved and could not be opened again is another one too.
                let is_other = changed.is_ok() || request.op == "book.save";
                let book = request.fields.get("book").and_then(Value::as_str);
                if let Some(book) = book.filter(|_| is_other) {
                    shelf.changed(book, sink);
                }
                changed?;
                shelf.tell(None, sink);
            }
        }
        Ok(())
    }
}
