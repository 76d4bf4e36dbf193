//! What the tests share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use othello_book::BookFormat;
use othello_book::files::{self, BookInput, BookReadOptions, BookWriteOptions};
use othello_book::store::MemoryBook;
use othello_bookwork::{BookStage, BookTask, LocalWorkers};
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

/// Threads that search.
pub(crate) fn threads(count: usize, job: &Job) -> LocalWorkers {
    let weights = Arc::new(Weights::built_in());
    LocalWorkers::new(count, &weights, &[], Duration::from_secs(60), job).unwrap()
}

/// Runs a task on some threads.
pub(crate) fn run(task: &BookTask, count: usize) -> othello_bookwork::BookGrowth {
    let job = Job::default();
    task.run(&mut threads(count, &job), &job).unwrap()
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
