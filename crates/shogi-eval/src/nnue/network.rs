//! A network in memory: all parameters as the file has them, in plain arrays; and the progress of a game, which chooses
//! the layer stack of some.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use shogi_core::{Color, Position, Square};

use super::aligned::Aligned;
use super::arch::{Architecture, LayerShape};
use crate::bonapiece::for_each_piece;
use crate::{BonaPiece, PieceList};

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

    /// All parts, to be stored in another way.
    pub(super) fn into_parts(self) -> (Vec<u8>, Transformer, AffineLayers) {
        (self.description, self.transformer, self.layers)
    }
}

// The progress of the game as some networks know it: 0 (opening) to 255, from weights of pieces in
// relation to both kings.

/// Weights by king square and piece, in units of 2⁻¹⁶.
#[derive(PartialEq, Eq)]
pub struct GameProgress {
    bias: i32,
    weights: Aligned<i32>,
}

impl GameProgress {
    /// Number of weights.
    pub const WEIGHTS: usize = Square::COUNT * BonaPiece::PIECE_END;

    /// From a bias and [`Self::WEIGHTS`] weights by king square, then by piece.
    ///
    /// # Panics
    /// When there are more or fewer weights.
    pub fn new(bias: i32, weights: Aligned<i32>) -> Self {
        assert_eq!(weights.len(), Self::WEIGHTS);
        Self { bias, weights }
    }

    /// A copy, which is not made in passing: there are half a million numbers.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self::new(self.bias, Aligned::copy_of(&self.weights))
    }

    /// The bias.
    pub const fn bias(&self) -> i32 {
        self.bias
    }

    /// All weights, by king square, then by piece.
    pub fn weights(&self) -> &[i32] {
        &self.weights
    }

    /// The weight of `piece` in the view of a player whose king is on `own_king` as it sees it.
    #[inline]
    pub fn weight(&self, own_king: Square, piece: BonaPiece) -> i32 {
        self.weights[own_king.index() * BonaPiece::PIECE_END + piece.index()]
    }

    /// The sum over the pieces of both views, with the bias.
    pub fn sum(&self, list: &PieceList) -> i64 {
        let view_sum = |perspective| {
            let king = list.own_king(perspective);
            let weights = list.view(perspective).iter();
            weights
                .map(|&piece| i64::from(self.weight(king, piece)))
                .sum::<i64>()
        };
        i64::from(self.bias) + Color::ALL.map(view_sum).into_iter().sum::<i64>()
    }

    /// The sum over the pieces of `position` as `perspective` sees them, whose own king it sees on `own_king`; without the
    /// bias. A piece that is missing has the weight of [`BonaPiece::NONE`], as in a [`PieceList`].
    pub(crate) fn position_sum(
        &self,
        position: &Position,
        perspective: Color,
        own_king: Square,
    ) -> i64 {
        let (mut sum, mut count) = (0, 0);
        for_each_piece(position, |piece| {
            sum += i64::from(self.weight(own_king, piece(perspective)));
            count += 1;
        });
        let missing = (PieceList::LEN - count) as i64;
        sum + missing * i64::from(self.weight(own_king, BonaPiece::NONE))
    }

    /// The progress at a sum: the sum's place on the logistic curve, in 256 steps.
    pub fn at(sum: i64) -> u8 {
        thresholds().partition_point(|&threshold| i64::from(threshold) <= sum) as u8
    }
}

impl fmt::Debug for GameProgress {
    /// Leaves out the weights, which are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameProgress")
            .field("bias", &self.bias)
            .finish_non_exhaustive()
    }
}

/// The sums at which the progress goes up: where the logistic curve is i / 256.
fn thresholds() -> &'static [i32; 255] {
    static THRESHOLDS: OnceLock<[i32; 255]> = OnceLock::new();
    THRESHOLDS.get_or_init(|| std::array::from_fn(|i| exact_threshold(i + 1).round() as i32))
}

fn exact_threshold(step: usize) -> f64 {
    let part = step as f64 / 256.0;
    (part / (1.0 - part)).ln() * 65_536.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library's logarithm may be off in its last digits; that must not change a threshold.
    #[test]
    fn no_threshold_is_near_a_half() {
        for step in 1..256 {
            let exact = exact_threshold(step);
            assert!(((exact - exact.floor()) - 0.5).abs() > 1e-5, "{exact}");
        }
    }

    #[test]
    fn progress_goes_up_with_the_sum() {
        assert_eq!(GameProgress::at(i64::MIN), 0);
        // ln(1 / 255) × 65536 = -363,152.2…
        assert_eq!(GameProgress::at(-363_153), 0);
        assert_eq!(GameProgress::at(-363_152), 1);
        assert_eq!(GameProgress::at(-1), 127);
        assert_eq!(GameProgress::at(0), 128);
        // ln(129 / 127) × 65536 = 1,024.02…
        assert_eq!(GameProgress::at(1_023), 128);
        assert_eq!(GameProgress::at(1_024), 129);
        assert_eq!(GameProgress::at(363_151), 254);
        assert_eq!(GameProgress::at(363_152), 255);
        assert_eq!(GameProgress::at(i64::MAX), 255);
    }
}
