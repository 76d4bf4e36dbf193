//! Weights as they are read, and what may be wrong in their files.

use std::fmt;

use crate::evaluation::Evaluator;

/// The evaluation of an engine, and where it comes from.
///
/// Read-only once made; threads share it.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(super) main: Evaluator,
    pub(super) format: WeightsFormat,
    pub(super) note: String,
}

/// Where weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WeightsFormat {
    /// Guessed numbers.
    Untrained,
    /// A file of ours with tables.
    Yaneura,
    /// A network of ours.
    YaneuraNet,
    /// `eval.dat` of Edax.
    Edax,
    /// `eval.egev2` of Egaroucid.
    Egaroucid,
}

/// Writes the name for people.
impl fmt::Display for WeightsFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Untrained => "untrained",
            Self::Yaneura => "yaneura",
            Self::YaneuraNet => "yaneura network",
            Self::Edax => "Edax eval.dat",
            Self::Egaroucid => "Egaroucid eval.egev2",
        })
    }
}

/// Bytes that are no weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {reason}")]
pub struct WeightsError {
    /// Offset of the wrong bytes.
    pub offset: u64,
    /// The expected and the found contents.
    pub reason: String,
}

impl WeightsError {
    pub(super) fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self {
            offset: offset as u64,
            reason: reason.into(),
        }
    }
}

/// A reader of little-endian numbers that knows where it is.
pub(super) struct Bytes<'a> {
    pub(super) all: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) const fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    pub(super) fn take(&mut self, len: usize, what: &str) -> Result<&'a [u8], WeightsError> {
        let rest = self.all.get(self.at..).unwrap_or_default();
        let Some(bytes) = rest.get(..len) else {
            let end = self.all.len();
            return Err(WeightsError::at(
                end,
                format!("the file ends within {what}"),
            ));
        };
        self.at += len;
        Ok(bytes)
    }

    pub(super) fn i16s(&mut self, len: usize, what: &str) -> Result<Vec<i16>, WeightsError> {
        let bytes = self.take(len * 2, what)?;
        let numbers = bytes.as_chunks::<2>().0.iter();
        Ok(numbers.map(|&bytes| i16::from_le_bytes(bytes)).collect())
    }

    pub(super) fn end(&self) -> Result<(), WeightsError> {
        let behind = self.all.len() - self.at;
        if behind == 0 {
            Ok(())
        } else {
            let reason = format!("expected the end of the file, found {behind} more bytes");
            Err(WeightsError::at(self.at, reason))
        }
    }
}
