//! The shape of a network: features, layers, stacks, and what follows from them: hashes and sizes.
//!
//! Two families of evaluation files exist. *Classic* networks add up the feature transformer's weights of the active features, apply `ClippedReLU`, and
//! go through three affine layers. *SFNN* networks multiply halves
//! of the accumulator with each other, square, may add one output directly to the result (shortcut), and
//! have many copies of the affine layers ("stacks"), one of which is chosen by the position.

mod error;
mod name;
mod stacks;

use std::ops::Range;

use super::FvScale;
use crate::nnue::features::FeatureSet;

pub use error::ArchitectureError;

pub use stacks::{HandScheme, KingScheme, PROGRESS_BUCKETS, ProgressUse, Stacks};

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// Three affine layers on the clipped accumulator.
    Classic(Classic),
    /// Stacks of three affine layers on products of the accumulator's halves.
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

    /// The width of one perspective's accumulator: outputs of the feature transformer.
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
    pub(crate) fn network_hash(&self) -> u32 {
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
    pub(crate) fn file_bytes(&self, description: usize) -> Option<u64> {
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
pub(crate) const FILE_VERSION: u32 = 0x7af3_2f16;
/// SFNN files do not tell their shape in hashes: these are the same for all.
pub(super) const SFNN_FILE_HASH: u32 = 0x3c20_3b32;
const SFNN_TRANSFORMER_HASH: u32 = 0x5f13_4ab8;
pub(super) const SFNN_NETWORK_HASH: u32 = 0x6333_718a;
/// Before the weights of the progress, and in the file's hash when there are some.
pub(super) const PROGRESS_HASH: u32 = 0x6f50_524f;

// The sizes of both families of networks, checked.

/// Inputs of a layer are padded to a multiple of this in files and in memory.
pub(crate) const INPUT_PADDING: usize = 32;

/// Widest feature transformer that is understood.
pub const MAX_WIDTH: usize = 1 << 16;

/// Widest hidden layer that is understood.
pub const MAX_HIDDEN: usize = 1 << 10;

/// The shape of a classic network, such as `halfkp_256x2-32-32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classic {
    features: FeatureSet,
    width: usize,
    hidden: [usize; 2],
}

/// The shape of an SFNN network, such as `SFNN_halfkahm2_1536_15_32_k3k3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sfnn {
    features: FeatureSet,
    width: usize,
    hidden: [usize; 2],
    transformer_kind: TransformerKind,
    stacks: Stacks,
}

/// The inputs that the outputs of an SFNN's first affine layer use. Files always hold all weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransformerKind {
    /// Every output uses all inputs.
    Full,
    /// Outputs are divided into groups of equal size; each uses the common inputs and those of its
    /// group. `common + shard * groups` is the number of inputs.
    Sharded {
        /// Inputs from 0 on that all outputs use.
        common: usize,
        /// Inputs of one group.
        shard: usize,
        /// Number of groups.
        groups: usize,
    },
}

/// Numbers of inputs and outputs of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerShape {
    /// Inputs without padding.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

impl LayerShape {
    /// Weights of one output, padding included.
    pub const fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(INPUT_PADDING)
    }

    /// Bytes in a file: `i32` biases, then `i8` weights.
    pub const fn bytes(self) -> usize {
        self.outputs * (4 + self.padded_inputs())
    }
}

fn check_size(what: &'static str, size: usize, max: usize) -> Result<(), ArchitectureError> {
    if size == 0 || size > max {
        return Err(ArchitectureError::Size { what, size, max });
    }
    Ok(())
}

impl Classic {
    /// The shape with this feature set, an accumulator of `width` for each perspective and two hidden layers.
    ///
    /// # Errors
    /// A number is 0 or above [`MAX_WIDTH`], [`MAX_HIDDEN`].
    pub fn new(
        features: FeatureSet,
        width: usize,
        hidden: [usize; 2],
    ) -> Result<Self, ArchitectureError> {
        check_size("width", width, MAX_WIDTH)?;
        check_size("first hidden layer", hidden[0], MAX_HIDDEN)?;
        check_size("second hidden layer", hidden[1], MAX_HIDDEN)?;
        Ok(Self {
            features,
            width,
            hidden,
        })
    }

