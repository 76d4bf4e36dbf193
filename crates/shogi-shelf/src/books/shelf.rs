//! The books that are open.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use page_messages::{AllPages, EventSink, PageFailure, PageFiles, StopFlag};
use page_shelf::{OpenFiles, name_of};
use serde_json::{Value, json};
use yane_book::BookError;
use yane_book::edit::BookOrder;
use yane_io::{Error, Job};

use super::at::{AtRequest, at};
use super::book::OpenBook;
use super::info::OrderState;
use super::memory::OrderMemory;
use super::orders::OrderChecks;
use super::playing::OpenBooks;

/// Is told the books to play from whenever they change.
pub(super) type Playing = Box<dyn Fn(OpenBooks) + Send + Sync>;

/// The opened books.
pub(super) struct Shelf {
    pub(super) files: Arc<dyn PageFiles>,
    pub(super) job: Job,
    playing: Playing,
    /// All pages, once there are any.
    pub(super) pages: OnceLock<Arc<dyn AllPages>>,
    pub(super) books: OpenFiles<OpenBook>,
    pub(super) memory: OrderMemory,
    checks: OrderChecks,
}

impl Shelf {
    /// An empty shelf; what is found of large files is kept in `folder`.
    pub(super) fn new(
        files: Arc<dyn PageFiles>,
        job: Job,
        folder: Option<&Path>,
        playing: Playing,
    ) -> Self {
        Self {
            files,
            job,
            playing,
            pages: OnceLock::new(),
            books: OpenFiles::default(),
            memory: OrderMemory::of(folder),
            checks: OrderChecks::default(),
        }
    }

    /// An opened book.
    pub(super) fn book(&self, name: &str) -> Result<Arc<OpenBook>, PageFailure> {
        self.books.named(name)
    }

    /// Opens a book, unless it is open already.
    pub(super) fn open(
        self: &Arc<Self>,
        path: &Path,
        stop: &StopFlag,
    ) -> Result<String, PageFailure> {
        let (book, is_new) = self.books.open(path, |name, path| {
            let file = name_of(&path, &*self.files);
            OpenBook::open(name, path, file, &self.memory, &self.job_of(stop))
        })?;
        if is_new {
            self.check_order(&book);
            self.play();
        }
        Ok(book.info().book)
    }

    /// The resources of a request.
    pub(super) fn job_of(&self, stop: &StopFlag) -> Job {
        Job {
            cancelled: stop.shared(),
            ..self.job.clone()
        }
    }

    /// Closes a book; edits that were not saved stay beside it.
    pub(super) fn close(&self, name: &str) -> Result<(), PageFailure> {
        let book = self.books.close(name)?;
        self.play();
        book.close()
    }

    /// Has the order of a large file checked in the background, if it is not known.
    pub(super) fn check_order(self: &Arc<Self>, book: &Arc<OpenBook>) {
        self.checks.check(book, &self.job, || {
            let shelf = Arc::downgrade(self);
            Box::new(move |book, stamp, found| {
                let Some(shelf) = shelf.upgrade() else {
                    return;
                };
                if let Ok(order) = &found {
                    shelf.memory.put(&book.path, stamp, *order);
                }
                if let Some(order) = order_of(found)
                    && book.checked(stamp, order)
                {
                    shelf.tell_all(book);
                }
            })
        });
    }

    /// Tells the books to play from.
    pub(super) fn play(&self) {
        let _in_order = self.books.changing();
        let books = self.books.all();
        let playing = books.iter().filter_map(|book| {
            let info = book.info();
            info.engine.then(|| (info.book, book.view()))
        });
        (self.playing)(OpenBooks::new(playing));
    }

    /// The list of books as an event; `book` is the one that was opened.
    pub(super) fn tell(&self, book: Option<&str>, sink: &dyn EventSink) {
        let infos: Vec<_> = self.books.all().iter().map(|book| book.info()).collect();
        let mut fields = json!({ "books": infos });
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

    /// The same where no request is answered.
    pub(super) fn tell_all(&self, book: &OpenBook) {
        if let Some(pages) = self.pages.get() {
            let info = book.info();
            let fields = json!({ "book": info.book, "rev": info.rev });
            pages.broadcast("book_changed", fields);
        }
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
        Ok(json!({ "positions": at(request, &views, stop)? }))
    }
}

/// The order that was found; `None` if nobody waits for it any more.
fn order_of(found: Result<BookOrder, BookError>) -> Option<OrderState> {
    match found {
        Ok(order) => Some(OrderState::Known(order)),
        Err(BookError::Files(Error::Cancelled)) => None,
        Err(error) => Some(OrderState::Failed(error.to_string())),
    }
}
