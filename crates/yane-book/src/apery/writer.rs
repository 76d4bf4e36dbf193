//! Writing Apery books as a stream.

use std::path::Path;

use shogi_core::{AperyMove16, Move16};
use yane_io::AtomicFile;

use super::RECORD;
use crate::{BookError, BookMove, Result};

/// Writes a book position by position.
#[derive(Debug)]
pub struct AperyWriter {
    file: AtomicFile,
    last: u64,
    count: u64,
}

impl AperyWriter {
    /// Begins a new version of `path`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self {
            file: AtomicFile::create(path)?,
            last: 0,
            count: 0,
        })
    }

    /// Adds the moves of the position with this key, in the order given. Of a move its code, count
    /// and value are written; counts over 65,535 become that.
    ///
    /// # Errors
    /// When the key is smaller than the one before, a code is no move, or the file cannot be
    /// written.
    pub fn push(&mut self, key: u64, moves: &[BookMove]) -> Result<()> {
        if key < self.last {
            return Err(self.bad(key, "expected keys in ascending order"));
        }
        self.last = key;
        for book_move in moves {
            let code = match book_move.mv.map(Move16::decode) {
                None => 0,
                Some(Some(text)) => AperyMove16::encode(text).0,
                Some(None) => return Err(self.bad(key, "expected a move")),
            };
            let count = u16::try_from(book_move.count).unwrap_or(u16::MAX);
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&key.to_le_bytes());
            record[8..10].copy_from_slice(&code.to_le_bytes());
            record[10..12].copy_from_slice(&count.to_le_bytes());
            record[12..].copy_from_slice(&book_move.eval.to_le_bytes());
            self.file.put(&record)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Number of records so far.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is no record yet.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Makes the book the file.
    ///
    /// # Errors
    /// When the file cannot be written; the old file is untouched then.
    pub fn commit(self) -> Result<()> {
        Ok(self.file.commit()?)
    }

    fn bad(&self, key: u64, reason: &str) -> BookError {
        let reason = format!("record {}, key {key:#018x}: {reason}", self.count);
        BookError::file(self.file.target(), reason)
    }
}
