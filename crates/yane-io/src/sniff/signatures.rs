//! Kinds of files that are known by bytes at a fixed place.

use super::FileKind;

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
pub(super) fn known(head: &[u8]) -> Option<FileKind> {
    let stands_there =
        |at: usize, bytes: &[u8]| head.get(at..).is_some_and(|h| h.starts_with(bytes));
    let found = TABLE.iter().find(|(at, bytes, _)| stands_there(*at, bytes));
    found.map(|&(_, _, kind)| kind)
}
