//! Books in temporary files.

use std::io::{BufWriter, Write as _};

use tempfile::{NamedTempFile, TempPath};
use yane_io::{Map, Result, TempFolder};

use crate::edax::{EdaxHeader, EdaxRecord};

/// A writer of a temporary book of Edax.
#[derive(Debug)]
pub(crate) struct TempBookWriter {
    pub(super) file: BufWriter<NamedTempFile>,
    pub(super) folder: TempFolder,
    pub(super) written: u64,
    pub(super) bytes: Vec<u8>,
}

/// A temporary book of Edax, deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct TempBook {
    pub(crate) map: Map,
    pub(crate) path: TempPath,
}

impl TempBookWriter {
    /// Creates a book with a header, which need not be correct.
    pub(crate) fn create(folder: &TempFolder, header: EdaxHeader) -> Result<Self> {
        let file = NamedTempFile::new_in(folder).map_err(folder.error(0))?;
        let mut temporary = Self {
            file: BufWriter::with_capacity(1 << 20, file),
            folder: folder.clone(),
            written: 0,
            bytes: header.to_bytes().to_vec(),
        };
        temporary.write()?;
        Ok(temporary)
    }

    pub(super) fn write(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.bytes);
        written.map_err(self.folder.error(self.written))?;
        self.written += self.bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn put(&mut self, record: &EdaxRecord) -> Result<()> {
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.write()
    }

    pub(crate) fn finish(self) -> Result<TempBook> {
        let file = self.file.into_inner();
        let file = file.map_err(|error| self.folder.error(self.written)(error.into_error()))?;
        let path = file.into_temp_path();
        Ok(TempBook {
            map: Map::open(&path)?,
            path,
        })
    }
}
