//! The text format `.db`.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen <board> <side> <hands> <ply>
//! <move> <ponder> <eval> <depth> <count>
//! ```
//!
//! Accepted input: UTF-8 and UTF-16, with or without a byte order mark; lines that end with LF, CR LF or CR; blanks at their
//! ends; comments (`#`, `//`) and empty lines anywhere; move lines whose last fields are missing (reply `none`, value 0, depth
//! 0, count 1) or `none`; anything after the fifth field (ignored); a header that is missing. Text before the first `sfen` line
//! is ignored.
//!
//! Written output: the header line, positions as [`shogi_core::Position::to_sfen`] writes them, moves
//! with all five fields and single blanks.

mod chunks;
mod comments;
mod move_line;
mod problem;
mod records;
mod sfen;

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use yane_io::TextFile;

use crate::{BookError, Result};

pub(crate) use chunks::map_chunks;
pub use chunks::open_chunks;
pub use comments::{CommentCounts, CommentPolicy};
pub(crate) use comments::{CommentSubject, Comments, comments_of_books};
pub(crate) use move_line::is_comment;
pub(crate) use move_line::push_number;
pub use move_line::{MoveLine, push_move_line, push_position_line};
pub use problem::LineProblem;
pub(crate) use problem::excerpt;
pub use records::{Lines, Record, Records};
pub(crate) use sfen::Fields;
pub use sfen::{SfenLine, canonical_sfen};

/// The first line of every `.db` file, without its line end.
///
/// `ShogiHome` refuses a file whose first line is a comment other than exactly this one.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Line ends of a text file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// CR LF, as the field's tools write `.db` files.
    #[default]
    CrLf,
    /// LF.
    Lf,
}

impl LineEnd {
    /// The bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::CrLf => b"\r\n",
            Self::Lf => b"\n",
        }
    }
}

/// Policy for bad lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLines {
    /// The first one is an error.
    #[default]
    Fail,
    /// Bad lines are left out and listed. A bad `sfen` line takes its moves with it.
    Skip,
}

/// A line that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The file.
    pub path: PathBuf,
    /// Offset where the line begins, in bytes of the text as UTF-8.
    pub offset: u64,
    /// Number of the line, from 1; 0 before [`Self::with_lines`].
    pub line: u64,
    /// The problem of the line.
    pub problem: LineProblem,
}

impl SkippedLine {
    /// A line left out at byte `offset` of `path`.
    pub fn new(path: &Path, offset: u64, problem: LineProblem) -> Self {
        Self {
            path: path.to_owned(),
            offset,
            line: 0,
            problem,
        }
    }

    /// The list in the order of the lines, numbers filled in.
    ///
    /// # Errors
    /// When a file cannot be read any more.
    pub fn with_lines(mut list: Vec<Self>) -> Result<Vec<Self>> {
        list.sort_by(|a, b| (&a.path, a.offset).cmp(&(&b.path, b.offset)));
        for file in list.chunk_by_mut(|a, b| a.path == b.path) {
            let path = file[0].path.clone();
            let offsets: Vec<u64> = file.iter().map(|line| line.offset).collect();
            let lines = lines_at(&path, &offsets)?;
            for (skipped, line) in file.iter_mut().zip(lines) {
                skipped.line = line;
            }
        }
        Ok(list)
    }
}

impl fmt::Display for SkippedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: line {}: {}",
            self.path.display(),
            self.line,
            self.problem
        )
    }
}

/// Creates the error for a problem at a byte of a text file, with its line number.
///
/// The lines are counted only now, by reading the file again up to there: errors are rare, and the
/// quick way through a book does not look at line ends.
pub fn line_error(path: &Path, offset: u64, problem: LineProblem) -> BookError {
    match line_at(path, offset) {
        Ok(line) => BookError::Line {
            path: path.to_owned(),
            line,
            problem,
        },
        Err(error) => error,
    }
}

/// Number, from 1, of the line in which byte `offset` is.
fn line_at(path: &Path, offset: u64) -> Result<u64> {
    Ok(lines_at(path, &[offset])?[0])
}

/// Numbers, from 1, of the lines in which the bytes at `offsets` (rising) are. LF, CR LF and CR end a
/// line.
pub(crate) fn lines_at(path: &Path, offsets: &[u64]) -> Result<Vec<u64>> {
    let end = offsets.last().copied().unwrap_or(0);
    let mut file = TextFile::open_any(path)?.take(end);
    let mut buffer = vec![0; 1 << 16];
    let (mut line, mut at, mut after_cr) = (1, 0, false);
    let mut lines = Vec::with_capacity(offsets.len());
    loop {
        let read = file.read(&mut buffer).map_err(BookError::io(path))?;
        for &byte in &buffer[..read] {
            while offsets.get(lines.len()).is_some_and(|&offset| offset <= at) {
                lines.push(line);
            }
            line += u64::from(byte == b'\r' || (byte == b'\n' && !after_cr));
            after_cr = byte == b'\r';
            at += 1;
        }
        if read == 0 {
            lines.resize(offsets.len(), line);
            return Ok(lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        let folder = TestFolder::new();
        let path = folder.path("book.db");
        let text = b"a\nb\r\nc\rd\n\ne";
        std::fs::write(&path, text).unwrap();
        for (letter, line) in [(b'a', 1), (b'b', 2), (b'c', 3), (b'd', 4), (b'e', 6)] {
            let offset = text.iter().position(|&byte| byte == letter).unwrap();
            assert_eq!(line_at(&path, offset as u64).unwrap(), line);
        }
    }
}
