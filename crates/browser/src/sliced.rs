//! Large books, which stay with the host.

use std::path::Path;

use yane_io::{MemoryFiles, SliceSource, SlicedFile};

/// Bytes at the beginning of a file that tell what it is.
const HEAD: u64 = 4 << 10;

/// Puts a book among the [files of the tab](crate::TabFiles) that stays with the host, which reads slices of it; returns false for a file that is no such book and has to
/// be put as a whole. Books of some formats are always read as a whole.
pub fn put_sliced(name: &str, source: impl SliceSource + 'static) -> bool {
    let path = Path::new(name);
    let file = SlicedFile::new(source);
    // What cannot be read fails when it is read as a whole.
    let head = file.bytes(0..file.file_len().min(HEAD));
    let is_book = head.is_ok_and(|head| is_sliced_book(path, &head));
    if is_book {
        MemoryFiles::put_sliced(path, file);
    }
    is_book
}

/// Returns whether a file, by its name and its beginning, is a book of one of the games that is looked up in slices.
#[cfg_attr(
    not(any(feature = "shogi", feature = "othello")),
    expect(unused_variables, reason = "no game is there")
)]
fn is_sliced_book(path: &Path, head: &[u8]) -> bool {
    #[cfg(feature = "shogi")]
    if crate::shogi::is_sliced_book(path, head) {
        return true;
    }
    #[cfg(feature = "othello")]
    if othello_book::files::is_for_slices(path, head) {
        return true;
    }
    false
}
