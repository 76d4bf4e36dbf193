//! Records on their way, in a temporary file that is a book of Edax.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};
use yane_io::{Error, Map, Result};

use crate::edax::{Header, Record};

/// A file that is written.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: BufWriter<NamedTempFile>,
    folder: PathBuf,
    bytes: Vec<u8>,
}

/// A file that was written. It goes when this does.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) map: Map,
    pub(crate) path: TempPath,
}

impl Temporary {
    /// One with a header, which Edax's books need; it need not be true.
    pub(crate) fn create(folder: &Path, header: Header) -> Result<Self> {
        let file = NamedTempFile::new_in(folder).map_err(Error::io(folder))?;
        let mut temporary = Self {
            file: BufWriter::with_capacity(1 << 20, file),
            folder: folder.to_owned(),
            bytes: header.to_bytes().to_vec(),
        };
        temporary.write()?;
        Ok(temporary)
    }

    fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.bytes);
        written.map_err(Error::io(&self.folder))
    }

    pub(crate) fn put(&mut self, record: &Record) -> Result<()> {
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.write()
    }

    pub(crate) fn finish(self) -> Result<Written> {
        let file = self.file.into_inner();
        let file = file.map_err(|error| Error::io(&self.folder)(error.into_error()))?;
        let path = file.into_temp_path();
        Ok(Written {
            map: Map::open(&path)?,
            path,
        })
    }
}
