//! The books that are open.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use othello_engine::PlayBook;
use page_messages::{AllPages, EventSink, PageFailure, PageFiles, StopFlag};
use page_shelf::{OpenFiles, name_of};
use serde_json::{Value, json};
use yane_io::Job;

use super::at::{AtRequest, at};
use super::book::{BookInfo, OpenBook};
use super::file::BookView;

/// Is told the books to play from whenever they change, in the order in which they are asked.
pub(super) type Playing = Box<dyn Fn(Option<PlayBook>) + Send + Sync>;

/// The opened books.
pub(super) struct Shelf {
    pub(super) files: Arc<dyn PageFiles>,
    pub(super) job: Job,
    playing: Playing,
    /// All pages, once there are any.
    pub(super) pages: OnceLock<Arc<dyn AllPages>>,
    books: OpenFiles<OpenBook>,
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
            books: OpenFiles::default(),
        }
    }

    /// An opened book.
    pub(super) fn book(&self, name: &str) -> Result<Arc<OpenBook>, PageFailure> {
        self.books.named(name)
    }

    /// The opened book of a file.
    pub(super) fn book_of(&self, path: &Path) -> Option<Arc<OpenBook>> {
        self.books.of_path(path)
    }

    /// Opens a book, unless it is open already.
    pub(super) fn open(&self, path: &Path, stop: &StopFlag) -> Result<String, PageFailure> {
        let (book, is_new) = self.books.open(path, |name, path| {
            let file = name_of(&path, &*self.files);
            let job = Job {
                cancelled: stop.shared(),
                ..self.job.clone()
            };
            OpenBook::open(name, path, file, &job)
        })?;
        if is_new {
            self.play();
        }
        Ok(book.info().book)
    }

    /// Closes a book; edits that were not saved stay beside it.
    pub(super) fn close(&self, name: &str) -> Result<(), PageFailure> {
        let book = self.books.close(name)?;
        self.play();
        book.close()
    }

    /// Tells the books to play from.
    pub(super) fn play(&self) {
        let _in_order = self.books.changing();
        let books = self.books.all();
        let views = books
            .iter()
            .map(|book| PlayBook::new(BookView::clone(&book.view())));
        let views: Vec<_> = views.collect();
        (self.playing)((!views.is_empty()).then(|| PlayBook::first_of(views)));
    }

    /// The list of books as an event; `book` is the one that was opened.
    pub(super) fn tell(&self, book: Option<&str>, sink: &dyn EventSink) {
        let mut fields = json!({ "books": infos(&self.books.all()) });
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
        let books = self.books.all();
        let is_asked = |name: &String| {
            request
                .books
                .as_ref()
                .is_none_or(|asked| asked.contains(name))
        };
        let views = books.iter().map(|book| (book.info().book, book.view()));
        let views: Vec<_> = views.filter(|(name, _)| is_asked(name)).collect();
        let positions = at(request, &views, stop)?;
        books.iter().try_for_each(|book| book.check_read())?;
        Ok(json!({ "positions": positions }))
    }
}
