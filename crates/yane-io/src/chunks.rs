//! Large files, read in pieces that end where a line or a record ends.
//!
//! Pieces are read, not mapped: a mapped file counts as memory of the program, and one that is cut
//! short by another program kills it.

use std::path::{Path, PathBuf};

use crate::text::read_all;
use crate::{Error, InputFile, Pool, Result, TextFile};

/// A piece of a file: whole lines, or whole records.
#[derive(Debug)]
pub struct Chunk {
    /// The bytes of the chunk.
    pub bytes: Vec<u8>,
    /// The offset of its first byte, from the start of the file (of text: as UTF-8, without a byte order mark).
    pub offset: u64,
}

type LastBorder = dyn Fn(&[u8]) -> Option<usize> + Send;

/// Reads a file in [`Chunk`]s.
pub struct ChunkReader {
    /// Finds the last place where a new chunk may begin.
    last_border: Box<LastBorder>,
    source: Source,
    path: PathBuf,
    size: usize,
    /// Bytes that were read but belong to the next chunk.
    rest: Vec<u8>,
    offset: u64,
    end: bool,
    /// Bytes that a chunk may have at most.
    most: usize,
    pool: Pool,
}

/// Bytes without a border at which a file is given up: it is none of lines or records.
const MOST: usize = 1 << 30;

/// The source of the bytes.
enum Source {
    Bytes(InputFile),
    Text(TextFile),
}

impl ChunkReader {
    /// Reads lines of text. Chunks are whole lines, about `size` bytes long, longer only when a single
    /// line is. (CR LF may be cut in two, which leaves an empty line behind.) Offsets are those of the text in
    /// UTF-8.
    pub fn lines(text: TextFile, size: usize) -> Self {
        let after_last_line = |bytes: &[u8]| Some(memchr::memrchr2(b'\n', b'\r', bytes)? + 1);
        Self::text(text, size, after_last_line)
    }

    /// Reads text of any other kind. Chunks are about `size` bytes long, longer only when no border
    /// comes earlier. `last_border` finds the last place of the given bytes, which begin at a border,
    /// where a new chunk may begin; `None`, 0: there is none.
    pub fn text(
        text: TextFile,
        size: usize,
        last_border: impl Fn(&[u8]) -> Option<usize> + Send + 'static,
    ) -> Self {
        let path = text.path().to_owned();
        Self::new(Source::Text(text), path, size, last_border)
    }

    /// Opens a file of records of `record` bytes each. Chunks are whole records, about `size` bytes
    /// together, at least one. What is left at the end of the file, less than a record, belongs to
    /// the last chunk.
    ///
    /// # Errors
    /// When the file cannot be opened.
    ///
    /// # Panics
    /// When `record` is 0.
    pub fn records(path: &Path, size: usize, record: usize) -> Result<Self> {
        assert!(record > 0, "a record has bytes");
        let file = InputFile::open(path)?;
        let last_border = move |bytes: &[u8]| Some(bytes.len() / record * record);
        let path = path.to_owned();
        Ok(Self::new(Source::Bytes(file), path, size, last_border))
    }

    fn new(
        source: Source,
        path: PathBuf,
        size: usize,
        last_border: impl Fn(&[u8]) -> Option<usize> + Send + 'static,
    ) -> Self {
        Self {
            last_border: Box::new(last_border),
            source,
            path,
            size: size.max(64),
            rest: Vec::new(),
            offset: 0,
            end: false,
            most: MOST,
            pool: Pool::default(),
        }
    }

    /// Length of what is read in bytes, about that for text in UTF-16; 0 when the system does not know.
    pub fn file_len(&self) -> u64 {
        match &self.source {
            Source::Bytes(file) => file.state().len,
            Source::Text(text) => text.text_len(),
        }
    }

    /// The pool to which buffers of finished chunks are returned.
    pub fn pool(&self) -> Pool {
        self.pool.clone()
    }

