//! Frames of bytes: written, put together from what comes, and read field by field.

use std::io::{self, ErrorKind, Read};

use thiserror::Error;

/// Writes a frame.
pub(super) struct FrameWriter(pub(super) Vec<u8>);

impl FrameWriter {
    pub(super) fn new(kind: u8) -> Self {
        Self(vec![0, 0, 0, 0, kind])
    }

    pub(super) fn u16(&mut self, number: usize) {
        self.0.extend((number as u16).to_le_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn f32(&mut self, number: f32) {
        self.0.extend(number.to_le_bytes());
    }

    /// A text, cut off where it is too long.
    pub(super) fn text(&mut self, text: &str) {
        let mut end = text.len().min(MOST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.0.extend(&text.as_bytes()[..end]);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let length = (self.0.len() - 4) as u32;
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// Reads the fields of a message.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], ProtocolError> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(ProtocolError::End)?;
        self.0 = rest;
        Ok(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let bytes = self.bytes(N)?;
        bytes.try_into().map_err(|_| ProtocolError::End)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ProtocolError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ProtocolError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, ProtocolError> {
        self.array().map(f32::from_le_bytes)
    }

    pub(super) fn count(
        &mut self,
        what: &'static str,
        least: usize,
        most: usize,
    ) -> Result<usize, ProtocolError> {
        let found = usize::from(self.u16()?);
        if (least..=most).contains(&found) {
            Ok(found)
        } else {
            Err(ProtocolError::Count { what, found, most })
        }
    }

    pub(super) fn text(&mut self) -> Result<String, ProtocolError> {
        let bytes = std::mem::take(&mut self.0);
        if bytes.len() > MOST_TEXT {
            return Err(ProtocolError::End);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ProtocolError::Text)?;
        Ok(text.to_owned())
    }

    /// The magic number and the version of a hello.
    pub(super) fn hello(&mut self) -> Result<(), ProtocolError> {
        let magic: [u8; 4] = self.array().map_err(|_| ProtocolError::Foreign)?;
        if magic != MAGIC {
            return Err(ProtocolError::Foreign);
        }
        match self.u16()? {
            VERSION => Ok(()),
            other => Err(ProtocolError::Version(other)),
        }
    }

    pub(super) fn end<T>(self, message: T) -> Result<T, ProtocolError> {
        if self.0.is_empty() {
            Ok(message)
        } else {
            Err(ProtocolError::End)
        }
    }
}

/// Puts the bytes of a connection together to frames. What was read in part stays until the rest comes.
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
}

impl FrameReader {
    /// Reads once, as many bytes as there are; 0 at the end.
    ///
    /// # Errors
    /// Those of the source; nothing is lost when time has run out.
    pub fn read_from(&mut self, source: &mut impl Read) -> io::Result<usize> {
        let mut part = [0; 16 << 10];
        let count = source.read(&mut part)?;
        self.bytes.extend(&part[..count]);
        Ok(count)
    }

    /// Takes the next frame, without its length, if it is whole; it has at most `most` bytes.
    ///
    /// # Errors
    /// When a frame is longer, or empty.
    pub fn take(&mut self, most: usize) -> Result<Option<Vec<u8>>, ProtocolError> {
        let Some(&length) = self.bytes.first_chunk::<4>() else {
            return Ok(None);
        };
        let found = u32::from_le_bytes(length);
        let length = found as usize;
        if length > most {
            return Err(ProtocolError::Length { found, most });
        }
        if length == 0 {
            return Err(ProtocolError::End);
        }
        if self.bytes.len() < 4 + length {
            return Ok(None);
        }
        let rest = self.bytes.split_off(4 + length);
        let mut frame = std::mem::replace(&mut self.bytes, rest);
        frame.drain(..4);
        Ok(Some(frame))
    }

    /// Returns whether a part of a frame is there.
    pub const fn is_within_frame(&self) -> bool {
        !self.bytes.is_empty()
    }
}

/// Returns whether time has run out.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The version of the protocol.
pub(crate) const VERSION: u16 = 1;

pub(super) const MAGIC: [u8; 4] = *b"YDNE";

/// Longest text, in bytes.
pub(super) const MOST_TEXT: usize = 512;

/// What is wrong with bytes that should be a message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A frame is longer than any message.
    #[error("a message of {found} bytes, of at most {most}")]
    Length {
        /// What it says.
        found: u32,
        /// Longest.
        most: usize,
    },
    /// There is no such kind of message.
    #[error("a message of the unknown kind {0}")]
    Kind(u8),
    /// The hello is not one of this protocol.
    #[error("no hello of this protocol")]
    Foreign,
    /// The version of the other side is not this one's.
    #[error("protocol version {0}, and here it is {VERSION}")]
    Version(u16),
    /// The planes of the server's network are none that are known.
    #[error("a network of {0} planes")]
    Planes(u16),
    /// A message ends too early, or goes on behind its end.
    #[error("a message of the wrong length")]
    End,
    /// A count is beyond its limit, or 0 positions.
    #[error("{what}: {found}, of at most {most}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// What it says.
        found: usize,
        /// Most.
        most: usize,
    },
    /// Bits of planes are set that stand for nothing.
    #[error("bits that stand for nothing")]
    Bits,
    /// A label is too large, or not larger than the one before.
    #[error("the label {0} in the wrong place")]
    Label(u16),
    /// A number is not finite, or a value not within 0 and 1.
    #[error("a number out of range")]
    Number,
    /// A message does not have the code that it has to have.
    #[error("a message without the right code: another secret, or somebody in between")]
    Seal,
    /// A text is not UTF-8.
    #[error("a text that is none")]
    Text,
}
