//! Bytes for the time of a job: in memory while they are few, else in a temporary file without a name, which is
//! seen as memory. Where there is room, its pages stay in memory too; where there is none, the system puts them away.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::{Result, TempFolder};

/// Bytes that can be read and changed. They are freed when this is dropped.
#[derive(Debug)]
pub struct Scratch(ScratchBytes);

#[derive(Debug)]
enum ScratchBytes {
    Memory(Vec<u8>),
    File(MmapMut),
}

/// Writes a [`Scratch`], from its first byte to its last.
#[derive(Debug)]
pub struct ScratchWriter {
    memory: Vec<u8>,
    most: u64,
    folder: TempFolder,
    file: Option<BufWriter<File>>,
    written: u64,
}

impl ScratchWriter {
    /// Up to `memory` bytes stay in memory; more make a file in `folder`.
    pub fn new(folder: impl Into<TempFolder>, memory: u64) -> Self {
        Self {
            memory: Vec::new(),
            most: memory,
            folder: folder.into(),
            file: None,
            written: 0,
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(bytes)
                .map_err(self.folder.error(self.written))?;
            self.written += bytes.len() as u64;
            return Ok(());
        }
        self.memory.extend_from_slice(bytes);
        if self.memory.len() as u64 <= self.most {
            return Ok(());
        }
        let file = self.folder.file()?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let first = std::mem::take(&mut self.memory);
        file.write_all(&first).map_err(self.folder.error(0))?;
        self.written = first.len() as u64;
        self.file = Some(file);
        Ok(())
    }

    /// The bytes that were written.
    ///
    /// # Errors
    /// When the temporary file cannot be written, or not be seen as memory.
    pub fn finish(self) -> Result<Scratch> {
        let Some(file) = self.file else {
            return Ok(Scratch(ScratchBytes::Memory(self.memory)));
        };
        let file = file.into_inner();
        let failed = self.folder.error(self.written);
        let file = file.map_err(|error| failed(error.into_error()))?;
        let map = map(&file).map_err(self.folder.error(self.written))?;
        Ok(Scratch(ScratchBytes::File(map)))
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> std::io::Result<MmapMut> {
    // SAFETY: the file has no name and nobody else a handle of it, so nobody can change or shorten it.
    unsafe { MmapMut::map_mut(file) }
}

impl Deref for Scratch {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            ScratchBytes::Memory(bytes) => bytes,
            ScratchBytes::File(map) => map,
        }
    }
}

impl DerefMut for Scratch {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            ScratchBytes::Memory(bytes) => bytes,
            ScratchBytes::File(map) => map,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_same_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for most in [0, 7, 10_000] {
            let mut writer = ScratchWriter::new(folder.path(), most);
            let mut expected = Vec::new();
            for n in 0..1000u32 {
                writer.put(&n.to_le_bytes()).unwrap();
                expected.extend(n.to_le_bytes());
            }
            let mut bytes = writer.finish().unwrap();
            assert_eq!(*bytes, *expected, "{most}");
            bytes[17] = 99;
            expected[17] = 99;
            assert_eq!(*bytes, *expected, "{most}");
            // The file has no name.
            assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        }
        let empty = ScratchWriter::new(folder.path(), 0).finish().unwrap();
        assert!(empty.is_empty());
    }
}
