//! Inputs that are read more than once.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use yane_io::{Error, Job, Unit};

use crate::stream::{Batches, Input};
use crate::{Result, TeacherFormat};

/// Bytes copied at once.
const COPY: usize = 256 << 10;

/// An input.
#[derive(Debug)]
pub(crate) struct Source {
    input: Input,
    size: Option<u64>,
    /// What came from the input, if it can be read only once.
    copy: Option<File>,
}

impl Source {
    /// Inputs that are read once.
    pub(crate) fn once(inputs: &[Input]) -> Vec<Self> {
        let source = |input: &Input| Self {
            input: input.clone(),
            size: size_of(input),
            copy: None,
        };
        inputs.iter().map(source).collect()
    }

    /// Inputs that are read several times: what comes from a pipe is copied to a temporary file in
    /// `folder` first. It has no name and vanishes with the program.
    pub(crate) fn again(inputs: &[Input], folder: &Path, job: &Job) -> Result<Vec<Self>> {
        let mut sources = Self::once(inputs);
        for source in &mut sources {
            if source.size.is_none() {
                source.keep(folder, job)?;
            }
        }
        Ok(sources)
    }

    fn keep(&mut self, folder: &Path, job: &Job) -> Result<()> {
        let (mut stream, _) = self.input.open()?;
        let name = format!("keeping {}", self.input);
        job.progress.stage(&name, None, Unit::Bytes);
        let mut copy = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let mut buffer = Vec::with_capacity(COPY);
        let mut size = 0;
        loop {
            job.check()?;
            buffer.clear();
            let read = stream.by_ref().take(COPY as u64).read_to_end(&mut buffer);
            let read = read.map_err(Error::io(self.input.path()))?;
            if read == 0 {
                break;
            }
            copy.write_all(&buffer).map_err(Error::io(folder))?;
            size += read as u64;
            job.progress.advance(read as u64);
        }
        self.size = Some(size);
        self.copy = Some(copy);
        Ok(())
    }

    /// The same sources for another reading, which must not go on at the same time.
    pub(crate) fn reopened(sources: &[Self]) -> Result<Vec<Self>> {
        let reopened = |source: &Self| {
            let copy = source.copy.as_ref().map(File::try_clone).transpose();
            Ok(Self {
                input: source.input.clone(),
                size: source.size,
                copy: copy.map_err(Error::io(source.input.path()))?,
            })
        };
        sources.iter().map(reopened).collect()
    }

    /// Where it comes from.
    pub(crate) const fn input(&self) -> &Input {
        &self.input
    }

    /// Opens it at its start.
    pub(super) fn open(self, format: TeacherFormat) -> Result<Batches> {
        let Some(mut copy) = self.copy else {
            return Batches::open(&self.input, format);
        };
        let rewound: io::Result<()> = copy.rewind();
        rewound.map_err(Error::io(self.input.path()))?;
        Ok(Batches::of_stream(
            Box::new(copy),
            self.size,
            &self.input,
            format,
        ))
    }
}

/// Bytes of a regular file.
fn size_of(input: &Input) -> Option<u64> {
    match input {
        Input::Stdin => None,
        Input::File(path) => {
            let data = std::fs::metadata(path).ok()?;
            data.is_file().then_some(data.len())
        }
    }
}

/// Bytes of all sources, if they are known.
pub(crate) fn total(sources: &[Source]) -> Option<u64> {
    sources.iter().map(|source| source.size).sum()
}
