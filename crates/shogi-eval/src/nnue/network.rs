//! A network in memory: all parameters as the file has them, in plain arrays.

use std::ops::Range;

use super::aligned::Aligned;
use super::arch::{Architecture, LayerShape};
use super::progress::GameProgress;

/// A network: a feature transformer and the affine layers on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Network {
    description: Vec<u8>,
    transformer: Transformer,
    layers: AffineLayers,
}

/// The feature transformer: a row of weights for each feature, and biases.
///
/// Weights are those of the file; SFNN networks use their doubles.
#[derive(Debug, PartialEq, Eq)]
pub struct Transformer {
    biases: Aligned<i16>,
    weights: Aligned<i16>,
}

/// Everything behind the feature transformer.
#[derive(Debug, PartialEq, Eq)]
pub struct AffineLayers {
    architecture: Architecture,
    progress: Option<GameProgress>,
    layers: [StackedLayer; 3],
}

/// One of the affine layers in all stacks.
#[derive(Debug, PartialEq, Eq)]
pub struct StackedLayer {
    shape: LayerShape,
    biases: Aligned<i32>,
    weights: Aligned<i8>,
}

/// One of the affine layers in one stack.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// Its inputs and outputs.
    pub shape: LayerShape,
    /// By output.
    pub biases: &'a [i32],
    /// By output, then by input, padded.
    pub weights: &'a [i8],
}

/// The weights of a feature transformer, by feature: from memory, or computed when asked for.
pub trait FeatureWeights {
    /// By output.
    fn biases(&self) -> &[i16];

    /// Writes the weights of `feature` to `row`, which is as long as the biases.
    fn read_weights(&self, feature: usize, row: &mut [i16]);
}

impl Transformer {
    /// From biases by output, and weights by feature, then by output.
    ///
    /// # Panics
    /// When the weights are not a row of as many as biases for each feature.
    pub fn new(biases: Aligned<i16>, weights: Aligned<i16>) -> Self {
        assert!(weights.len().is_multiple_of(biases.len()));
        Self { biases, weights }
    }

    /// Biases and weights.
    pub(super) fn into_parts(self) -> (Aligned<i16>, Aligned<i16>) {
        (self.biases, self.weights)
    }

    /// All weights, by feature, then by output. Those of a feature begin on cache lines when the number of outputs
    /// is a multiple of 32.
    pub fn weights(&self) -> &[i16] {
        &self.weights
    }

    /// The weights of `feature`, by output.
    #[inline(always)]
    pub fn row(&self, feature: usize) -> &[i16] {
        let width = self.biases.len();
        &self.weights[feature * width..(feature + 1) * width]
    }
}

impl FeatureWeights for Transformer {
    fn biases(&self) -> &[i16] {
        &self.biases
    }

    fn read_weights(&self, feature: usize, row: &mut [i16]) {
        row.copy_from_slice(self.row(feature));
    }
}

impl StackedLayer {
    /// Zeros for `stacks` stacks.
    pub(super) fn zeros(shape: LayerShape, stacks: usize) -> Self {
        Self {
            shape,
            biases: Aligned::zeros(stacks * shape.outputs),
            weights: Aligned::zeros(stacks * shape.outputs * shape.padded_inputs()),
        }
    }

    /// Inputs and outputs.
    pub const fn shape(&self) -> LayerShape {
        self.shape
    }

    /// The layer in one stack.
    #[inline]
    pub fn stack(&self, stack: usize) -> Layer<'_> {
        let outputs = self.shape.outputs;
        let weights = outputs * self.shape.padded_inputs();
        Layer {
            shape: self.shape,
            biases: &self.biases[stack * outputs..][..outputs],
            weights: &self.weights[stack * weights..][..weights],
        }
    }

    /// Places for the biases and weights of one stack.
    pub fn stack_mut(&mut self, stack: usize) -> (&mut [i32], &mut [i8]) {
        let outputs = self.shape.outputs;
        let weights = outputs * self.shape.padded_inputs();
        (
            &mut self.biases[stack * outputs..][..outputs],
            &mut self.weights[stack * weights..][..weights],
        )
    }

    /// Sets the weights of `output` for `inputs` in one stack.
    pub fn set_weights(&mut self, stack: usize, output: usize, inputs: Range<usize>, weight: i8) {
        let row = output * self.shape.padded_inputs();
        self.stack_mut(stack).1[row + inputs.start..row + inputs.end].fill(weight);
    }

    /// The biases of all stacks.
    pub fn biases(&self) -> &[i32] {
        &self.biases
    }

    /// The weights of all stacks, padding included.
    pub fn weights(&self) -> &[i8] {
        &self.weights
    }
}

impl<'a> Layer<'a> {
    /// The weights of `output`, by input, without padding.
    pub fn row(&self, output: usize) -> &'a [i8] {
        &self.weights[output * self.shape.padded_inputs()..][..self.shape.inputs]
    }
}

impl AffineLayers {
    /// Layers of zeros; `progress` is there when the architecture has it.
    ///
    /// # Panics
    /// When the progress is missing, or there without need.
    pub fn zeros(architecture: Architecture, progress: Option<GameProgress>) -> Self {
        assert_eq!(progress.is_some(), architecture.has_progress());
        let stacks = architecture.stack_count();
        Self {
            architecture,
            progress,
            layers: architecture
                .layers()
                .map(|shape| StackedLayer::zeros(shape, stacks)),
        }
    }

    /// The shape of the whole network.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The progress of the game, when stacks are chosen by it.
    pub const fn progress(&self) -> Option<&GameProgress> {
        self.progress.as_ref()
    }

    /// The three layers in order.
    pub const fn layers(&self) -> &[StackedLayer; 3] {
        &self.layers
    }

    /// Takes the progress out.
    pub(super) fn into_progress(self) -> Option<GameProgress> {
        self.progress
    }

    /// The three layers in order, to be changed.
    pub const fn layers_mut(&mut self) -> &mut [StackedLayer; 3] {
        &mut self.layers
    }
}

impl Network {
    /// From the text for the file's header, and the parts.
    pub fn new(description: Vec<u8>, transformer: Transformer, layers: AffineLayers) -> Self {
        Self {
            description,
            transformer,
            layers,
        }
    }

    /// The shape.
    pub const fn architecture(&self) -> &Architecture {
        &self.layers.architecture
    }

    /// The text in the file's header. Usually, but not certainly, ASCII.
    pub fn description(&self) -> &[u8] {
        &self.description
    }

    /// The feature transformer.
    pub const fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// The layers behind it.
    pub const fn layers(&self) -> &AffineLayers {
        &self.layers
    }

    /// Everything, to be laid out in another way.
    pub(super) fn into_parts(self) -> (Vec<u8>, Transformer, AffineLayers) {
        (self.description, self.transformer, self.layers)
    }
}
