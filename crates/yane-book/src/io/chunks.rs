//! Large text files, read in pieces that end where a position or a line ends.
//!
//! Pieces are read, not mapped: a mapped file counts as memory of the program, and one that is cut
//! short by another program kills it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::Pool;
use crate::db::last_record_start;
use crate::{BookError, Result};

/// A piece of a text file: whole positions, or whole lines.
#[derive(Debug)]
pub struct Chunk {
    /// The text.
    pub text: Vec<u8>,
    /// Where it begins in the file, in bytes.
    pub offset: u64,
}

/// Reads a text file in [`Chunk`]s.
#[derive(Debug)]
pub struct ChunkReader {
    /// Finds the last place after which a new chunk may begin.
    last_border: fn(&[u8]) -> Option<usize>,
    file: File,
    path: PathBuf,
    size: usize,
    /// What was read but belongs to the next chunk.
    rest: Vec<u8>,
    offset: u64,
    end: bool,
    pool: Pool,
}

impl ChunkReader {
    /// Opens a `.db` book. Chunks are whole positions, about `size` bytes long, longer only when a
    /// single position is.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path, size: usize) -> Result<Self> {
        Self::with_borders(path, size, last_record_start)
    }

    /// Opens a file of lines. Chunks are whole lines, about `size` bytes long, longer only when a single
    /// line is. (CR LF may be cut in two, which leaves an empty line behind.)
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn lines(path: &Path, size: usize) -> Result<Self> {
        let after_last_line = |text: &[u8]| Some(memchr::memrchr2(b'\n', b'\r', text)? + 1);
        Self::with_borders(path, size, after_last_line)
    }

    fn with_borders(
        path: &Path,
        size: usize,
        last_border: fn(&[u8]) -> Option<usize>,
    ) -> Result<Self> {
        Ok(Self {
            last_border,
            file: File::open(path).map_err(BookError::io(path))?,
            path: path.to_owned(),
            size: size.max(64),
            rest: Vec::new(),
            offset: 0,
            end: false,
            pool: Pool::default(),
        })
    }

    /// Length of the file in bytes, 0 when the system does not know.
    pub fn file_len(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// Where buffers of chunks that are done with may be given back.
    pub fn pool(&self) -> Pool {
        self.pool.clone()
    }

    /// The next chunk; `None` at the end of the file.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let mut text = self.pool.take(self.size + self.rest.len());
        text.append(&mut self.rest);
        let mut wanted = self.size;
        while !self.end {
            self.fill(&mut text, wanted)?;
            if self.end {
                break;
            }
            if let Some(cut) = (self.last_border)(&text) {
                self.rest.extend_from_slice(&text[cut..]);
                text.truncate(cut);
                break;
            }
            wanted = text.len() * 2;
        }
        if text.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += text.len() as u64;
        Ok(Some(Chunk { text, offset }))
    }

    /// Reads until `text` has `wanted` bytes or the file ends.
    fn fill(&mut self, text: &mut Vec<u8>, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(text.len()) as u64;
        if missing == 0 {
            return Ok(());
        }
        loop {
            match (&mut self.file).take(missing).read_to_end(text) {
                Ok(read) => {
                    self.end = (read as u64) < missing;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(BookError::io(&self.path)(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_whole_positions_and_nothing_is_lost() {
        let record = |n| format!("sfen position {n}\r\n7g7f none {}\r\n", "9".repeat(n));
        let text = (0..50).map(record).collect::<Vec<_>>().concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        std::fs::write(&path, &text).unwrap();
        for size in [64, 100, 1000, 100_000] {
            let mut reader = ChunkReader::open(&path, size).unwrap();
            let mut all = Vec::new();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                assert_eq!(chunk.offset, all.len() as u64);
                assert!(chunk.text.starts_with(b"sfen "));
                assert!(chunk.text.ends_with(b"\r\n"));
                all.extend_from_slice(&chunk.text);
            }
            assert_eq!(all, text.as_bytes());
        }
    }

    #[test]
    fn chunks_of_lines_are_whole_lines() {
        let line = |n: usize| "x".repeat(n % 37) + ["\n", "\r\n", "\r"][n % 3];
        let text = (0..200).map(line).collect::<Vec<_>>().concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        for text in [text.as_str(), &format!("{text}no end"), "", "\r"] {
            std::fs::write(&path, text).unwrap();
            for size in [64, 65, 66, 100, 100_000] {
                let mut reader = ChunkReader::lines(&path, size).unwrap();
                let mut all = Vec::new();
                while let Some(chunk) = reader.next_chunk().unwrap() {
                    assert_eq!(chunk.offset, all.len() as u64);
                    all.extend_from_slice(&chunk.text);
                    let last = chunk.text.last();
                    assert!(all.len() == text.len() || matches!(last, Some(b'\n' | b'\r')));
                }
                assert_eq!(all, text.as_bytes());
            }
        }
    }
}
