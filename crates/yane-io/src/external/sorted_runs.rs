//! Storage of sorted runs: in memory while they are few, then in a temporary file without a name.

use std::fs::File;
use std::io;
use std::io::Write;
use std::sync::Arc;

use super::{SortedSource, sorted_order};
use crate::{Error, Pool, Result, TempFolder};

/// A store of runs.
#[derive(Debug)]
pub struct SortedRuns {
    runs: Vec<Run>,
    /// Bytes of the runs that are still in memory.
    in_memory: u64,
    keep: u64,
    folder: TempFolder,
    file: Option<Arc<File>>,
    file_len: u64,
}

#[derive(Debug)]
enum Run {
    Memory(Vec<u8>),
    Disk { offset: u64, len: u64 },
}

/// A run that is being written in pieces.
#[derive(Debug)]
pub(super) struct OpenRun {
    offset: u64,
}

impl SortedRuns {
    /// An empty store that keeps up to `keep` bytes in memory before it makes its file in `folder`.
    pub fn new(folder: impl Into<TempFolder>, keep: u64) -> Self {
        Self {
            runs: Vec::new(),
            in_memory: 0,
            keep,
            folder: folder.into(),
            file: None,
            file_len: 0,
        }
    }

    /// Stores a run, as [`super::RunBuilder`] makes them.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn add(&mut self, run: Vec<u8>) -> Result<()> {
        self.add_from(run, &Pool::default())
    }

    /// As [`Self::add`]; a run that goes to the disk gives its buffer to `pool`.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub(super) fn add_from(&mut self, run: Vec<u8>, pool: &Pool) -> Result<()> {
        if self.file.is_none() && self.in_memory + run.len() as u64 <= self.keep {
            self.in_memory += run.len() as u64;
            self.runs.push(Run::Memory(run));
            return Ok(());
        }
        for index in 0..self.runs.len() {
            if let Run::Memory(bytes) = &mut self.runs[index] {
                let bytes = std::mem::take(bytes);
                self.runs[index] = self.write(&bytes)?;
                pool.give(bytes);
            }
        }
        self.in_memory = 0;
        let written = self.write(&run)?;
        self.runs.push(written);
        pool.give(run);
        Ok(())
    }

    /// Begins a run that is written in pieces; nothing else may be added before it ends.
    pub(super) fn begin_run(&mut self) -> Result<OpenRun> {
        self.write(&[])?;
        Ok(OpenRun {
            offset: self.file_len,
        })
    }

    /// Writes a piece of a run.
    pub(super) fn extend_run(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes).map(drop)
    }

    /// Stores the run that was written in pieces.
    pub(super) fn end_run(&mut self, run: &OpenRun) {
        self.runs.push(Run::Disk {
            offset: run.offset,
            len: self.file_len - run.offset,
        });
    }

    /// Number of runs.
    pub const fn len(&self) -> usize {
        self.runs.len()
    }

    /// Returns whether there is no run.
    pub const fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<Run> {
        let file = if let Some(file) = &self.file {
            file
        } else {
            let file = self.folder.file()?;
            self.file.insert(Arc::new(file))
        };
        let offset = self.file_len;
        let len = bytes.len() as u64;
        (&**file)
            .write_all(bytes)
            .map_err(self.folder.error(offset))?;
        self.file_len += len;
        Ok(Run::Disk { offset, len })
    }

    /// Readers of all runs, in the order they were stored, which read `buffer` bytes at a time.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn into_readers(self, buffer: usize) -> Result<Vec<RunReader>> {
        let Self {
            runs, file, folder, ..
        } = self;
        runs.into_iter()
            .map(|run| {
                let (bytes, from) = match run {
                    Run::Memory(bytes) => (bytes, None),
                    Run::Disk { offset, len } => {
                        let file = file.clone().map(|file| Rest {
                            file,
                            folder: folder.clone(),
                            offset,
                            end: offset + len,
                            buffer,
                        });
                        (Vec::new(), file)
                    }
                };
                RunReader::new(bytes, from)
            })
            .collect()
    }
}