    /// The next chunk; `None` at the end of the file.
    ///
    /// # Errors
    /// When reading fails, or there is no border within 1 GiB.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let mut bytes = self.pool.take(self.size + self.rest.len());
        bytes.append(&mut self.rest);
        let mut wanted = self.size;
        while !self.end {
            self.fill(&mut bytes, wanted)?;
            if self.end {
                break;
            }
            if let Some(cut) = (self.last_border)(&bytes).filter(|&cut| cut > 0) {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                break;
            }
            if bytes.len() >= self.most {
                let (count, offset) = (bytes.len(), self.offset);
                let reason =
                    format!("no line or record ends in {count} bytes from byte {offset} on");
                return Err(Error::file(&self.path, reason));
            }
            wanted = bytes.len() * 2;
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        Ok(Some(Chunk { bytes, offset }))
    }

    /// Reads until `bytes` has `wanted` bytes or the file ends.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(bytes.len()) as u64;
        if missing == 0 {
            return Ok(());
        }
        let read = match &mut self.source {
            Source::Text(text) => text.read_up_to(missing, bytes)?,
            Source::Bytes(file) => read_all(file, missing, bytes).map_err(Error::io(&self.path))?,
        };
        self.end = read < missing;
        Ok(())
    }
}

impl std::fmt::Debug for ChunkReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkReader")
            .field("path", &self.path)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_lines_are_whole_lines() {
        let line = |n: usize| "x".repeat(n % 37) + ["\n", "\r\n", "\r"][n % 3];
        let text = (0..200).map(line).collect::<Vec<_>>().concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        for text in [text.as_str(), &format!("{text}no end"), "", "\r"] {
            std::fs::write(&path, text).unwrap();
            for size in [64, 65, 66, 100, 100_000] {
                let file = TextFile::open_any(&path).unwrap();
                let mut reader = ChunkReader::lines(file, size);
                let mut all = Vec::new();
                while let Some(chunk) = reader.next_chunk().unwrap() {
                    assert_eq!(chunk.offset, all.len() as u64);
                    all.extend_from_slice(&chunk.bytes);
                    let last = chunk.bytes.last();
                    assert!(all.len() == text.len() || matches!(last, Some(b'\n' | b'\r')));
                }
                assert_eq!(all, text.as_bytes());
            }
        }
    }

    #[test]
    fn what_has_no_borders_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("line");
        std::fs::write(&path, "line\n".to_owned() + &"x".repeat(1000)).unwrap();
        let reader = |most| {
            let mut reader = ChunkReader::lines(TextFile::open_any(&path).unwrap(), 64);
            reader.most = most;
            assert_eq!(reader.next_chunk().unwrap().unwrap().bytes, b"line\n");
            reader.next_chunk()
        };
        let error = reader(500).unwrap_err().to_string();
        assert!(error.contains("from byte 5 on"), "{error}");
        assert_eq!(reader(2000).unwrap().unwrap().bytes.len(), 1000);
    }

    #[test]
    fn text_in_utf16_comes_in_the_same_chunks() {
        let text = "startpos moves 7g7f\r\n".repeat(200);
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let utf16: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        let chunks = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut reader = ChunkReader::lines(TextFile::open_any(&path).unwrap(), 100);
            let mut chunks = Vec::new();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                chunks.push((chunk.offset, chunk.bytes));
            }
            chunks
        };
        assert_eq!(chunks(text.as_bytes()), chunks(&utf16));
    }

    #[test]
    fn chunks_of_records_are_whole_records() {
        let bytes: Vec<u8> = (0..1000u32).map(|n| (n * 7) as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.bin");
        for len in [0, 39, 40, 41, 80, 960, 1000] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            for (size, record) in [(1, 1), (64, 40), (100, 40), (64, 100), (100_000, 40)] {
                let mut reader = ChunkReader::records(&path, size, record).unwrap();
                let mut all = Vec::new();
                while let Some(chunk) = reader.next_chunk().unwrap() {
                    assert_eq!(chunk.offset, all.len() as u64);
                    all.extend_from_slice(&chunk.bytes);
                    assert!(all.len() == len || chunk.bytes.len() % record == 0);
                }
                assert_eq!(all, bytes[..len]);
            }
        }
    }
}
