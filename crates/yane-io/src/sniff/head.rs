//! The beginning of a file.

use std::io;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::text::TextEncoding;
use crate::{Error, InputFile, PathKind, Result};

/// The first bytes of a file.
#[derive(Clone, Debug)]
pub struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(super) len: Option<u64>,
}

impl Head {
    /// The number of bytes that are examined.
    pub const LEN: usize = 16 << 10;

    /// Reads the first bytes of the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, or is a folder.
    pub fn read(path: &Path) -> Result<Self> {
        let mut file = InputFile::open(path)?;
        if file.state().kind == PathKind::Folder {
            return Err(Error::file(path, "is a folder, expected a file"));
        }
        let len = file.state().file_len();
        Self::take(&mut file, len).map_err(Error::io(path))
    }

    /// Takes the first bytes from `source`, which is `len` bytes long if that is known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn take(source: &mut impl Read, len: Option<u64>) -> io::Result<Self> {
        let mut bytes = Vec::with_capacity(Self::LEN);
        while bytes.len() < Self::LEN {
            let missing = (Self::LEN - bytes.len()) as u64;
            match source.by_ref().take(missing).read_to_end(&mut bytes) {
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { bytes, len })
    }

    /// The first bytes of a file that is in memory as a whole.
    pub fn of(file: &[u8]) -> Self {
        Self {
            bytes: file[..file.len().min(Self::LEN)].to_vec(),
            len: Some(file.len() as u64),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Length of the whole file in bytes, if it is known.
    pub fn file_len(&self) -> Option<u64> {
        let whole = self.bytes.len() < Self::LEN;
        if whole {
            Some(self.bytes.len() as u64)
        } else {
            self.len
        }
    }

    /// Returns whether they are text in some encoding: next to no control characters.
    pub fn is_text(&self) -> bool {
        let (encoding, mark) = TextEncoding::of(&self.bytes);
        let text = if encoding.is_utf16() {
            self.text()
        } else {
            self.bytes[mark..].to_vec()
        };
        let is_control = |byte: &&u8| {
            **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A | 0x1B)
        };
        let controls = text.iter().filter(is_control).count();
        // Halves of characters are what UTF-16 never has, and other data soon.
        let halves = if encoding.is_utf16() {
            memchr::memmem::find_iter(&text, "\u{fffd}").count()
        } else {
            0
        };
        (controls + halves) * 50 <= text.len()
    }
}
