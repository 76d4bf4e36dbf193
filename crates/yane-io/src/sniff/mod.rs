//! The kind of a file, by its first bytes: an archive, a picture, a web page, a record of a game, plain text.
//!
//! A reader says what it expects ([`Expected`]); a file of another kind becomes an error that names it, such as
//! "games.db: this is a gzip file; expected a book; unpack it first". This module knows the kinds that have a
//! signature or telling words. A crate with a format of its own adds what recognises it ([`Recogniser`]).
//!
//! ```
//! use yane_io::sniff::{Expected, FileKind, Head};
//!
//! const NUMBERS: FileKind = FileKind::new("a file of numbers");
//! fn numbers(head: &Head) -> Option<FileKind> {
//!     head.bytes().iter().all(u8::is_ascii_digit).then_some(NUMBERS)
//! }
//!
//! assert_eq!(FileKind::of(&Head::of(b"PK\x03\x04..."), &[]).name, "a zip archive");
//! assert_eq!(FileKind::of(&Head::of(b"12345"), &[numbers]), NUMBERS);
//! let expected = Expected { also: &[numbers], ..Expected::text("games, one a line") };
//! let error = expected.check("a.txt".as_ref(), &Head::of(b"12345")).unwrap_err();
//! assert_eq!(error.to_string(), "a.txt: this is a file of numbers; expected games, one a line");
//! ```

mod head;
mod kind;
mod text;

use std::path::Path;

use crate::{Error, Result};

pub use head::Head;
pub use kind::FileKind;
pub use text::{CSA, DB, HTML, JSON, KI2, KIF, POLICY_DB, XML};

/// Recognises a file of a kind that it knows.
pub type Recogniser = fn(&Head) -> Option<FileKind>;

/// A file without a byte.
pub const EMPTY: FileKind = FileKind::new("an empty file");
/// A file of zero bytes, as a crash or a download that was cut short leaves behind.
pub const ZEROS: FileKind =
    FileKind::new("a file of nothing but zero bytes").with_advice("copy or download it again");
/// Anything else that is no text.
pub const BINARY: FileKind = FileKind::new("binary data of an unknown kind");
/// Text.
pub const TEXT: FileKind = FileKind {
    is_text: true,
    ..FileKind::new("a text file")
};

impl FileKind {
    /// The kind of the file that begins with `head`; `also` knows kinds that this crate does not.
    pub fn of(head: &Head, also: &[Recogniser]) -> Self {
        if head.bytes.is_empty() {
            return EMPTY;
        }
        known(&head.bytes)
            .or_else(|| also.iter().find_map(|recognise| recognise(head)))
            .or_else(|| text::known(head))
            .unwrap_or_else(|| fallback(head))
    }
}

/// Text, zeros or other bytes.
fn fallback(head: &Head) -> FileKind {
    if head.is_text() {
        TEXT
    } else if head.bytes.iter().all(|&byte| byte == 0) {
        ZEROS
    } else {
        BINARY
    }
}

/// The expectation of a reader about a file.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The kind of file that is expected, to stand behind "expected": `games, one a line`.
    pub what: &'a str,
    /// Kinds that are right. [`TEXT`] always is.
    pub accepts: &'a [FileKind],
    /// Recognises kinds that this crate does not know.
    pub also: &'a [Recogniser],
}

impl<'a> Expected<'a> {
    /// Plain text that holds `what`.
    pub const fn text(what: &'a str) -> Self {
        Self {
            what,
            accepts: &[],
            also: &[],
        }
    }

    /// Checks that the file at `path`, which begins with `head`, is text that may be what is expected.
    ///
    /// # Errors
    /// [`Error::WrongKind`] when it is something else.
    pub fn check(&self, path: &Path, head: &Head) -> Result<()> {
        let kind = FileKind::of(head, self.also);
        if kind.is_text() || self.accepts.contains(&kind) {
            Ok(())
        } else {
            Err(Error::wrong_kind(path, kind, self.what))
        }
    }

