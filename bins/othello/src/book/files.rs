//! What commands for books open and write.

use std::path::Path;

use othello_book::files::{BookWriteOptions, OpenedBook};
use othello_book::{BookFormat, files};
use yane_cli::UsageError;
use yane_io::{Job, TempFolder};

use crate::args::ReadArgs;

/// Opens a book of any size for changes, with temporary files for no output.
pub(super) fn open_book(path: &Path, args: &ReadArgs, job: &Job) -> yane_io::Result<OpenedBook> {
    files::open(&args.open(path)?, args.options(), temp_folder(job), job)
}

/// The folder of temporary files for no output.
pub(super) fn temp_folder(job: &Job) -> TempFolder {
    TempFolder::from(&job.temp_dir.clone().unwrap_or_else(std::env::temp_dir))
}

/// The options of writing an output. Its extension is the format.
pub(super) fn writing(output: &Path, args: &ReadArgs) -> Result<BookWriteOptions, UsageError> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    let format = extension.and_then(BookFormat::of_extension);
    let format = format.ok_or_else(|| {
        let name = output.display();
        UsageError(format!(
            "{name}: a name that ends in .dat, .egbk3, .egbk2, .egbk or .txt was expected"
        ))
    })?;
    let mut writing = BookWriteOptions::new(format);
    writing.side_car = !args.no_side_car;
    Ok(writing)
}
