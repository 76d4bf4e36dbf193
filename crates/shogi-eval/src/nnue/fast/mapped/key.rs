//! The key of a prepared network in a file, and what may be wrong in one.

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use crate::nnue::file::NetworkReadOptions;

/// The version of the form. To be raised when the arrays are stored in another way: the test
/// `the_form_has_not_changed` notices.
pub(super) const VERSION: u32 = 7;

/// Sections begin at multiples of this.
pub(super) const PAGE: usize = 4096;

/// The identity of a mapped file's source: the bytes of an evaluation file, how they were read, and the version of
/// this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MappedKey(pub(super) u128);

impl MappedKey {
    /// The key for an evaluation file with these `bytes`, read with `options`.
    pub fn new(bytes: &[u8], options: &NetworkReadOptions) -> Self {
        let NetworkReadOptions { architecture } = options;
        let name = architecture.map_or_else(String::new, |architecture| architecture.to_string());
        let how = format!("{VERSION} {} {name}", env!("CARGO_PKG_VERSION"));
        let mut hash = Xxh3::new();
        hash.update(bytes);
        hash.update(how.as_bytes());
        Self(hash.digest128())
    }

    /// The key with these bytes, as they stand in a file.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_ne_bytes(bytes))
    }

    /// The name of its file in a folder of such files.
    pub fn file_name(self) -> String {
        format!("{:032x}.{EXTENSION}", self.0)
    }
}

/// The error of a file that is not the prepared network that is wanted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MappedError {
    /// It does not begin as such files do.
    #[error("this is not a network prepared for evaluation")]
    Magic,
    /// It is of another version.
    #[error("the version is {found}, expected {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Its numbers are in the byte order of another machine.
    #[error("the byte order is that of another machine")]
    ByteOrder,
    /// It was made of another evaluation file.
    #[error("it was made of another evaluation file, or by another version of this program")]
    Key,
    /// It is too short or too long.
    #[error("it has {found} bytes, expected {expected}")]
    Size {
        /// Bytes that it has.
        found: u64,
        /// Bytes that it says it has.
        expected: u64,
    },
    /// The sections do not lie as those of the architecture.
    #[error("section {section} does not lie where it should")]
    Section {
        /// Number of the section.
        section: usize,
    },
    /// Its properties cannot be parsed.
    #[error("line {line} of what it tells about itself cannot be understood")]
    Facts {
        /// The line, from 1 on; the one behind the last when one is missing.
        line: usize,
    },
    /// Bytes have changed.
    #[error("the check value of {part} is wrong")]
    Check {
        /// The header or the sections.
        part: &'static str,
    },
}

/// The extension of mapped files.
pub(crate) const EXTENSION: &str = "laidout";