    /// The error about the file at `path`, which begins with `head` and turned out to be something else than
    /// expected.
    pub fn wrong(&self, path: &Path, head: &Head) -> Error {
        Error::wrong_kind(path, FileKind::of(head, self.also), self.what)
    }
}

// Kinds of files that are known by bytes at a fixed place.

const fn packed(name: &'static str) -> FileKind {
    FileKind::new(name).with_advice("unpack it first")
}

/// Packed by gzip.
pub const GZIP: FileKind = packed("a gzip file");
/// A zip archive.
pub const ZIP: FileKind = packed("a zip archive");
/// A 7-Zip archive.
pub const SEVEN_ZIP: FileKind = packed("a 7z archive");
/// Packed by Zstandard.
pub const ZSTD: FileKind = packed("a zstd file");
/// Packed by xz.
pub const XZ: FileKind = packed("an xz file");
/// Packed by bzip2.
pub const BZIP2: FileKind = packed("a bzip2 file");
/// Packed by LZ4.
pub const LZ4: FileKind = packed("an lz4 file");
/// A RAR archive.
pub const RAR: FileKind = packed("a RAR archive");
/// An LZH archive, as old Japanese software comes in.
pub const LHA: FileKind = packed("an LZH archive");
/// A tar archive.
pub const TAR: FileKind = packed("a tar archive");
/// A PNG picture.
pub const PNG: FileKind = FileKind::new("a PNG picture");
/// A JPEG picture.
pub const JPEG: FileKind = FileKind::new("a JPEG picture");
/// A GIF picture.
const GIF: FileKind = FileKind::new("a GIF picture");
/// A PDF document.
pub const PDF: FileKind = FileKind::new("a PDF document");
/// A database of `SQLite`.
pub const SQLITE: FileKind = FileKind::new("an SQLite database");
/// A program.
pub const PROGRAM: FileKind = FileKind::new("a program");
/// Text in UTF-32, which nobody reads.
pub const UTF32: FileKind = FileKind::new("text in UTF-32").with_advice("save it as UTF-8");
/// The text that stands for a large file in a repository that was copied without Git LFS.
pub const GIT_LFS: FileKind = FileKind::new("a Git LFS pointer, not the file itself")
    .with_advice("fetch the file with `git lfs pull`");
/// An opening book, `.ybb`.
pub const YBB: FileKind = FileKind::new("a binary book in the .ybb format");
/// A network for evaluation (NNUE).
pub const EVAL: FileKind = FileKind::new("an NNUE evaluation file");

/// Kinds, with where their bytes stand.
const TABLE: &[(usize, &[u8], FileKind)] = &[
    (0, b"\x1f\x8b\x08", GZIP),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (0, b"\x28\xb5\x2f\xfd", ZSTD),
    (0, b"\xfd7zXZ\0", XZ),
    (0, b"BZh", BZIP2),
    (0, b"\x04\x22\x4d\x18", LZ4),
    (0, b"Rar!\x1a\x07", RAR),
    (2, b"-lh", LHA),
    (257, b"ustar", TAR),
    (0, b"\x89PNG\r\n\x1a\n", PNG),
    (0, b"\xff\xd8\xff", JPEG),
    (0, b"GIF8", GIF),
    (0, b"%PDF-", PDF),
    (0, b"SQLite format 3\0", SQLITE),
    (0, b"\x7fELF", PROGRAM),
    (0, b"MZ\x90\0", PROGRAM),
    (0, b"\xff\xfe\0\0", UTF32),
    (0, b"\0\0\xfe\xff", UTF32),
    (0, b"version https://git-lfs.github.com/spec/", GIT_LFS),
    (0, b"YANE-BINBOOK-", YBB),
    (0, &0x7af3_2f16_u32.to_le_bytes(), EVAL),
];

/// The kind whose bytes are there.
fn known(head: &[u8]) -> Option<FileKind> {
    let stands_there =
        |at: usize, bytes: &[u8]| head.get(at..).is_some_and(|h| h.starts_with(bytes));
    let found = TABLE.iter().find(|(at, bytes, _)| stands_there(*at, bytes));
    found.map(|&(_, _, kind)| kind)
}

#[cfg(test)]
mod tests;
