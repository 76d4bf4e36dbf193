//! Networks in files as evaluation needs them, to be mapped by any number of processes.
//!
//! Such a file belongs to the machine that wrote it: it is made of an evaluation file and can be made
//! again at any time. So whatever is odd about it is an error, and there is one version.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 | `YaneEval` |
//! | 8 | version, 4 bytes |
//! | 12 | the number 0x01020304, 4 bytes: the byte order of all numbers |
//! | 16 | the [key](MappedKey), 16 bytes |
//! | 32 | bytes of the file, 8 bytes |
//! | 40 | XXH3 of everything from byte 4096 on, 8 bytes |
//! | 48 | for each section its place and its bytes, 8 bytes each |
//! | 4088 | XXH3 of the bytes before, 8 bytes |
//! | 4096 | the sections: the properties ([`header`]), the text of the evaluation file, the arrays |
//!
//! Sections begin at multiples of 4096 bytes. Everything between is 0.

mod file;
mod header;

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

pub use file::MappedNetwork;

use crate::nnue::file::NetworkReadOptions;

/// The version of the form. To be raised when the arrays are laid out in another way: the test
/// `the_form_has_not_changed` notices.
const VERSION: u32 = 7;

/// Sections begin at multiples of this.
const PAGE: usize = 4096;

/// The identity of a mapped file's source: the bytes of an evaluation file, how they were read, and the version of
/// this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MappedKey(u128);

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

/// Files of networks that are laid out have this at the end of their names.
pub(in crate::nnue) const EXTENSION: &str = "laidout";

/// Why a file is not the network that is wanted, laid out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MappedError {
    /// It does not begin as such files do.
    #[error("this is no network that is laid out for evaluation")]
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
        /// Its number.
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

#[cfg(test)]
mod tests;
