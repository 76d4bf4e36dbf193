//! The books that are open.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use othello_engine::PlayBook;
use page_messages::{AllPages, EventSink, PageFailure, PageFile, PageFiles, StopFlag};
use serde_json::{Value, json};
use yane_io::Job;

use super::at::{AtRequest, at};
use super::book::{BookInfo, OpenBook};
use super::file::BookView;

/// Books that are open at a time at most.
const MOST_BOOKS: usize = 50;

/// Is told the books to play from whenever they change, in the order in which they are asked.
pub(super) type Playing = Box<dyn Fn(Option<PlayBook>) + Send + Sync>;

/// The opened books.
pub(super) struct Shelf {
    pub(super) files: Arc<dyn PageFiles>,
    pub(super) job: Job,
    playing: Playing,
    /// All pages, once there are any.
    pub(super) pages: OnceLock<Arc<dyn AllPages>>,
    books: RwLock<Vec<Arc<OpenBook>>>,
    /// The number of the last book that was opened. Whoever changes the list has it.
    last: Mutex<u64>,
}

/// Names of books that are open.
fn infos(books: &[Arc<OpenBook>]) -> Vec<BookInfo> {
    books.iter().map(|book| book.info()).collect()
}

impl Shelf {
    /// An empty shelf.
    pub(super) fn new(files: Arc<dyn PageFiles>, job: Job, playing: Playing) -> Self {
        Self {
            files,
            job,
            playing,
            pages: OnceLock::new(),
            books: RwLock::default(),
            last: Mutex::default(),
        }
    }

    fn books(&self) -> Vec<Arc<OpenBook>> {
        let books = self.books.read().unwrap_or_else(PoisonError::into_inner);
        books.clone()
    }

    /// An opened book.
    pub(super) fn book(&self, name: &str) -> Result<Arc<OpenBook>, PageFailure> {
        let mut books = self.books().into_iter();
        let found = books.find(|book| book.info().book == name);
        found.ok_or_else(|| PageFailure::new(format!("the book '{name}' is not open")))
    }

    /// The opened book of a file.
    pub(super) fn book_of(&self, path: &Path) -> Option<Arc<OpenBook>> {
        self.books().into_iter().find(|book| book.path == path)
    }

    fn changing(&self) -> MutexGuard<'_, u64> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_books(&self, books: Vec<Arc<OpenBook>>) {
        *self.books.write().unwrap_or_else(PoisonError::into_inner) = books;
    }

    /// Opens a book, unless it is open already.
    pub(super) fn open(&self, path: &Path, stop: &StopFlag) -> Result<String, PageFailure> {
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

    /// Closes a book; edits that were not saved stay beside it.
    pub(super) fn close(&self, name: &str) -> Result<(), PageFailure> {
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
    pub(super) fn play(&self) {
        let _in_order = self.changing();
        let books = self.books();
        let views = books
            .iter()
            .map(|book| PlayBook::new(BookView::clone(&book.view())));
        let views: Vec<_> = views.collect();
        (self.playing)((!views.is_empty()).then(|| PlayBook::first_of(views)));
    }

    /// The list of books as an event; `book` is the one that was opened.
    pub(super) fn tell(&self, book: Option<&str>, sink: &dyn EventSink) {
        let mut fields = json!({ "books": infos(&self.books()) });
        if let Some(book) = book {
            fields["book"] = book.into();
        }
        sink.event("books", fields);
    }

    /// Tells all pages that a book is another one now; without a revision if it was closed.
    pub(super) fn changed(&self, book: &str, sink: &dyn EventSink) {
        let rev = self.book(book).ok().map(|book| book.info().rev);
        sink.broadcast("book_changed", json!({ "book": book, "rev": rev }));
    }

    /// What the books say of positions.
    pub(super) fn at(&self, request: &AtRequest, stop: &StopFlag) -> Result<Value, PageFailure> {
        let books = self.books();
        let is_asked = |name: &String| {
            request
                .books
                .as_ref()
                .is_none_or(|asked| asked.contains(name))
        };
        let views = books.iter().map(|book| (book.info().book, book.view()));
        let views: Vec<_> = views.filter(|(name, _)| is_asked(name)).collect();
        Ok(json!({ "positions": at(request, &views, stop)? }))
    }
}
