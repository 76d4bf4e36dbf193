//! A file of text, read in UTF-8 whatever its encoding.

use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::sniff::{Expected, Head};
use crate::text::TextReader;
use crate::text::encoding::Encoding as TextEncoding;
use crate::{Error, InputFile, PathKind, Result};

/// A text file, read as UTF-8 without its byte order mark.
#[derive(Debug)]
pub struct TextFile {
    pub(super) reader: TextReader<InputFile>,
    pub(super) path: PathBuf,
    /// Bytes of the file, where the system tells.
    pub(crate) len: Option<u64>,
}

impl TextFile {
    /// Opens the text file at `path`.
    ///
    /// # Errors
    /// When it cannot be opened, or is something else than `expected` says, which the error names.
    pub fn open(path: &Path, expected: &Expected<'_>) -> Result<Self> {
        let file = Self::open_any(path)?;
        expected.check(path, file.reader.head())?;
        Ok(file)
    }

    /// Opens the file at `path`, whatever its kind.
    ///
    /// # Errors
    /// When it cannot be opened, or is a folder.
    pub fn open_any(path: &Path) -> Result<Self> {
        let file = InputFile::open(path)?;
        if file.state().kind == PathKind::Folder {
            return Err(Error::file(path, "is a folder, expected a file"));
        }
        let len = file.state().file_len();
        Ok(Self {
            reader: TextReader::new(file, len).map_err(Error::io(path))?,
            path: path.to_owned(),
            len,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The first bytes as they are stored.
    pub const fn head(&self) -> &Head {
        self.reader.head()
    }

    /// The encoding.
    pub const fn encoding(&self) -> TextEncoding {
        self.reader.encoding()
    }

    /// Returns whether a byte order mark was in front.
    pub const fn has_mark(&self) -> bool {
        self.reader.has_mark()
    }

    /// Length of the text in bytes of UTF-8, about that for UTF-16; 0 when the system does not know.
    pub const fn text_len(&self) -> u64 {
        match self.len {
            Some(len) if self.encoding().is_utf16() => len / 2,
            Some(len) => len,
            None => 0,
        }
    }

    /// Appends up to `most` bytes of text to `bytes`, fewer only at the end, and tells how many.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_up_to(&mut self, most: u64, bytes: &mut Vec<u8>) -> Result<u64> {
        let read = self.reader.read_up_to(most, bytes);
        read.map_err(Error::io(&self.path))
    }
}

impl Read for TextFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}
