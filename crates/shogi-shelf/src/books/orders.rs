//! The check of the order of large files, one after the other on a thread in the background.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use page_shelf::FileStamp;
use yane_book::BookError;
use yane_book::edit::{BookOrder, check_order};
use yane_io::Job;

use super::book::OpenBook;

/// Is told what was found.
pub(super) type Checked =
    Box<dyn Fn(&Arc<OpenBook>, &FileStamp, Result<BookOrder, BookError>) + Send>;

/// A file that is to be checked.
struct Task {
    book: Weak<OpenBook>,
    path: PathBuf,
    stamp: FileStamp,
    job: Job,
}

/// The thread, from the first file on. It ends with this.
#[derive(Default)]
pub(super) struct OrderChecks {
    tasks: Mutex<Option<Sender<Task>>>,
}

impl OrderChecks {
    /// Has a book checked, if its order is not known; `checked` is told by the thread.
    pub(super) fn check(&self, book: &Arc<OpenBook>, job: &Job, checked: impl FnOnce() -> Checked) {
        let Some(stamp) = book.unchecked() else {
            return;
        };
        let task = Task {
            book: Arc::downgrade(book),
            path: book.path.clone(),
            stamp,
            job: Job {
                threads: 1,
                cancelled: Arc::clone(&book.closed),
                ..job.clone()
            },
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = tasks.get_or_insert_with(|| start(checked()));
        // The thread takes tasks as long as there is a sender.
        let _sent = sender.send(task);
    }
}

fn start(checked: Checked) -> Sender<Task> {
    let (sender, tasks) = channel::<Task>();
    thread::spawn(move || {
        for task in tasks {
            let found = check_order(&task.path, &task.job);
            // A book that was closed meanwhile is of no interest.
            if let Some(book) = task.book.upgrade().filter(|_| task.job.check().is_ok()) {
                checked(&book, &task.stamp, found);
            }
        }
    });
    sender
}
