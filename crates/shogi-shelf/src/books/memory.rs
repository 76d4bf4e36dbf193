//! The orders of large files, remembered from one start of the server to the next.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use page_shelf::FileStamp;
use serde::{Deserialize, Serialize};
use yane_book::edit::{BookOrder, SMALL_BOOK};
use yane_io::{AtomicFile, ReadLimit, text_of_name};

/// Files that are remembered at most.
const MOST: usize = 200;
/// How large their file may be.
const LIMIT: ReadLimit = ReadLimit::Settings;

/// What was found of a file in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    path: String,
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: String,
    positions: u64,
    is_sorted: bool,
    unsorted_line: Option<u64>,
}

impl Remembered {
    fn new(path: &Path, stamp: &FileStamp, order: BookOrder) -> Self {
        Self {
            path: text_of_name(path.as_os_str()),
            bytes: stamp.bytes(),
            modified: stamp.modified().to_string(),
            positions: order.positions,
            is_sorted: order.is_sorted,
            unsorted_line: order.unsorted_line,
        }
    }

    const fn order(&self) -> BookOrder {
        BookOrder {
            positions: self.positions,
            is_sorted: self.is_sorted,
            unsorted_line: self.unsorted_line,
        }
    }
}

/// The orders of large files: small ones are looked at whenever they are opened.
#[derive(Debug, Default)]
pub(super) struct OrderMemory {
    /// `None`: nothing is kept.
    file: Option<PathBuf>,
    /// The latest ones last.
    list: Mutex<Vec<Remembered>>,
}

impl OrderMemory {
    /// What is remembered in a folder. A file that cannot be read is as none: all is checked again.
    pub(super) fn of(folder: Option<&Path>) -> Self {
        let file = folder.map(|folder| folder.join("book-orders.json"));
        let text = file.as_deref().and_then(|file| LIMIT.read(file).ok());
        let list = text.and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            file,
            list: Mutex::new(list.unwrap_or_default()),
        }
    }

    fn list(&self) -> MutexGuard<'_, Vec<Remembered>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The order of a file in a state.
    pub(super) fn find(&self, path: &Path, stamp: &FileStamp) -> Option<BookOrder> {
        let path = text_of_name(path.as_os_str());
        let modified = stamp.modified().to_string();
        let list = self.list();
        let found = list.iter().find(|known| known.path == path)?;
        let is_same = found.bytes == stamp.bytes() && found.modified == modified;
        is_same.then(|| found.order())
    }

    /// Remembers the order of a file in a state.
    pub(super) fn put(&self, path: &Path, stamp: &FileStamp, order: BookOrder) {
        if stamp.bytes() <= SMALL_BOOK {
            return;
        }
        let mut list = self.list();
        let new = Remembered::new(path, stamp, order);
        list.retain(|known| known.path != new.path);
        list.push(new);
        let over = list.len().saturating_sub(MOST);
        list.drain(..over);
        if let Some(file) = &self.file {
            // Without it the file is checked again the next time.
            let _kept = write(file, &list);
        }
    }
}

fn write(file: &Path, list: &[Remembered]) -> yane_io::Result<()> {
    let text = serde_json::to_string_pretty(list).unwrap_or_default();
    let mut out = AtomicFile::create(file)?;
    let failed = out.error();
    writeln!(out, "{text}").map_err(failed)?;
    out.commit()
}
