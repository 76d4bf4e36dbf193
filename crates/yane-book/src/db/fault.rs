//! What can be wrong with a line.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use shogi_core::SfenError;
use thiserror::Error;

use crate::BookError;

/// What is wrong with a line of a text book or of a record file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The text after `sfen` is no position.
    #[error("bad SFEN: {0}")]
    Sfen(#[from] SfenError),
    /// The first or second field of a move line is no move.
    #[error("expected a move such as 7g7f, found {0:?}")]
    Move(String),
    /// A number field holds something else.
    #[error("{field}: expected a number, found {found:?}")]
    Number {
        /// Which field: eval, depth or count.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// The move cannot be played in its position.
    #[error("illegal move {0}")]
    Illegal(String),
    /// Something else was expected.
    #[error("expected {expected}, found {found:?}")]
    Expected {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
}

/// Bytes of a file for an error message: at most 60 characters, whatever they are.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// A fault at a byte of a text file, told by its line.
///
/// The lines are counted only now, by reading the file again up to there: errors are rare, and the
/// quick way through a book does not look at line ends.
pub fn line_error(path: &Path, offset: u64, fault: Fault) -> BookError {
    match line_at(path, offset) {
        Ok(line) => BookError::Line {
            path: path.to_owned(),
            line,
            fault,
        },
        Err(error) => BookError::io(path)(error),
    }
}

/// Number, from 1, of the line in which byte `offset` is. LF, CR LF and CR end a line.
fn line_at(path: &Path, offset: u64) -> std::io::Result<u64> {
    let reader = BufReader::with_capacity(1 << 16, File::open(path)?.take(offset));
    let mut line = 1;
    let mut after_cr = false;
    for byte in reader.bytes() {
        let byte = byte?;
        line += u64::from(byte == b'\r' || (byte == b'\n' && !after_cr));
        after_cr = byte == b'\r';
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let text = b"a\nb\r\nc\rd\n\ne";
        std::fs::write(&path, text).unwrap();
        for (letter, line) in [(b'a', 1), (b'b', 2), (b'c', 3), (b'd', 4), (b'e', 6)] {
            let offset = text.iter().position(|&byte| byte == letter).unwrap();
            assert_eq!(line_at(&path, offset as u64).unwrap(), line);
        }
    }
}
