//! What the tests share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use othello_book::BookFormat;
use othello_book::files::{self, BookInput, BookReadOptions, BookWriteOptions};
use othello_book::store::MemoryBook;
use othello_bookwork::{BookGrowth, BookStage, BookTask, Result, search_retries, search_threads};
use othello_eval::Weights;
use yane_io::Job;

/// The options of writing a file.
pub(crate) fn writing(output: &Path) -> BookWriteOptions {
    let extension = output.extension().and_then(|extension| extension.to_str());
    BookWriteOptions::new(extension.and_then(BookFormat::of_extension).unwrap())
}

/// A task that writes `output`.
pub(crate) fn task(input: Option<&Path>, output: &Path, stages: &[BookStage]) -> BookTask {
    BookTask::new(
        input.map(Path::to_owned),
        output.to_owned(),
        writing(output),
        stages.to_vec(),
    )
}

/// Runs a task on some threads.
pub(crate) fn run_with(task: &BookTask, count: usize, job: &Job) -> Result<BookGrowth> {
    let threads = search_threads(count, &Arc::new(Weights::built_in()));
    task.run(&threads, search_retries(Duration::from_secs(60)), job)
}

/// Runs a task on some threads, without an error.
pub(crate) fn run(task: &BookTask, count: usize) -> BookGrowth {
    run_with(task, count, &Job::default()).unwrap()
}

/// The positions of a file.
pub(crate) fn loaded(path: &Path) -> MemoryBook {
    let input = BookInput::open(path).unwrap();
    files::load(&input, BookReadOptions::default(), &Job::default())
        .unwrap()
        .book
}

/// The positions of a file without its side-car.
pub(crate) fn loaded_alone(path: &Path) -> MemoryBook {
    let input = BookInput::open(path).unwrap().alone();
    files::load(&input, BookReadOptions::default(), &Job::default())
        .unwrap()
        .book
}

/// The notes of a run.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) std::sync::Mutex<Vec<String>>);

impl yane_io::Progress for Notes {
    fn stage(&self, _: &str, _: Option<u64>, _: yane_io::Unit) {}
    fn advance(&self, _: u64) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}
