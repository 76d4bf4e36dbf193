//! Weights from files, and what is known of the file.

mod edax;
mod egaroucid;
mod net;
mod numbers;
mod own;
mod weights;

use std::path::Path;

use yane_io::Map;

use crate::evaluation::Evaluator;
use crate::tables::PlyOffsets;
use weights::Bytes;
pub use weights::{Weights, WeightsError, WeightsFormat};

/// The weights that come with the program.
const BUILT_IN: &[u8] = include_bytes!("../../weights.yev");

impl Weights {
    /// Weights of an evaluation.
    pub const fn new(main: Evaluator, format: WeightsFormat) -> Self {
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

    /// The file of [`built_in`](Self::built_in), by which it is told from others.
    pub const fn built_in_file() -> &'static [u8] {
        BUILT_IN
    }

    /// Reads a file of ours, of tables or a network, Edax's `eval.dat` or Egaroucid's `eval.egev2`; its contents tell which.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged or something else, with the byte.
    pub fn load(path: &Path) -> yane_io::Result<Self> {
        let map = Map::open(path)?;
        Self::from_bytes(&map).map_err(|error| map.error(error.offset, error.reason))
    }

    /// Returns whether the bytes begin as those of weights do; they may be damaged.
    pub fn are_in(bytes: &[u8]) -> bool {
        own::is_own(bytes)
            || net::is_net(bytes)
            || edax::is_edax(bytes)
            || egaroucid::is_egaroucid(bytes)
    }

    /// Weights from the bytes of a file.
    ///
    /// # Errors
    /// Bytes that are damaged or no weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        if own::is_own(bytes) {
            return own::read(bytes);
        }
        if net::is_net(bytes) {
            return net::read(bytes);
        }
        let (patterns, format) = if edax::is_edax(bytes) {
            (edax::read(bytes)?, WeightsFormat::Edax)
        } else if egaroucid::is_egaroucid(bytes) {
            (egaroucid::read(bytes)?, WeightsFormat::Egaroucid)
        } else {
            return Err(WeightsError::at(
                0,
                "expected weights: ours (YANEOEV4), a network of ours (YANEONN1), Edax's eval.dat or Egaroucid's eval.egev2",
            ));
        };
        Ok(Self::new(Evaluator::Patterns(patterns), format))
    }

    /// The bytes of a file of ours with these weights and a note of at most 65,535 bytes about their origin; a longer one is cut.
    ///
    /// Patterns of Egaroucid have other mirror images than ours; its weights come back with ours.
    pub fn to_bytes(&self, note: &str) -> Vec<u8> {
        match &self.main {
            Evaluator::Patterns(patterns) => own::write(patterns, note),
            Evaluator::Net(net) => net::write(net.weights(), note),
        }
    }

    /// What is added to the values of each ply.
    pub fn offsets(&self) -> PlyOffsets {
        match &self.main {
            Evaluator::Patterns(patterns) => *patterns.offsets(),
            Evaluator::Net(net) => net.offsets(),
        }
    }

    /// The same weights with other constants for each ply.
    pub fn with_offsets(self, offsets: PlyOffsets) -> Self {
        let main = match self.main {
            Evaluator::Patterns(patterns) => Evaluator::Patterns(patterns.with_offsets(offsets)),
            Evaluator::Net(net) => Evaluator::Net(net.with_offsets(offsets)),
        };
        Self { main, ..self }
    }

    /// The evaluation.
    #[inline]
    pub const fn main(&self) -> &Evaluator {
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
