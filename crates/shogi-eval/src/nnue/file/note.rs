//! What is odd about a file that can be read nonetheless.

use std::fmt;

use crate::nnue::arch::Architecture;

/// Something the user should know about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A hash is not what it is in files of this shape.
    Hash {
        /// Which.
        what: &'static str,
        /// Its place.
        offset: usize,
        /// What it is.
        found: u32,
        /// What it should be.
        expected: u32,
    },
    /// The header names a shape that the file does not have.
    Header {
        /// The shape in the header.
        named: Architecture,
    },
    /// The file may be of several shapes and does not say which.
    Assumed {
        /// What it was taken for.
        taken: Architecture,
        /// What else it may be.
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