    /// The set of input features.
    pub const fn features(&self) -> FeatureSet {
        self.features
    }

    /// The width of one perspective's accumulator.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Sizes of the two hidden layers.
    pub const fn hidden(&self) -> [usize; 2] {
        self.hidden
    }
}

impl Sfnn {
    /// The shape with this feature set, an accumulator of `width` for each perspective, two hidden layers and
    /// stacks. The first hidden layer has 8n - 1 outputs and a shortcut, or 8n and none.
    ///
    /// # Errors
    /// A number is 0 or above [`MAX_WIDTH`], [`MAX_HIDDEN`]; the width is odd; the first hidden layer
    /// is neither 8n nor 8n - 1; shards do not fit the width or the outputs.
    pub fn new(
        features: FeatureSet,
        width: usize,
        hidden: [usize; 2],
        transformer_kind: TransformerKind,
        stacks: Stacks,
    ) -> Result<Self, ArchitectureError> {
        check_size("width", width, MAX_WIDTH)?;
        check_size("first hidden layer", hidden[0], MAX_HIDDEN)?;
        check_size("second hidden layer", hidden[1], MAX_HIDDEN)?;
        if !width.is_multiple_of(2) {
            return Err(ArchitectureError::OddWidth { width });
        }
        if !matches!(hidden[0] % 8, 0 | 7) {
            return Err(ArchitectureError::FirstHidden { size: hidden[0] });
        }
        let sfnn = Self {
            features,
            width,
            hidden,
            transformer_kind,
            stacks,
        };
        if let TransformerKind::Sharded {
            common,
            shard,
            groups,
        } = transformer_kind
        {
            let used = shard
                .checked_mul(groups)
                .and_then(|n| n.checked_add(common));
            if used != Some(width) || groups < 2 || !sfnn.first_outputs().is_multiple_of(groups) {
                return Err(ArchitectureError::Shards {
                    common,
                    shard,
                    groups,
                    width,
                    outputs: sfnn.first_outputs(),
                });
            }
        }
        Ok(sfnn)
    }

    /// The set of input features.
    pub const fn features(&self) -> FeatureSet {
        self.features
    }

    /// The width of one perspective's accumulator.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Sizes of the two hidden layers without a shortcut's output.
    pub const fn hidden(&self) -> [usize; 2] {
        self.hidden
    }

    /// Returns whether one output of the first affine layer is added to the result as it is.
    pub const fn has_shortcut(&self) -> bool {
        self.hidden[0] % 8 == 7
    }

    /// Outputs of the first affine layer: the hidden ones and the shortcut's.
    pub(crate) const fn first_outputs(&self) -> usize {
        self.hidden[0] + self.has_shortcut() as usize
    }

    /// The rule by which a position selects its layer stack.
    pub const fn stacks(&self) -> Stacks {
        self.stacks
    }

    /// The inputs that the first affine layer uses.
    pub const fn transformer_kind(&self) -> TransformerKind {
        self.transformer_kind
    }

    /// The inputs that `output` of the first affine layer uses: two ranges, the second of which may
    /// be empty.
    pub fn inputs_of(&self, output: usize) -> [Range<usize>; 2] {
        match self.transformer_kind {
            TransformerKind::Full => [0..self.width, 0..0],
            TransformerKind::Sharded {
                common,
                shard,
                groups,
            } => {
                let group = output / (self.first_outputs() / groups);
                let start = common + group * shard;
                [0..common, start..start + shard]
            }
        }
    }

    /// The network known as SFNN1536.
    pub(crate) const fn sfnn1536() -> Self {
        Self {
            features: FeatureSet::HalfKaHm2,
            width: 1536,
            hidden: [15, 32],
            transformer_kind: TransformerKind::Full,
            stacks: Stacks::of_kings(KingScheme::K3),
        }
    }
}

#[cfg(test)]
mod tests;
