//! Writing a text book position by position.

use std::path::Path;

use yane_io::AtomicFile;

use crate::db::{HEADER, LineEnd, push_move_line};
use crate::{BookMove, Result};

/// Bytes collected before they are written.
const BLOCK: usize = 256 << 10;

/// Appends a position with its moves as text.
pub(crate) fn push_text(out: &mut Vec<u8>, sfen: &[u8], moves: &[BookMove], line_end: LineEnd) {
    out.extend_from_slice(b"sfen ");
    out.extend_from_slice(sfen);
    out.extend_from_slice(line_end.bytes());
    for known in moves {
        push_move_line(out, known);
        out.extend_from_slice(line_end.bytes());
    }
}

/// A text book being written.
pub(crate) struct TextWriter {
    file: AtomicFile,
    block: Vec<u8>,
}

impl TextWriter {
    /// Begins the book with its header.
    pub(crate) fn create(path: &Path, line_end: LineEnd) -> Result<Self> {
        let block = [HEADER.as_bytes(), line_end.bytes()].concat();
        Ok(Self {
            file: AtomicFile::create(path)?,
            block,
        })
    }

    /// Adds text of [`push_text`].
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<()> {
        self.block.extend_from_slice(text);
        if self.block.len() >= BLOCK {
            self.write_block()?;
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<()> {
        self.file.put(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Makes the book the file.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.write_block()?;
        Ok(self.file.commit()?)
    }
}
