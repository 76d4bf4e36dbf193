//! The book being written.

use std::path::Path;

use yane_io::BulkFile;

use crate::Result;
use crate::db::{HEADER, LineEnd, push_move_line, push_position_line};

/// Bytes collected before they are written: few enough for a core's own cache.
const BLOCK: usize = 256 << 10;

/// Collects the text of a book and writes it in blocks.
pub(super) struct Output {
    file: BulkFile,
    block: Vec<u8>,
    line_end: LineEnd,
}

impl Output {
    /// Begins the book with its header.
    pub(super) fn create(path: &Path, line_end: LineEnd) -> Result<Self> {
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 4);
        block.extend_from_slice(HEADER.as_bytes());
        block.extend_from_slice(line_end.bytes());
        Ok(Self {
            file: BulkFile::create(path)?,
            block,
            line_end,
        })
    }

    /// The `sfen` line.
    #[inline]
    pub(super) fn position(&mut self, position: &[u8], ply: u32) {
        push_position_line(&mut self.block, position, ply, self.line_end);
    }

    /// Move lines as they are.
    #[inline]
    pub(super) fn lines(&mut self, lines: &[u8]) {
        self.block.extend_from_slice(lines);
    }

    /// A move line.
    pub(super) fn line(&mut self, book_move: &crate::BookMove) {
        push_move_line(&mut self.block, book_move);
        self.block.extend_from_slice(self.line_end.bytes());
    }

    /// Whether [`Self::write_block`] should be called.
    #[inline]
    pub(super) fn block_is_full(&self) -> bool {
        self.block.len() >= BLOCK
    }

    /// Writes what was collected and tells how many bytes that were.
    pub(super) fn write_block(&mut self) -> Result<u64> {
        self.file.put(&self.block)?;
        let len = self.block.len() as u64;
        self.block.clear();
        Ok(len)
    }

    /// Makes the book the file.
    pub(super) fn commit(mut self) -> Result<()> {
        self.write_block()?;
        Ok(self.file.commit()?)
    }
}
