//! A file of events that grows, line by line.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::event::MOST_BYTES;
use crate::runs::FileRuns;

/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;

/// Bytes of a file that are read before others have their turn.
const TURN: u64 = 4 << 20;

/// Bytes from which on the end of a file is shown before all is read.
const LARGE: u64 = 16 << 20;

/// Bytes of the end that is shown then.
const END: u64 = 256 << 10;

/// Bytes by which a file is known again.
const HEAD: usize = 512;

/// A file that is followed: also when it is cut, replaced or gone for a while. Lines are counted whole only, and a part of one is
/// kept until the rest comes.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    open: Option<OpenFile>,
    runs: FileRuns,
    /// The runs by the end of a large file, until all is read.
    at_end: Option<FileRuns>,
    /// All that was there at first has been read.
    has_caught_up: bool,
    error: Option<String>,
}

/// The file as it is open.
#[derive(Debug)]
struct OpenFile {
    file: File,
    offset: u64,
    /// The first bytes.
    head: Vec<u8>,
    partial: Vec<u8>,
    /// The line is longer than events are, and its rest is skipped.
    is_too_long: bool,
}

/// Whether a turn was enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TailTurn {
    /// All is read that is there.
    Over,
    /// There is more.
    More,
}

impl Tail {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            open: None,
            runs: FileRuns::default(),
            at_end: None,
            has_caught_up: false,
            error: None,
        }
    }

    /// The runs as far as they are known.
    pub(crate) fn runs(&self) -> &FileRuns {
        self.at_end.as_ref().unwrap_or(&self.runs)
    }

    /// Why it cannot be read.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The share of a large file that has been read, until all is.
    pub(crate) fn reading(&self) -> Option<f64> {
        let open = self.open.as_ref()?;
        self.at_end.as_ref()?;
        let length = open.file.metadata().ok()?.len().max(1);
        Some((open.offset as f64 / length as f64).min(1.0))
    }

    /// Reads on, for a turn. `now`: milliseconds since 1970.
    pub(crate) fn read(&mut self, now: u64) -> TailTurn {
        match self.try_read(now) {
            Ok(turn) => {
                self.error = None;
                turn
            }
            Err(error) => {
                // What is open stays, and is read on when its name is there again.
                self.error = Some(error.to_string());
                TailTurn::Over
            }
        }
    }

    fn try_read(&mut self, now: u64) -> io::Result<TailTurn> {
        let there = std::fs::metadata(&self.path);
        match &there {
            Ok(there) if self.open.is_none() => self.begin(there)?,
            Ok(there) if !self.finish_old(there, now)? => return Ok(TailTurn::More),
            _ => {}
        }
        let Some(open) = &mut self.open else {
            return there.map(|_| TailTurn::Over);
        };
        let time = self.has_caught_up.then_some(now);
        let turn = open.read(&mut self.runs, time)?;
        if turn == TailTurn::Over {
            if !self.has_caught_up {
                self.has_caught_up = true;
                self.at_end = None;
                let modified = open.file.metadata().ok().and_then(|it| modified_at(&it));
                self.runs.seen(modified.unwrap_or(now));
            }
            // One that was removed stays as it was.
            there?;
        }
        Ok(turn)
    }

    fn begin(&mut self, there: &Metadata) -> io::Result<()> {
        if !there.is_file() {
            let text = "it is no file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let mut open = OpenFile::open(&self.path)?;
        if there.len() > LARGE && !self.has_caught_up {
            self.at_end = Some(open.end(there.len())?);
        }
        self.open = Some(open);
        Ok(())
    }

    /// Looks whether the path leads to the same file still. Of another one, what is left of the old is read first; returns false
    /// if that takes more turns.
    fn finish_old(&mut self, there: &Metadata, now: u64) -> io::Result<bool> {
        let Some(open) = &mut self.open else {
            return Ok(true);
        };
        let old = open.file.metadata()?;
        if is_same_file(there, &old) {
            if old.len() < open.offset || !open.has_same_head()? {
                // It was cut, and may have grown again.
                self.runs.restart();
                *open = OpenFile::open(&self.path)?;
            }
            return Ok(true);
        }
        if open.read(&mut self.runs, Some(now))? == TailTurn::More {
            return Ok(false);
        }
        self.runs.restart();
        self.open = Some(OpenFile::open(&self.path)?);
        Ok(true)
    }
}

impl OpenFile {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
            offset: 0,
            head: Vec::new(),
            partial: Vec::new(),
            is_too_long: false,
        })
    }

    /// Reads on to the end, for a turn.
    fn read(&mut self, runs: &mut FileRuns, now: Option<u64>) -> io::Result<TailTurn> {
        let mut block = vec![0; BLOCK];
        let until = self.offset + TURN;
        self.file.seek(SeekFrom::Start(self.offset))?;
        while self.offset < until {
            let count = self.file.read(&mut block)?;
            if count == 0 {
                return Ok(TailTurn::Over);
            }
            let bytes = &block[..count];
            let missing = HEAD.saturating_sub(self.head.len());
            self.head.extend(bytes.iter().take(missing));
            self.offset += count as u64;
            self.take(bytes, runs, now);
        }
        Ok(TailTurn::More)
    }

    fn take(&mut self, mut bytes: &[u8], runs: &mut FileRuns, now: Option<u64>) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if self.is_too_long {
                runs.take(b"too long", now);
                self.is_too_long = false;
            } else if self.partial.is_empty() {
                runs.take(line, now);
            } else {
                self.partial.extend(line);
                runs.take(&self.partial, now);
            }
            self.partial.clear();
        }
        if self.is_too_long {
            return;
        }
        self.partial.extend(bytes);
        if self.partial.len() > MOST_BYTES {
            self.partial = Vec::new();
            self.is_too_long = true;
        }
    }

    /// The runs by the last lines of a file of so many bytes.
    fn end(&mut self, length: u64) -> io::Result<FileRuns> {
        let mut last = Vec::new();
        self.file
            .seek(SeekFrom::Start(length.saturating_sub(END)))?;
        io::Read::by_ref(&mut self.file)
            .take(END)
            .read_to_end(&mut last)?;
        let mut runs = FileRuns::default();
        let mut lines = last.split(|&byte| byte == b'\n');
        // The first one is a part, and so may the last be.
        lines.next();
        lines.next_back();
        lines.for_each(|line| runs.take(line, None));
        (runs.lines, runs.damaged) = (0, 0);
        Ok(runs)
    }

    fn has_same_head(&mut self) -> io::Result<bool> {
        let mut head = vec![0; self.head.len()];
        self.file.seek(SeekFrom::Start(0))?;
        let same = match self.file.read_exact(&mut head) {
            Ok(()) => head == self.head,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(error) => return Err(error),
        };
        Ok(same)
    }
}

/// The time of the last change, in milliseconds since 1970.
pub(crate) fn modified_at(metadata: &Metadata) -> Option<u64> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_millis() as u64)
}

/// Returns whether both are of one file.
#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns whether both are of one file: those that were made at the same time are.
#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    match (one.created(), other.created()) {
        (Ok(one), Ok(other)) => one == other,
        _ => true,
    }
}
