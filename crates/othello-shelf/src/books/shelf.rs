//! The books that are open, and the operations on them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use othello_engine::PlayBook;
use page_messages::{
    Effort, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService, StopFlag,
};
use serde::Deserialize;
use serde_json::{Value, json};
use yane_io::Job;

use super::at::{AtRequest, at};
use super::book::{BookInfo, BookView, OpenBook};
use super::tree::{TreeRequest, tree};
use crate::fields::position_of;

/// Books that are open at a time at most.
const MOST_BOOKS: usize = 50;
/// The highest level that a page may give.
const MOST_LEVEL: i8 = 100;

/// Is told the books to play from whenever they change, in the order in which they are asked.
type Playing = Box<dyn Fn(Option<PlayBook>) + Send + Sync>;

/// The opened books of a server. Clones are the same shelf.
#[derive(Clone)]
pub struct BookShelf(Arc<Shelf>);

struct Shelf {
    files: Arc<dyn PageFiles>,
    job: Job,
    playing: Playing,
    books: RwLock<Vec<Arc<OpenBook>>>,
    /// The number of the last book that was opened. Whoever changes the list has it.
    last: Mutex<u64>,
}

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
    othello_book::store::PositionEdit::BY_HAND
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
        Self(Arc::new(Shelf {
            files,
            job,
            playing: Box::new(playing),
            books: RwLock::default(),
            last: Mutex::default(),
        }))
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
}

/// Names of books that are open.
fn infos(books: &[Arc<OpenBook>]) -> Vec<BookInfo> {
    books.iter().map(|book| book.info()).collect()
}

impl Shelf {
    fn books(&self) -> Vec<Arc<OpenBook>> {
        let books = self.books.read().unwrap_or_else(PoisonError::into_inner);
        books.clone()
    }

    fn book(&self, name: &str) -> Result<Arc<OpenBook>, PageFailure> {
        let mut books = self.books().into_iter();
        let found = books.find(|book| book.info().book == name);
        found.ok_or_else(|| PageFailure::new(format!("the book '{name}' is not open")))
    }

    fn changing(&self) -> MutexGuard<'_, u64> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_books(&self, books: Vec<Arc<OpenBook>>) {
        *self.books.write().unwrap_or_else(PoisonError::into_inner) = books;
    }

    /// Opens a book, unless it is open already.
    fn open(&self, path: &Path, stop: &StopFlag) -> Result<String, PageFailure> {
        let path = std::fs::canonicalize(path)
            .map_err(|error| PageFailure::new(format!("{}: {error}", path.display())))?;
        let mut last = self.changing();
        let mut books = self.books();
        if let Some(open) = books.iter().find(|book| book.path == path) {
            return Ok(open.info().book);
        }
        if books.len() >= MOST_BOOKS {
            let text = format!("{MOST_BOOKS} books are open: close one first");
            return Err(PageFailure::new(text));
        }
        // A book of the command line may be elsewhere.
        let file = self.files.name_of(&path).unwrap_or_else(|| {
            let name = path.file_name().unwrap_or_default();
            PageFile {
                root: String::new(),
                path: name.to_string_lossy().into_owned(),
            }
        });
        let job = Job {
            cancelled: stop.shared(),
            ..self.job.clone()
        };
        let name = format!("b{}", *last + 1);
        books.push(Arc::new(OpenBook::open(name.clone(), path, file, &job)?));
        *last += 1;
        self.set_books(books);
        drop(last);
        self.play();
        Ok(name)
    }

    fn close(&self, name: &str) -> Result<(), PageFailure> {
        let last = self.changing();
        let book = self.book(name)?;
        let mut books = self.books();
        books.retain(|open| !Arc::ptr_eq(open, &book));
        self.set_books(books);
        drop(last);
        self.play();
        book.close()
    }

    /// Tells the books to play from.
    fn play(&self) {
        let _in_order = self.changing();
        let books = self.books();
        let views = books
            .iter()
            .map(|book| PlayBook::new(BookView::clone(&book.view())));
        let views: Vec<_> = views.collect();
        (self.playing)((!views.is_empty()).then(|| PlayBook::first_of(views)));
    }

    /// The list of books as an event; `book` is the one that was opened.
    fn tell(&self, book: Option<&str>, sink: &dyn EventSink) {
        let mut fields = json!({ "books": infos(&self.books()) });
        if let Some(book) = book {
            fields["book"] = book.into();
        }
        sink.event("books", fields);
    }

    /// Tells all pages that a book is another one now; without a revision if it was closed.
    fn changed(&self, book: &str, sink: &dyn EventSink) {
        let rev = self.book(book).ok().map(|book| book.info().rev);
        sink.broadcast("book_changed", json!({ "book": book, "rev": rev }));
    }

    fn change(&self, request: &PageRequest, stop: &StopFlag) -> Result<String, PageFailure> {
        let ChangeRequest { book: name, rev } = request.read()?;
        let book = self.book(&name)?;
        let job = || Job {
            cancelled: stop.shared(),
            ..self.job.clone()
        };
        match request.op.as_str() {
            "book.edit" => edit(&book, rev, &request.read()?)?,
            "book.undo" => book.undo(rev)?,
            "book.redo" => book.redo(rev)?,
            "book.save" => book.save(rev, &job())?,
            _ => book.discard(rev, &job())?,
        }
        self.play();
        Ok(name)
    }

    fn at(&self, request: &AtRequest, stop: &StopFlag) -> Result<Value, PageFailure> {
        let books = self.books();
        let is_asked = |name: &String| request.books.as_ref().is_none_or(|asked| asked.contains(name));
        let views = books.iter().map(|book| (book.info().book, book.view()));
        let views: Vec<_> = views.filter(|(name, _)| is_asked(name)).collect();
        Ok(json!({ "positions": at(request, &views, stop)? }))
    }
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
                let view = shelf.book(&asked.book)?.view();
                let fields = tree(&asked, &*view, stop)?;
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
                let changed = shelf.change(request, stop);
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