/// Records in memory, one after the other.
#[derive(Debug, Default)]
pub struct RecordBytes {
    bytes: Vec<u8>,
    /// The offset of the current record; the end of `bytes` means there is none.
    at: usize,
}

impl RecordBytes {
    /// The records of a run, as [`super::RunBuilder`] makes them.
    pub const fn new(run: Vec<u8>) -> Self {
        Self { bytes: run, at: 0 }
    }

    /// The buffer, whatever is left in it.
    pub fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns whether all records have been passed.
    pub const fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Key and body of the current record; `None` at the end.
    #[inline(always)]
    pub fn record(&self) -> Option<(&[u8], &[u8])> {
        (!self.is_at_end()).then(|| parse_record(&self.bytes[self.at..]))
    }

    /// Advances to the next record.
    ///
    /// # Panics
    /// At the end.
    #[inline(always)]
    pub fn advance(&mut self) {
        let (key, body) = parse_record(&self.bytes[self.at..]);
        self.at += RECORD_HEADER + key.len() + body.len();
    }
}

/// Reads the records of a run in their order.
#[derive(Debug)]
pub struct RunReader {
    loaded: RecordBytes,
    rest: Option<Rest>,
}

/// The part of a run that is still on the disk.
#[derive(Debug)]
struct Rest {
    file: Arc<File>,
    folder: TempFolder,
    offset: u64,
    end: u64,
    buffer: usize,
}

impl RunReader {
    fn new(bytes: Vec<u8>, rest: Option<Rest>) -> Result<Self> {
        let mut reader = Self {
            loaded: RecordBytes::new(bytes),
            rest,
        };
        reader.ensure()?;
        Ok(reader)
    }

    /// Makes sure that the current record is whole in memory.
    #[inline(always)]
    fn ensure(&mut self) -> Result<()> {
        if self.rest.is_none() {
            return Ok(());
        }
        let loaded = &self.loaded.bytes[self.loaded.at..];
        if let Some(header) = loaded.first_chunk() {
            let (key, body) = record_lengths(*header);
            if loaded.len() >= RECORD_HEADER + key + body {
                return Ok(());
            }
        }
        self.refill()
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        let Some(rest) = &mut self.rest else {
            return Ok(());
        };
        if rest.offset == rest.end {
            return Ok(());
        }
        let bytes = &mut self.loaded.bytes;
        bytes.drain(..self.loaded.at);
        self.loaded.at = 0;
        let have = bytes.len();
        let wanted = rest.buffer.max(have * 2).max(RECORD_HEADER) as u64;
        let more = wanted.min(rest.end - rest.offset) as usize;
        bytes.resize(have + more, 0);
        read_exact_at(&rest.file, &mut bytes[have..], rest.offset)
            .map_err(rest.folder.error(rest.end))?;
        rest.offset += more as u64;
        self.ensure()
    }
}

impl SortedSource for RunReader {
    type Error = Error;

    #[inline(always)]
    fn current(&self) -> Option<(&[u8], &[u8])> {
        self.loaded.record()
    }

    #[inline(always)]
    fn advance(&mut self) -> Result<()> {
        self.loaded.advance();
        self.ensure()
    }
}

/// Fills `bytes` from `offset` on, whatever the position of the file's cursor.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` from `offset` on.
#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Fills `bytes` from `offset` on, by the cursor of the file, which nothing else here reads by.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

// Runs: sorted records as bytes.
//
// A record is the length of its key (u16), the length of its body (u32), both little endian, the key
// and the body.

/// Bytes before the key.
pub(super) const RECORD_HEADER: usize = 6;

/// Records being collected for a run.
#[derive(Debug, Default)]
pub struct RunBuilder {
    data: Vec<u8>,
    /// The offset of each record in `data`.
    starts: Vec<u32>,
    /// Set when a key was added that is less than the one before it.
    unsorted: bool,
}

