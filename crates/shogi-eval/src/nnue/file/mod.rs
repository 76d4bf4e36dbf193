//! Evaluation files, read and written.
//!
//! A file begins with a version, a hash and a text ([`Header`](super::header::Header)), then the feature transformer
//! follows, then perhaps the weights of the progress, then the affine layers of every stack, each part
//! after a hash of its own. SFNN files have the feature transformer as LEB128 numbers. All numbers are
//! little endian.
//!
//! A wrong version or size is an error. A wrong hash is a [`Note`]: programs that write files do not
//! agree about them.

mod detect;
mod error;
mod leb128;
mod read;
mod write;

pub use error::{FileError, LebFault, NamedBy, Note};
pub(super) use read::HASHED;
pub use read::OpenError;
pub use write::{save_zeros, write_network};

use std::io::{self, Read, Write};

use super::arch::Architecture;
use super::network::Network;

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

impl Network {
    /// Reads a file that is in memory (or mapped into it).
    ///
    /// Allocates no more than twice what the file holds.
    ///
    /// # Errors
    /// The file is not one: wrong version, cut off, too long, or of no known shape.
    pub fn from_bytes(bytes: &[u8], options: &NetworkReadOptions) -> Result<Loaded, FileError> {
        read::read(bytes, options)
    }

    /// Reads a file from a stream to its end. The whole file is in memory meanwhile; use
    /// [`Self::from_bytes`] with a memory map where that matters.
    ///
    /// # Errors
    /// The stream cannot be read, or as [`Self::from_bytes`].
    pub fn read(mut stream: impl Read, options: &NetworkReadOptions) -> Result<Loaded, FileError> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes, options)
    }

    /// Writes the network as a file. A file that was read and had the usual hashes is written byte for
    /// byte as it was.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        write_network(self.description(), self.transformer(), self.layers(), out)
    }
}

/// Before every compressed array.
const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";
