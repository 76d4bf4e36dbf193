//! The books that are asked: one file, and before it those with priority.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shogi_core::{Move16, Position};
use shogi_packed::PackedSfen;
use yane_io::TextEncoding;
use yane_io::sniff::Head;

use super::mapped_db::MappedDb;
use crate::apery::{self, Apery};
use crate::book_move::flip_moves;
use crate::memory::{self, ReadOptions};
use crate::sniff::expect_text_book;
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Format, Job, Result, sort_moves};

/// Depth that moves of Apery books are given, which have none.
pub(crate) const APERY_DEPTH: i32 = 256;

/// Options: how a book is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// `BookOnTheFly`: a `.db` file is looked up in place instead of being read into memory, unless it is stored in
    /// UTF-16. Binary books always are.
    pub on_the_fly: bool,
    /// `IgnoreBookPly`: positions are found whatever their ply is.
    pub ignore_ply: bool,
}

/// Any other book that knows the moves of positions: one with edits, for example.
pub trait PositionBook: std::fmt::Debug + Send + Sync {
    /// The moves of `position` in the order of the book; none when it is not there. It is not looked up turned.
    ///
    /// # Errors
    /// When the book is broken at this position.
    fn moves_of(&self, position: &Position) -> Result<Vec<BookMove>>;
}

/// A book that can be asked about positions.
#[derive(Debug)]
pub struct OpenBook {
    kind: OpenKind,
}

#[derive(Debug)]
enum OpenKind {
    Memory(memory::Book),
    Text(MappedDb),
    Ybb { book: Ybb, ignore_ply: bool },
    Apery(Apery),
    Other(Arc<dyn PositionBook>),
}

impl From<memory::Book> for OpenBook {
    fn from(book: memory::Book) -> Self {
        Self {
            kind: OpenKind::Memory(book),
        }
    }
}

impl From<Arc<dyn PositionBook>> for OpenBook {
    fn from(book: Arc<dyn PositionBook>) -> Self {
        Self {
            kind: OpenKind::Other(book),
        }
    }
}

impl OpenBook {
    /// Opens the file `path`, whose extension names its format. Only a `.db` file that is not looked
    /// up on the fly takes time; `job` is for that.
    ///
    /// # Errors
    /// When the file cannot be read, is not what its name says, or the job is cancelled.
    pub fn open(path: &Path, options: OpenOptions, job: &Job) -> Result<Self> {
        let OpenOptions {
            on_the_fly,
            ignore_ply,
        } = options;
        let kind = match Format::of_path(path)? {
            // Files that are not stored as UTF-8 cannot be searched in place.
            Format::Db if on_the_fly && !is_utf16(path)? => {
                OpenKind::Text(MappedDb::open(path, ReadOptions { ignore_ply })?)
            }
            Format::Db => {
                let options = ReadOptions { ignore_ply };
                OpenKind::Memory(memory::Book::read(path, options, job)?)
            }
            Format::Ybb => OpenKind::Ybb {
                book: Ybb::open(path)?,
                ignore_ply,
            },
            Format::Apery => OpenKind::Apery(Apery::open(path)?),
            Format::Sbk => {
                let reason = "expected a .db, .ybb or .bin book (makebook convert makes one of it)";
                return Err(BookError::file(path, reason));
            }
        };
        Ok(Self { kind })
    }

    /// Number of positions, if the file tells without being read.
    pub const fn positions(&self) -> Option<u64> {
        match &self.kind {
            OpenKind::Memory(book) => Some(book.len() as u64),
            OpenKind::Ybb { book, .. } => Some(book.len()),
            OpenKind::Text(_) | OpenKind::Apery(_) | OpenKind::Other(_) => None,
        }
    }

    /// Returns whether positions are found only if the file is sorted: a text file that is looked up in place.
    pub const fn must_be_sorted(&self) -> bool {
        matches!(self.kind, OpenKind::Text(_))
    }

    /// The number, from 1, of the first line whose position must stand before the one in front of it, so that
    /// positions behind it may not be found; `None` when nothing is wrong or order does not matter. Reads a whole text
    /// file.
    ///
    /// # Errors
    /// When the file cannot be read, or the job is cancelled.
    pub fn first_unsorted_line(&self, job: &Job) -> Result<Option<u64>> {
        match &self.kind {
            OpenKind::Text(file) => file.first_unsorted_line(job),
            OpenKind::Memory(_)
            | OpenKind::Ybb { .. }
            | OpenKind::Apery(_)
            | OpenKind::Other(_) => Ok(None),
        }
    }

    /// The moves of `position` in the order of the book; none when it is not there.
    ///
    /// # Errors
    /// When the file is broken at this position.
    pub fn find(&self, position: &Position) -> Result<Vec<BookMove>> {
        match &self.kind {
            OpenKind::Memory(book) => {
                let moves = book.get(position).map(|moves| moves.iter().collect());
                Ok(moves.unwrap_or_default())
            }
            OpenKind::Text(file) => file.find(position),
            OpenKind::Ybb { book, ignore_ply } => find_ybb(book, position, *ignore_ply),
            OpenKind::Apery(book) => Ok(find_apery(book, position)),
            OpenKind::Other(book) => book.moves_of(position),
        }
    }
}

