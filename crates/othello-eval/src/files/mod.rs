//! Weights from files, and what is known of the file.

mod edax;
mod egaroucid;
mod own;

use std::fmt;
use std::path::Path;

use yane_io::Map;

use crate::evaluator::PatternEvaluator;

/// The weights that come with the program.
const BUILT_IN: &[u8] = include_bytes!("../../weights.yev");

/// The evaluation of an engine, and where it comes from.
///
/// Read-only once made; threads share it.
#[derive(Clone, Debug)]
pub struct Weights {
    main: PatternEvaluator<4>,
    format: WeightsFormat,
    note: String,
}

/// Where weights come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WeightsFormat {
    /// Guessed numbers.
    Untrained,
    /// A file of ours.
    Yaneura,
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
    fn at(offset: usize, reason: impl Into<String>) -> Self {
        Self {
            offset: offset as u64,
            reason: reason.into(),
        }
    }
}

impl Weights {
    /// Weights of an evaluation.
    pub fn new(main: PatternEvaluator<4>, format: WeightsFormat) -> Self {
        Self {
            main,
            format,
            note: String::new(),
        }
    }

    /// The weights that come with the program, made by `docs/othello-weights.md`. Reading them takes some milliseconds.
    pub fn built_in() -> Self {
        // Tests read them.
        Self::from_bytes(BUILT_IN).unwrap_or_else(|error| unreachable!("built-in weights: {error}"))
    }

    /// Reads a file of ours, Edax's `eval.dat` or Egaroucid's `eval.egev2`; its contents tell which.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged or something else, with the byte.
    pub fn load(path: &Path) -> yane_io::Result<Self> {
        let map = Map::open(path)?;
        Self::from_bytes(&map).map_err(|error| map.error(error.offset, error.reason))
    }

    /// Weights from the bytes of a file.
    ///
    /// # Errors
    /// Bytes that are damaged or no weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        if own::is_own(bytes) {
            return own::read(bytes);
        }
        let (main, format) = if edax::is_edax(bytes) {
            (edax::read(bytes)?, WeightsFormat::Edax)
        } else if egaroucid::is_egaroucid(bytes) {
            (egaroucid::read(bytes)?, WeightsFormat::Egaroucid)
        } else {
            return Err(WeightsError::at(
                0,
                "expected weights: ours (YANEOEV3), Edax's eval.dat or Egaroucid's eval.egev2",
            ));
        };
        Ok(Self::new(main, format))
    }

    /// The bytes of a file of ours with these weights and a note of at most 65,535 bytes about their origin; a longer one is cut.
    ///
    /// Patterns of Egaroucid have other mirror images than ours; its weights come back with ours.
    pub fn to_bytes(&self, note: &str) -> Vec<u8> {
        own::write(self, note)
    }

    /// The evaluation.
    #[inline]
    pub const fn main(&self) -> &PatternEvaluator<4> {
        &self.main
    }

    /// The format of the file.
    pub const fn format(&self) -> WeightsFormat {
        self.format
    }

    /// The note about their origin in a file of ours; empty in all others.
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// A reader of little-endian numbers that knows where it is.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    const fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    fn take(&mut self, len: usize, what: &str) -> Result<&'a [u8], WeightsError> {
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

    fn i16s(&mut self, len: usize, what: &str) -> Result<Vec<i16>, WeightsError> {
        let bytes = self.take(len * 2, what)?;
        let numbers = bytes.as_chunks::<2>().0.iter();
        Ok(numbers.map(|&bytes| i16::from_le_bytes(bytes)).collect())
    }

    fn end(&self) -> Result<(), WeightsError> {
        let behind = self.all.len() - self.at;
        if behind == 0 {
            Ok(())
        } else {
            let reason = format!("expected the end of the file, found {behind} more bytes");
            Err(WeightsError::at(self.at, reason))
        }
    }
}