impl RunBuilder {
    /// An empty one that collects records in `buffer`, which must be empty.
    pub const fn in_buffer(buffer: Vec<u8>) -> Self {
        Self {
            data: buffer,
            starts: Vec::new(),
            unsorted: false,
        }
    }

    /// Adds a record; `body` writes its body to the end of the vector.
    ///
    /// # Panics
    /// When the key has more than 65,535 bytes, the body more than 4 GiB, or all records together
    /// more than 4 GiB.
    #[inline]
    pub fn push_with<R>(&mut self, key: &[u8], body: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let start = u32::try_from(self.data.len()).expect("a run is smaller than 4 GiB");
        let key_len = u16::try_from(key.len()).expect("a key is shorter than 64 KiB");
        self.unsorted = self.unsorted || self.starts.last().is_some_and(|&at| key < self.key(at));
        self.starts.push(start);
        self.data.extend_from_slice(&key_len.to_le_bytes());
        self.data.extend_from_slice(&[0; 4]);
        self.data.extend_from_slice(key);
        let body_start = self.data.len();
        let result = body(&mut self.data);
        let body_len =
            u32::try_from(self.data.len() - body_start).expect("a body is smaller than 4 GiB");
        let at = start as usize + 2;
        self.data[at..at + 4].copy_from_slice(&body_len.to_le_bytes());
        result
    }

    /// Adds a record.
    ///
    /// # Panics
    /// See [`Self::push_with`].
    pub fn push(&mut self, key: &[u8], body: &[u8]) {
        self.push_with(key, |data| data.extend_from_slice(body));
    }

    /// Bytes used.
    pub const fn size(&self) -> usize {
        self.data.len() + self.starts.len() * 4
    }

    /// Number of records.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there is no record.
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns whether the keys are in order.
    pub const fn is_sorted(&self) -> bool {
        !self.unsorted
    }

    /// The first and the last key; `None` without records.
    pub fn ends(&self) -> Option<(&[u8], &[u8])> {
        let (&first, &last) = (self.starts.first()?, self.starts.last()?);
        Some((self.key(first), self.key(last)))
    }

    /// Key of the record that begins at `start`.
    #[inline(always)]
    fn key(&self, start: u32) -> &[u8] {
        parse_record(&self.data[start as usize..]).0
    }

    /// The records in the order they were added.
    pub fn into_unsorted_run(self) -> Vec<u8> {
        self.data
    }

    /// The records in the order of their keys; equal keys in the order they were added.
    pub fn into_run(self) -> Vec<u8> {
        self.into_run_with(&Pool::default())
    }

    /// As [`Self::into_run`], with buffers from and to `pool`.
    pub fn into_run_with(self, pool: &Pool) -> Vec<u8> {
        let sorted = self.is_sorted();
        let Self { data, starts, .. } = self;
        if sorted {
            return data;
        }
        let key = |index: u32| parse_record(&data[starts[index as usize] as usize..]).0;
        let order = sorted_order(starts.len(), key);
        let mut run = pool.take(data.len());
        for index in order {
            let record = &data[starts[index as usize] as usize..];
            let (key, body) = parse_record(record);
            run.extend_from_slice(&record[..RECORD_HEADER + key.len() + body.len()]);
        }
        pool.give(data);
        run
    }
}

/// Lengths of the key and the body of the record that begins here.
#[inline(always)]
pub(super) fn record_lengths(header: [u8; RECORD_HEADER]) -> (usize, usize) {
    let [a, b, c, d, e, f] = header;
    (
        u16::from_le_bytes([a, b]).into(),
        u32::from_le_bytes([c, d, e, f]) as usize,
    )
}

/// Key and body of the record at the start of `bytes`, which must hold it whole.
#[inline(always)]
pub(super) fn parse_record(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut header = [0; RECORD_HEADER];
    header.copy_from_slice(&bytes[..RECORD_HEADER]);
    let (key, body) = record_lengths(header);
    bytes[RECORD_HEADER..RECORD_HEADER + key + body].split_at(key)
}
