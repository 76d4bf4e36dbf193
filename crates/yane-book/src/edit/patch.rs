//! A file written anew with some places replaced; all other bytes are copied.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use yane_io::{AtomicFile, Error, InputFile};

use super::text::end_line;
use crate::{Job, Result, Unit};

/// Bytes copied at a time.
const PIECE: usize = 1 << 20;

/// Bytes that take the place of others. An insertion has an empty place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) place: Range<u64>,
    /// What insertions at one place are sorted by.
    pub(super) key: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// How a patch begins where the bytes before it do not end a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Joint {
    /// Bytes follow bytes.
    Bytes,
    /// A line end comes between them.
    Lines(&'static [u8]),
}

/// Writes the file at `path` anew. Places must not overlap.
///
/// # Errors
/// When the file cannot be read or written, or the job is cancelled; the old file is untouched then.
pub(super) fn write(path: &Path, mut patches: Vec<Patch>, joint: Joint, job: &Job) -> Result<()> {
    // Insertions stand before what begins at their place.
    patches.sort_by(|a, b| {
        let order = |patch: &Patch| (patch.place.start, !patch.place.is_empty());
        order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
    });
    let source = InputFile::open(path)?;
    let len = source.state().len;
    job.progress.stage("write", Some(len), Unit::Bytes);
    let mut copy = Copy {
        source,
        path,
        out: AtomicFile::create(path)?,
        buffer: vec![0; PIECE],
        last: None,
        job,
    };
    let mut at = 0;
    for patch in patches {
        copy.bytes(at..patch.place.start)?;
        copy.patch(&patch.bytes, joint)?;
        at = patch.place.end.max(at);
    }
    copy.bytes(at..len)?;
    Ok(copy.out.commit()?)
}

struct Copy<'a> {
    source: InputFile,
    path: &'a Path,
    out: AtomicFile,
    buffer: Vec<u8>,
    /// The last byte that was written.
    last: Option<u8>,
    job: &'a Job,
}

impl Copy<'_> {
    fn bytes(&mut self, place: Range<u64>) -> Result<()> {
        if place.is_empty() {
            return Ok(());
        }
        self.source
            .seek(SeekFrom::Start(place.start))
            .map_err(Error::io(self.path))?;
        let mut rest = place.end - place.start;
        while rest > 0 {
            self.job.check()?;
            let piece = rest.min(PIECE as u64) as usize;
            let piece = &mut self.buffer[..piece];
            self.source
                .read_exact(piece)
                .map_err(Error::io(self.path))?;
            self.out.put(piece)?;
            self.last = piece.last().copied();
            rest -= piece.len() as u64;
            self.job.progress.advance(piece.len() as u64);
        }
        Ok(())
    }

    fn patch(&mut self, bytes: &[u8], joint: Joint) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if let Joint::Lines(line_end) = joint {
            let mut before: Vec<u8> = self.last.into_iter().collect();
            let len = before.len();
            end_line(&mut before, line_end);
            // A byte order mark ends no line but needs none.
            if self.last != Some(0xbf) {
                self.out.put(&before[len..])?;
            }
        }
        self.out.put(bytes)?;
        self.last = bytes.last().copied();
        Ok(())
    }
}
