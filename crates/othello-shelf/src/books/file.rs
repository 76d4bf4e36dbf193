//! The file of a book: opened in place, and written anew with edits.

use std::path::Path;
use std::sync::Arc;

use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::{
    self, BookInput, BookOutputMode, BookReadOptions, BookWriteOptions, OwnedLookup,
};
use othello_book::store::{EditedBook, GrowingBook, PositionLookup as _};
use othello_book::{BookFormat, ops};
use othello_core::Board;
use page_shelf::FileStamp;
use yane_io::{Job, TempFolder, folder_of};

/// A book as readers see it, with its edits.
pub(super) type BookView = EditedBook<OwnedLookup>;

/// The name of a format.
pub(super) const fn format_name(format: BookFormat) -> &'static str {
    match format {
        BookFormat::Edax => "edax",
        BookFormat::EdaxText => "text",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk) => "egbk",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk2) => "egbk2",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk3) => "egbk3",
    }
}

/// Opens the file of a book, in place where that can be.
pub(super) fn open_base(path: &Path, job: &Job) -> yane_io::Result<(Arc<OwnedLookup>, FileStamp)> {
    // Before it is read: a change meanwhile is seen later.
    let stamp = FileStamp::of(path)?;
    let folder = job.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let folder = TempFolder::from(&folder);
    let base = files::open_owned(path, BookReadOptions::default(), folder, job)?;
    Ok((Arc::new(base), stamp))
}

/// Writes a book anew with its edits: what `othello book set` does for each of them, in one pass.
pub(super) fn merge(view: &BookView, path: &Path, job: &Job) -> yane_io::Result<()> {
    let input = BookInput::open(path)?;
    let folder = job.temp_dir.clone().unwrap_or_else(|| folder_of(path));
    let folder = TempFolder::new(folder, path);
    let opened = files::open(&input, BookReadOptions::default(), folder, job)?;
    let mut book = GrowingBook::new(opened.book);
    view.write_to(&mut book);
    if book.find(Board::START).is_some() {
        ops::count_lines(&mut book, Board::START);
    }
    let writing = BookWriteOptions::new(input.file_format());
    files::save(&book, path, BookOutputMode::Write, writing)?;
    Ok(())
}
