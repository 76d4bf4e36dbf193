//! A network as a list of steps, read from an ONNX file.

use yane_base::lanes::Lanes;

use crate::InputFormat;
use crate::kernels::{Elementwise, Weights};
use crate::narrow::NarrowWeights;

/// The number of a buffer.
pub(crate) type Slot = usize;

/// A step of the evaluation, and the buffer that it fills.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    pub(crate) output: Slot,
}

/// What a step does with what it reads.
#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// A convolution of the board's planes.
    Board { weights: Weights },
    /// A convolution of the other planes, which are the same on all squares.
    State { weights: Weights },
    /// A convolution of a map.
    Convolution { weights: Weights, input: Slot },
    /// A convolution of a map with factors of 16 bits.
    NarrowConvolution { weights: NarrowWeights, input: Slot },
    /// A factor and a summand for each channel of a map.
    Scale {
        scale: Vec<Lanes>,
        shift: Vec<Lanes>,
        input: Slot,
    },
    Elementwise {
        operation: Elementwise,
        first: Slot,
        second: Slot,
    },
    /// A sum with numbers that are always the same.
    Shift { numbers: Vec<Lanes>, input: Slot },
    /// A map as a vector.
    Flatten { channels: usize, input: Slot },
    /// A matrix times a vector.
    Matrix { weights: Weights, input: Slot },
}

/// A network in the shape of dlshogi's: planes in, convolutions in residual blocks, a policy and a value out.
///
/// Blocks, channels and activations (`ReLU`, Swish) are what the file says. Other operators are an error.
#[derive(Clone, Debug)]
pub struct NetworkModel {
    pub(crate) format: InputFormat,
    pub(crate) steps: Vec<Step>,
    /// Vectors of each buffer.
    pub(crate) buffers: Vec<usize>,
    pub(crate) policy: Slot,
    pub(crate) value: Slot,
    pub(crate) parameters: usize,
}

impl NetworkModel {
    /// The bytes of a small network: 5 blocks of 32 channels, numbers of 16 bits, learnt from self-play of this project's alpha-beta engine (see
    /// `docs/learning.md`).
    pub const SMALL: &[u8] = include_bytes!("../assets/small.onnx");

    /// The planes that it wants.
    pub const fn format(&self) -> InputFormat {
        self.format
    }

    /// Takes factors of 16 bits in the convolutions of 3 × 3 squares: policy and value differ by less than a hundredth, and where the
    /// processor has AVX-512 BF16 an evaluation takes half the time.
    pub fn narrow(&mut self) {
        for step in &mut self.steps {
            if let StepKind::Convolution { weights, input } = &step.kind
                && weights.taps > 1
            {
                let (weights, input) = (NarrowWeights::new(weights), *input);
                step.kind = StepKind::NarrowConvolution { weights, input };
            }
        }
    }

    /// Returns whether it has factors of 16 bits.
    pub fn is_narrow(&self) -> bool {
        let mut kinds = self.steps.iter().map(|step| &step.kind);
        kinds.any(|kind| matches!(kind, StepKind::NarrowConvolution { .. }))
    }

    /// Numbers that were learnt.
    pub const fn parameters(&self) -> usize {
        self.parameters
    }
}
