//! Reading a file in batches.

use std::io::Read;

use yane_io::Pool;

use super::{Input, StreamStart, split};
use crate::kind::Verdict;
use crate::{Result, TeacherFormat, kind};

/// Bytes of a batch of a pack or hcpe3 file. What it becomes, ten times larger, should still fit in a
/// processor's cache.
const GAMES: usize = 64 << 10;
/// Bytes of a batch of another file.
const RECORDS: usize = 256 << 10;

/// A piece of a file.
#[derive(Debug)]
pub struct Batch {
    /// Whole games, records or lines; behind them, in the last batch, whatever is left.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// Games, records or lines before this batch.
    pub before: u64,
}

/// The batches of a file.
pub struct Batches {
    stream: Box<dyn Read + Send>,
    input: Input,
    format: TeacherFormat,
    size: Option<u64>,
    /// Bytes read and not given out.
    rest: Vec<u8>,
    offset: u64,
    before: u64,
    ended: bool,
    /// Verdict on the first bytes; `None` until they are read.
    verdict: Option<Verdict>,
    pool: Pool,
}

impl Batches {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(input: &Input, format: TeacherFormat) -> Result<Self> {
        Self::open_at(input, format, StreamStart::default())
    }

    /// Opens a file in the middle.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn open_at(
        input: &Input,
        format: TeacherFormat,
        start: StreamStart,
    ) -> Result<Self> {
        let (stream, size) = input.open_at(start.offset)?;
        Ok(Self {
            offset: start.offset,
            before: start.before,
            verdict: (start.offset > 0).then_some(Verdict::Likely),
            ..Self::of_stream(stream, size, input, format)
        })
    }

    /// Batches of a stream that stands for `input`.
    pub(crate) fn of_stream(
        stream: Box<dyn Read + Send>,
        size: Option<u64>,
        input: &Input,
        format: TeacherFormat,
    ) -> Self {
        Self {
            stream,
            input: input.clone(),
            format,
            size,
            rest: Vec::new(),
            offset: 0,
            before: 0,
            ended: false,
            verdict: None,
            pool: Pool::default(),
        }
    }

    /// Bytes of the file, where that is known.
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns true if nothing in the first batch is valid.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.verdict == Some(Verdict::Doubtful)
    }

    /// Returns the pool to which buffers of batches may be returned.
    pub fn pool(&self) -> Pool {
        self.pool.clone()
    }

    /// The next batch; `None` at the end of the file.
    ///
    /// # Errors
    /// When the file cannot be read, or is of another kind than its format says.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut wanted = match self.format {
            TeacherFormat::Pack | TeacherFormat::Hcpe3 => GAMES,
            _ => RECORDS,
        };
        let mut bytes = self.pool.take(wanted);
        bytes.append(&mut self.rest);
        loop {
            self.fill(&mut bytes, wanted)?;
            if self.verdict.is_none() {
                self.verdict = Some(kind::check(&self.input, self.format, &bytes)?);
            }
            let split = split(self.format, &bytes);
            if self.ended || split.stuck {
                self.ended = true;
                return Ok((!bytes.is_empty()).then(|| self.give(bytes, split.units)));
            }
            if split.units > 0 {
                self.rest.extend_from_slice(&bytes[split.len..]);
                bytes.truncate(split.len);
                return Ok(Some(self.give(bytes, split.units)));
            }
            wanted = bytes.len() * 2;
        }
    }

    fn give(&mut self, bytes: Vec<u8>, units: u64) -> Batch {
        let batch = Batch {
            offset: self.offset,
            before: self.before,
            bytes,
        };
        self.offset += batch.bytes.len() as u64;
        self.before += units;
        batch
    }

    /// Reads until there are `wanted` bytes.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(bytes.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        let read = self
            .stream
            .by_ref()
            .take(missing as u64)
            .read_to_end(bytes)
            .map_err(yane_io::Error::io(self.input.path()))?;
        self.ended = read < missing;
        Ok(())
    }
}
