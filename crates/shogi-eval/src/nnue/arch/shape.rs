//! The sizes of both families of networks, checked.

use std::ops::Range;

use super::{ArchitectureError, KingScheme, Stacks};
use crate::nnue::features::FeatureSet;

/// Inputs of a layer are padded to a multiple of this in files and in memory.
pub const INPUT_PADDING: usize = 32;

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

/// Which inputs the outputs of an SFNN's first affine layer use. Files always hold all weights.
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
    /// The shape with this feature set, sums of `width` for either indexer and two hidden layers.
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

    /// Sums of either indexer.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Sizes of the two hidden layers.
    pub const fn hidden(&self) -> [usize; 2] {
        self.hidden
    }
}

impl Sfnn {
    /// The shape with this feature set, sums of `width` for either indexer, two hidden layers and
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

    /// Sums of either indexer.
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
    pub const fn first_outputs(&self) -> usize {
        self.hidden[0] + self.has_shortcut() as usize
    }

    /// The rule by which a position selects its layer stack.
    pub const fn stacks(&self) -> Stacks {
        self.stacks
    }

    /// Which inputs the first affine layer uses.
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
    pub const fn sfnn1536() -> Self {
        Self {
            features: FeatureSet::HalfKaHm2,
            width: 1536,
            hidden: [15, 32],
            transformer_kind: TransformerKind::Full,
            stacks: Stacks::of_kings(KingScheme::K3),
        }
    }
}
