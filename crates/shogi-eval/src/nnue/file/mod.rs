//! Evaluation files, read and written; their errors, and notes on odd ones.
//!
//! A file begins with a version, a hash and a text ([`Header`](super::header::Header)), then the feature transformer
//! follows, then perhaps the weights of the progress, then the affine layers of every stack, each part
//! after a hash of its own. SFNN files have the feature transformer as LEB128 numbers. All numbers are
//! little endian.
//!
//! A wrong version or size is an error. A wrong hash is a [`Note`]: programs that write files do not
//! agree about them.

mod cursor;
mod detect;
mod read;
mod write;

use std::{fmt, io};

use thiserror::Error;

use super::network::Network;
use crate::nnue::arch::{Architecture, FILE_VERSION};
use crate::nnue::features::FeatureSet;

pub use crate::files::networks::{OpenError, save_zeros};
pub(super) use read::HASHED;
pub use write::write_network;

/// Options for reading a network.
#[derive(Clone, Debug, Default)]
pub struct NetworkReadOptions {
    /// The shape that the file must have. Needed when a file does not name its shape and several have
    /// its size. Without it the first of them is taken, with a [`Note::Assumed`]: a shortcut before
    /// none, then the order of [`Stacks::with_count`](super::arch::Stacks::with_count). Shards are
    /// known by name only.
    pub architecture: Option<Architecture>,
}

/// A network that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The network.
    pub network: Network,
    /// Oddities of the file, for the user.
    pub notes: Vec<Note>,
}

/// Before every compressed array.
const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

// Errors of reading a file, and notes on the oddities of one that can be read.

/// Error of reading an evaluation file. Offsets are bytes from the file's beginning.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// Reading failed.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// The file ends too early.
    #[error(
        "byte {offset}: {what} should have {needed} bytes, but only {left} are left; the file is cut \
         off or damaged"
    )]
    Truncated {
        /// The offset of the part.
        offset: usize,
        /// The part.
        what: &'static str,
        /// Size in bytes.
        needed: u64,
        /// Bytes from there to the end.
        left: usize,
    },
    /// The first number is not the version of evaluation files.
    #[error(
        "byte 0: found version {found:08X}, expected {FILE_VERSION:08X}; this is no NNUE evaluation \
         file of a kind that is understood"
    )]
    Version {
        /// The number found.
        found: u32,
    },
    /// A part of an SFNN file is not compressed.
    #[error(
        "byte {offset}: {what} should begin with COMPRESSED_LEB128; SFNN files are always compressed"
    )]
    NotCompressed {
        /// The offset of the part.
        offset: usize,
        /// The part.
        what: &'static str,
    },
    /// A compressed number is wrong.
    #[error("byte {offset}: {what}: {fault}")]
    Compressed {
        /// The offset of the number.
        offset: usize,
        /// The part.
        what: &'static str,
        /// The fault.
        fault: LebFault,
    },
    /// An SFNN file's feature transformer has an impossible width.
    #[error(
        "byte {offset}: the feature transformer has {width} biases; expected an even number from 2 to {max}"
    )]
    Width {
        /// The offset of the biases.
        offset: usize,
        /// Number of biases.
        width: usize,
        /// Most there may be.
        max: usize,
    },
    /// An SFNN file's feature transformer has a number of weights that no feature set has.
    #[error(
        "byte {offset}: the feature transformer has {weights} weights for {width} biases; no feature \
         set has {} inputs ({})", *weights as f64 / *width as f64, dimensions()
    )]
    Features {
        /// The offset of the weights.
        offset: usize,
        /// Number of weights.
        weights: usize,
        /// Biases.
        width: usize,
    },
    /// The size is not that of the shape that the header or the user names.
    #[error(
        "{found} bytes from byte {offset}, but {architecture} has {expected} there ({}); {}",
        longer_or_shorter(*found, *expected), *named_by
    )]
    Size {
        /// The shape.
        architecture: Box<Architecture>,
        /// The offset of the part of that size.
        offset: usize,
        /// Its bytes in the file.
        found: u64,
        /// Its bytes in that shape.
        expected: u64,
        /// The source of the claim that the file has this shape.
        named_by: NamedBy,
    },
    /// The user names a shape that is not the file's.
    #[error(
        "{asked} was asked for, but the file has {found}; name the file's own architecture or none"
    )]
    NotAsked {
        /// The shape asked for.
        asked: Box<Architecture>,
        /// The shape of the file.
        found: String,
    },
    /// Nothing that is known has these hashes and this size.
    #[error(
        "a {family} file of {bytes} bytes with hashes {file_hash:08X} and {transformer_hash:08X} and \
         the text `{text}` is of no known architecture; if you know it, name it, for example \
         `halfkp_256x2-32-32`"
    )]
    Unknown {
        /// `classic` or `SFNN`.
        family: &'static str,
        /// Its size.
        bytes: usize,
        /// The file's hash.
        file_hash: u32,
        /// The feature transformer's hash.
        transformer_hash: u32,
        /// The header's text, the beginning of it if it is long.
        text: String,
    },
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The source of the claim that a file has a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The file's header.
    Header,
    /// [`NetworkReadOptions`].
    User,
}

impl std::fmt::Display for NamedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Header => {
                "the header names that architecture: the file is damaged, or name the architecture \
                 that it really has"
            }
            Self::User => "that architecture was asked for: name another or none",
        })
    }
}

/// A fault of a compressed number.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LebFault {
    /// The last byte says that another follows.
    #[error("the last number is cut off")]
    CutOff,
    /// Larger or smaller than 16 bits can hold, or longer than necessary for that.
    #[error("the number is not one of 16 bits")]
    Range,
}

fn dimensions() -> String {
    let known = FeatureSet::ALL.map(|set| format!("{}: {}", set.short_name(), set.dimensions()));
    known.join(", ")
}

fn longer_or_shorter(found: u64, expected: u64) -> String {
    if found < expected {
        format!("{} are missing", expected - found)
    } else {
        format!("{} are too many", found - expected)
    }
}

/// Something the user should know about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A hash is not what it is in files of this shape.
    Hash {
        /// The part.
        what: &'static str,
        /// Its place.
        offset: usize,
        /// The hash found.
        found: u32,
        /// The hash expected.
        expected: u32,
    },
    /// The header names a shape that the file does not have.
    Header {
        /// The shape in the header.
        named: Architecture,
    },
    /// The file may be of several shapes and does not say which.
    Assumed {
        /// The architecture that was assumed.
        taken: Architecture,
        /// The other architectures that fit.
        others: Vec<Architecture>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash {
                what,
                offset,
                found,
                expected,
            } => write!(
                f,
                "byte {offset}: the hash of {what} is {found:08X}, expected {expected:08X}; read \
                 nonetheless"
            ),
            Self::Header { named } => write!(
                f,
                "the header names {named}, but the file's sizes are not those of it"
            ),
            Self::Assumed { taken, others } => {
                const SHOWN: usize = 8;
                write!(f, "taken for {taken}; it may also be")?;
                for other in others.iter().take(SHOWN) {
                    write!(f, " {other}")?;
                }
                if others.len() > SHOWN {
                    write!(f, " or one of {} more", others.len() - SHOWN)?;
                }
                f.write_str(": name the architecture if evaluations look wrong")
            }
        }
    }
}
