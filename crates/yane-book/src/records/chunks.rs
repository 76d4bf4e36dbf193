//! Text files read in pieces of whole lines, worked on by several threads, results in order.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use memchr::memrchr2;

use crate::io::{Chunk, ChunkReader, Ordered};
use crate::{BookError, Job, Result, Unit};

/// Length of a piece in bytes: thousands of games, so that handing it over costs nothing.
const CHUNK: usize = 256 << 10;

/// Calls `work` on every piece of the file at `path` (whole lines) on the job's threads, and `take`
/// on the results in the order of the file.
pub(crate) fn for_each_chunk<T: Send + 'static>(
    path: &Path,
    job: &Job,
    work: impl Fn(Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut reader = LineChunks::open(path, CHUNK)?;
    let len = reader.file.metadata().map_or(0, |data| data.len());
    run(path, job, len, move || reader.next_chunk(), work, take)
}

/// The same for a book: pieces are whole positions with their moves.
pub(crate) fn for_each_position_chunk<T: Send + 'static>(
    path: &Path,
    job: &Job,
    work: impl Fn(Chunk) -> Result<T> + Send + Sync + 'static,
    take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut reader = ChunkReader::open(path, CHUNK)?;
    let len = reader.file_len();
    run(path, job, len, move || reader.next_chunk(), work, take)
}

fn run<T: Send + 'static>(
    path: &Path,
    job: &Job,
    len: u64,
    source: impl FnMut() -> Result<Option<Chunk>> + Send + 'static,
    work: impl Fn(Chunk) -> Result<T> + Send + Sync + 'static,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let name = format!("reading {}", path.display());
    job.progress.stage(&name, Some(len), Unit::Bytes);
    let work = move |chunk: Chunk| {
        let bytes = chunk.text.len() as u64;
        work(chunk).map(|result| (bytes, result))
    };
    for result in Ordered::new(job.threads, source, work) {
        job.check()?;
        let (bytes, result) = result?;
        take(result)?;
        job.progress.advance(bytes);
    }
    Ok(())
}

/// Reads a file in pieces that end where a line ends.
struct LineChunks {
    file: File,
    path: PathBuf,
    size: usize,
    /// The beginning of a line whose end has not been read.
    rest: Vec<u8>,
    offset: u64,
    end: bool,
}

impl LineChunks {
    fn open(path: &Path, size: usize) -> Result<Self> {
        Ok(Self {
            file: File::open(path).map_err(BookError::io(path))?,
            path: path.to_owned(),
            size,
            rest: Vec::new(),
            offset: 0,
            end: false,
        })
    }

    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let mut text = Vec::with_capacity(self.size + self.rest.len());
        text.append(&mut self.rest);
        while !self.end {
            let known = text.len();
            self.fill(&mut text)?;
            // A CR LF that is cut in two leaves an empty line behind, which says nothing.
            if let Some(cut) = memrchr2(b'\n', b'\r', &text[known..])
                && !self.end
            {
                self.rest = text.split_off(known + cut + 1);
                break;
            }
        }
        if text.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += text.len() as u64;
        Ok(Some(Chunk { text, offset }))
    }

    fn fill(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let wanted = self.size as u64;
        loop {
            match (&mut self.file).take(wanted).read_to_end(text) {
                Ok(read) => {
                    self.end = (read as u64) < wanted;
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
    fn pieces_are_whole_lines_and_nothing_is_lost() {
        let text: String = (0..200)
            .map(|n| "x".repeat(n % 37) + ["\n", "\r\n", "\r"][n % 3])
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sfen");
        for text in [text.as_str(), &format!("{text}no end"), "", "\r"] {
            std::fs::write(&path, text).unwrap();
            for size in [1, 2, 3, 10, 64, 100_000] {
                let mut reader = LineChunks::open(&path, size).unwrap();
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