/// Returns whether a text book is stored in UTF-16.
fn is_utf16(path: &Path) -> Result<bool> {
    let head = Head::read(path)?;
    expect_text_book(path, &head)?;
    Ok(TextEncoding::of(head.bytes()).0.is_utf16())
}

fn find_ybb(book: &Ybb, position: &Position, ignore_ply: bool) -> Result<Vec<BookMove>> {
    // A position that cannot be packed, for want of a king, is in no such book.
    let Ok(key) = PackedSfen::encode(position) else {
        return Ok(Vec::new());
    };
    let entry = book.find(&key)?;
    let found = entry.filter(|entry| ignore_ply || u32::from(entry.ply) == position.ply());
    Ok(found.map_or_else(Vec::new, |entry| entry.moves().collect()))
}

fn find_apery(book: &Apery, position: &Position) -> Vec<BookMove> {
    let moves = book.find(apery::key(position)).map(|entry| BookMove {
        mv: entry.mv.decode().map(Move16::encode),
        ponder: None,
        eval: entry.score,
        depth: APERY_DEPTH,
        count: entry.count.into(),
    });
    moves.collect()
}

/// Books in the order in which they are asked.
#[derive(Debug, Default)]
pub struct Books(Vec<OpenBook>);

impl Books {
    /// Replaces the book with this number, from 0, by `book`. Without such a number nothing happens.
    pub fn replace(&mut self, number: usize, book: OpenBook) {
        if let Some(place) = self.0.get_mut(number) {
            *place = book;
        }
    }
}

impl From<Vec<OpenBook>> for Books {
    fn from(books: Vec<OpenBook>) -> Self {
        Self(books)
    }
}

impl Books {
    /// The moves of `position` in the first book that has any, by count, then by value, both falling.
    ///
    /// # Errors
    /// When a file is broken at this position.
    pub fn find(&self, position: &Position) -> Result<Vec<BookMove>> {
        self.find_by(position, false)
    }

    /// [`Self::find`]; every book is asked about the position turned by 180 degrees too.
    ///
    /// # Errors
    /// When a file is broken at this position.
    pub fn find_either_way(&self, position: &Position) -> Result<Vec<BookMove>> {
        self.find_by(position, true)
    }

    /// [`Self::find_either_way`] if `flipped`, else [`Self::find`].
    pub(super) fn find_by(&self, position: &Position, flipped: bool) -> Result<Vec<BookMove>> {
        for book in &self.0 {
            let mut moves = book.find(position)?;
            if moves.is_empty() && flipped {
                moves = flip_moves(book.find(&position.flip())?);
            }
            if !moves.is_empty() {
                sort_moves(&mut moves);
                return Ok(moves);
            }
        }
        Ok(Vec::new())
    }

    /// Returns whether there is no book.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The files to open for a book named `path`, in the order in which they are asked:
/// `<stem>-000.db`, `<stem>-001.db` … as long as there are any (or `.ybb`; the extension of `path`
/// is preferred), then `path` itself. Where `X.db` is missing, `X.ybb` takes its place.
///
/// # Errors
/// When there is no file for `path`.
pub fn book_files(path: &Path) -> Result<Vec<PathBuf>> {
    let base = existing(path, Format::of_path(path)?).ok_or_else(|| {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        BookError::io(path)(missing)
    })?;
    let mut files: Vec<_> = (0..).map_while(|number| priority(path, number)).collect();
    files.push(base);
    Ok(files)
}

/// `path`, or the `.ybb` file in place of a `.db` file.
fn existing(path: &Path, format: Format) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let other = path.with_extension(Format::Ybb.extension());
    (format == Format::Db && other.is_file()).then_some(other)
}

/// The book with priority of this number.
fn priority(path: &Path, number: u32) -> Option<PathBuf> {
    let order = match Format::of_path(path).ok()? {
        Format::Db => [Format::Db, Format::Ybb],
        Format::Ybb => [Format::Ybb, Format::Db],
        Format::Apery | Format::Sbk => return None,
    };
    let stem = path.file_stem()?.to_string_lossy();
    let file = |format| path.with_file_name(format!("{stem}-{number:03}{format}"));
    order.map(file).into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn files_with_priority_come_first() {
        let folder = TestFolder::new();
        let path = |name: &str| folder.path(name);
        let create = |name: &str| std::fs::write(path(name), "").unwrap();
        let files = |name: &str| {
            let files = book_files(&path(name)).unwrap();
            let name = |file: PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
            files.into_iter().map(name).collect::<Vec<_>>()
        };
        assert!(book_files(&path("a.db")).is_err());
        create("a.ybb");
        assert_eq!(files("a.db"), ["a.ybb"]);
        assert_eq!(files("a.ybb"), ["a.ybb"]);
        create("a.db");
        create("a-000.ybb");
        create("a-001.ybb");
        create("a-001.db");
        create("a-003.db");
        assert_eq!(files("a.db"), ["a-000.ybb", "a-001.db", "a.db"]);
        assert_eq!(files("a.ybb"), ["a-000.ybb", "a-001.ybb", "a.ybb"]);
        create("book.bin");
        create("book-000.db");
        assert_eq!(files("book.bin"), ["book.bin"]);
        assert!(book_files(&path("a.txt")).is_err());
    }
}
