//! Books for a while: in memory while they are small, else in temporary files.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};
use yane_io::{Map, Result, TempFolder};

use crate::edax::{EdaxHeader, EdaxRecord};

/// Bytes of the largest book that needs no file, which not every system has.
const IN_MEMORY: usize = 16 << 20;

/// A writer of a temporary book of Edax.
#[derive(Debug)]
pub(crate) struct TempBookWriter {
    /// What is written, until there is a file.
    small: Vec<u8>,
    file: Option<BufWriter<NamedTempFile>>,
    folder: TempFolder,
    written: u64,
    bytes: Vec<u8>,
}

/// A temporary book of Edax; a file is deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct TempBook {
    pub(crate) map: Map,
    pub(crate) path: Option<TempPath>,
}

impl TempBookWriter {
    /// Begins a book with a header, which need not be correct.
    pub(crate) fn create(folder: &TempFolder, header: EdaxHeader) -> Result<Self> {
        let mut temporary = Self {
            small: Vec::new(),
            file: None,
            folder: folder.clone(),
            written: 0,
            bytes: header.to_bytes().to_vec(),
        };
        temporary.write()?;
        Ok(temporary)
    }

    fn write(&mut self) -> Result<()> {
        if self.file.is_none() && self.small.len() + self.bytes.len() > IN_MEMORY {
            let file = NamedTempFile::new_in(&self.folder).map_err(self.folder.error(0))?;
            let mut file = BufWriter::with_capacity(1 << 20, file);
            let written = file.write_all(&std::mem::take(&mut self.small));
            written.map_err(self.folder.error(0))?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => {
                let written = file.write_all(&self.bytes);
                written.map_err(self.folder.error(self.written))?;
            }
            None => self.small.extend_from_slice(&self.bytes),
        }
        self.written += self.bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn put(&mut self, record: &EdaxRecord) -> Result<()> {
        self.bytes.clear();
        record.write_to(&mut self.bytes);
        self.write()
    }

    /// The book; `name` is that of one in memory in errors.
    pub(crate) fn finish(self, name: &Path) -> Result<TempBook> {
        let Some(file) = self.file else {
            return Ok(TempBook {
                map: Map::from_bytes(name, self.small),
                path: None,
            });
        };
        let file = file.into_inner();
        let file = file.map_err(|error| self.folder.error(self.written)(error.into_error()))?;
        let path = file.into_temp_path();
        Ok(TempBook {
            map: Map::open(&path)?,
            path: Some(path),
        })
    }
}
