//! The shape of a network: features, layers, stacks, and what follows from them: hashes and sizes.
//!
//! Two families of evaluation files exist. *Classic* networks add up rows of the feature transformer, apply `ClippedReLU`, and
//! go through three affine layers. *SFNN* networks multiply halves
//! of the sums with each other, square, may add one output directly to the result (shortcut), and
//! have many copies of the affine layers ("stacks"), one of which is chosen by the position.

mod name;
mod shape;
mod stacks;

pub use name::ArchitectureError;
pub use shape::{Classic, INPUT_PADDING, LayerShape, MAX_HIDDEN, MAX_WIDTH, Sfnn, TransformerKind};
pub use stacks::{HandScheme, KingScheme, PROGRESS_BUCKETS, Stacks};

use super::FvScale;
use super::features::FeatureSet;

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// Three layers on clipped sums.
    Classic(Classic),
    /// Stacks of three layers on products of sums.
    Sfnn(Sfnn),
}

impl Architecture {
    /// The set of input features.
    pub const fn features(&self) -> FeatureSet {
        match self {
            Self::Classic(classic) => classic.features(),
            Self::Sfnn(sfnn) => sfnn.features(),
        }
    }

    /// Sums of either indexer: outputs of the feature transformer.
    pub const fn width(&self) -> usize {
        match self {
            Self::Classic(classic) => classic.width(),
            Self::Sfnn(sfnn) => sfnn.width(),
        }
    }

    /// Sizes of the two hidden layers as the name tells them, without a shortcut's output.
    pub const fn hidden(&self) -> [usize; 2] {
        match self {
            Self::Classic(classic) => classic.hidden(),
            Self::Sfnn(sfnn) => sfnn.hidden(),
        }
    }

    /// The three affine layers.
    pub const fn layers(&self) -> [LayerShape; 3] {
        let [hidden1, hidden2] = self.hidden();
        let (inputs, first_outputs, second_inputs) = match self {
            Self::Classic(classic) => (2 * classic.width(), hidden1, hidden1),
            Self::Sfnn(sfnn) => (sfnn.width(), sfnn.first_outputs(), 2 * hidden1),
        };
        [
            LayerShape {
                inputs,
                outputs: first_outputs,
            },
            LayerShape {
                inputs: second_inputs,
                outputs: hidden2,
            },
            LayerShape {
                inputs: hidden2,
                outputs: 1,
            },
        ]
    }

    /// The number of layer stacks (copies of the affine layers).
    pub const fn stack_count(&self) -> usize {
        match self {
            Self::Classic(_) => 1,
            Self::Sfnn(sfnn) => sfnn.stacks().count(),
        }
    }

    /// Returns whether the file has weights for the progress of the game.
    pub const fn has_progress(&self) -> bool {
        match self {
            Self::Classic(_) => false,
            Self::Sfnn(sfnn) => sfnn.stacks().progress() > 1,
        }
    }

    /// The divisor of the output that gives internal units, unless the network's author says
    /// otherwise: 16 in both families.
    pub const fn default_fv_scale(&self) -> FvScale {
        match self {
            Self::Classic(_) | Self::Sfnn(_) => FvScale::DEFAULT,
        }
    }

    /// The number before the feature transformer in a file.
    pub const fn transformer_hash(&self) -> u32 {
        match self {
            Self::Classic(classic) => classic.features().hash() ^ (2 * classic.width() as u32),
            Self::Sfnn(_) => SFNN_TRANSFORMER_HASH,
        }
    }

    /// The number before the affine layers (of every stack) in a file.
    pub fn network_hash(&self) -> u32 {
        const AFFINE: u32 = 0xcc03_dae4;
        const CLIPPED_RELU: u32 = 0x538d_24c7;
        const INPUT_SLICE: u32 = 0xec42_e90d;
        if matches!(self, Self::Sfnn(_)) {
            return SFNN_NETWORK_HASH;
        }
        let affine = |before: u32, outputs: usize| {
            AFFINE.wrapping_add(outputs as u32) ^ (before >> 1) ^ (before << 31)
        };
        let mut hash = INPUT_SLICE ^ (2 * self.width() as u32);
        for outputs in self.hidden() {
            hash = affine(hash, outputs).wrapping_add(CLIPPED_RELU);
        }
        affine(hash, 1)
    }

    /// The number at the beginning of a file, after the version.
    pub fn file_hash(&self) -> u32 {
        match self {
            Self::Classic(_) => self.transformer_hash() ^ self.network_hash(),
            Self::Sfnn(_) if self.has_progress() => SFNN_FILE_HASH ^ PROGRESS_HASH,
            Self::Sfnn(_) => SFNN_FILE_HASH,
        }
    }

    /// Bytes of the affine layers of one stack with the hash before them.
    pub fn stack_bytes(&self) -> usize {
        4 + self
            .layers()
            .into_iter()
            .map(LayerShape::bytes)
            .sum::<usize>()
    }

    /// Bytes of a classic file whose header's text has `description` bytes; `None` for SFNN, whose
    /// sizes depend on the weights. `None` also for sizes beyond 64 bits.
    pub fn file_bytes(&self, description: usize) -> Option<u64> {
        let Self::Classic(classic) = self else {
            return None;
        };
        let rows = 1 + classic.features().dimensions() as u64;
        let transformer = rows.checked_mul(2 * classic.width() as u64)?;
        (12 + 4 + self.stack_bytes() as u64)
            .checked_add(description as u64)?
            .checked_add(transformer)
    }

    /// The text that stands in the header of such files.
    pub fn description(&self) -> String {
        let features = format!(
            "Features={}[{}->{}x2]",
            self.features().file_name(),
            self.features().dimensions(),
            self.width()
        );
        match self {
            Self::Classic(_) => {
                let [first, second, last] = self.layers();
                format!(
                    "{features},Network=AffineTransform[1<-{2}](ClippedReLU[{2}](AffineTransform[{2}<-{1}]\
                     (ClippedReLU[{1}](AffineTransformSparseInput[{1}<-{0}](InputSlice[{0}(0:{0})])))))",
                    first.inputs, second.inputs, last.inputs
                )
            }
            Self::Sfnn(sfnn) => {
                let network = if *sfnn == Sfnn::sfnn1536() {
                    "SFNN-1536".to_owned()
                } else {
                    self.to_string().to_ascii_uppercase()
                };
                let stacks = self.stack_count();
                format!(
                    "ModelType=SFNNWithoutPsqt;{features},Network={network}{{LayerStack={stacks}}}"
                )
            }
        }
    }
}

/// The version of all files.
pub const FILE_VERSION: u32 = 0x7af3_2f16;
/// SFNN files do not tell their shape in hashes: these are the same for all.
pub(super) const SFNN_FILE_HASH: u32 = 0x3c20_3b32;
const SFNN_TRANSFORMER_HASH: u32 = 0x5f13_4ab8;
pub(super) const SFNN_NETWORK_HASH: u32 = 0x6333_718a;
/// Before the weights of the progress, and in the file's hash when there are some.
pub(super) const PROGRESS_HASH: u32 = 0x6f50_524f;

#[cfg(test)]
mod tests;
