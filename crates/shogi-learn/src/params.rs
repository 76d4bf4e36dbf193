//! The numbers of a network in training, with the moments that the optimiser keeps of each.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use shogi_eval::nnue::{GameProgress, Network};
use yane_base::random::Sequence;

use crate::average::AverageDecay;
use crate::kernels::Updated;
use crate::scales::{Scales, round};
use crate::shape::{LayerSize, SLAB, Shape, SlabRow};
use crate::{LearnError, Result};

/// Numbers and their moments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) values: Vec<f32>,
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    /// Their moving averages; empty without.
    pub(crate) average: Vec<f32>,
}

impl Weights {
    /// Zeros. Large ones take memory only as they are used.
    pub(crate) fn zeros(len: usize) -> Self {
        Self {
            values: vec![0.0; len],
            first: vec![0.0; len],
            second: vec![0.0; len],
            average: Vec::new(),
        }
    }

    /// All of them, to be updated.
    pub(crate) fn updated(&mut self) -> Updated<'_> {
        self.updated_in(0..self.values.len())
    }

    /// Some of them, to be updated.
    pub(crate) fn updated_in(&mut self, range: Range<usize>) -> Updated<'_> {
        Updated {
            values: &mut self.values[range.clone()],
            first: &mut self.first[range.clone()],
            second: &mut self.second[range.clone()],
            average: self.average.get_mut(range).unwrap_or_default(),
        }
    }

    /// Pieces of `len` of them, to be updated.
    pub(crate) fn pieces(&mut self, len: usize) -> Vec<Updated<'_>> {
        let mut averages = self.average.chunks_mut(len);
        let moments = self.first.chunks_mut(len).zip(self.second.chunks_mut(len));
        let pieces = self.values.chunks_mut(len).zip(moments);
        let updated = |(values, (first, second))| Updated {
            values,
            first,
            second,
            average: averages.next().unwrap_or_default(),
        };
        pieces.map(updated).collect()
    }

    /// Keeps a moving average from here on.
    fn keep_average(&mut self) {
        self.average.clone_from(&self.values);
    }

    /// The moving averages instead of the numbers, without moments. Averages of the pieces of `len` numbers have to move by these shares, as
    /// many as there are pieces, to catch up.
    fn averaged(&self, len: usize, shares: impl Iterator<Item = f32>) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        let pieces = self.values.chunks(len).zip(self.average.chunks(len));
        for ((numbers, means), share) in pieces.zip(shares) {
            let numbers = numbers.iter().zip(means);
            values.extend(numbers.map(|(number, mean)| (number - mean).mul_add(share, *mean)));
        }
        Self {
            values,
            first: Vec::new(),
            second: Vec::new(),
            average: Vec::new(),
        }
    }
}

/// Rows of the feature transformer, slab by slab.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowTable {
    pub(crate) slabs: Vec<Weights>,
    /// By row, the step that touched it last.
    pub(crate) last: Vec<u32>,
}

impl RowTable {
    fn zeros(shape: &Shape, rows: usize) -> Self {
        Self {
            slabs: (0..shape.slabs)
                .map(|_| Weights::zeros(rows * SLAB))
                .collect(),
            last: vec![0; rows],
        }
    }

    /// The moving averages after step `step`.
    fn averaged(&self, decay: AverageDecay, step: u32) -> Self {
        let averaged = |slab: &Weights| {
            let shares = self.last.iter().map(|&last| decay.share(last, step));
            slab.averaged(SLAB, shares)
        };
        Self {
            slabs: self.slabs.par_iter().map(averaged).collect(),
            last: self.last.clone(),
        }
    }

    fn randomise(&mut self, shape: &Shape, sequence: Sequence, deviation: f32) {
        for (number, slab) in self.slabs.iter_mut().enumerate() {
            let sequence = sequence.child(number as u64);
            for (index, value) in slab.values.iter_mut().enumerate() {
                if shape.column(number, index % SLAB).is_some() {
                    *value = sequence.normal(index as u64, deviation);
                }
            }
        }
    }
}

/// An affine layer in all its stacks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DenseLayer {
    pub(crate) size: LayerSize,
    /// By stack, piece of inputs, output, then input.
    pub(crate) weights: Weights,
    /// By stack, then output, padded to whole pieces.
    pub(crate) biases: Weights,
    /// The weights by stack, piece of inputs, input, then output.
    pub(crate) transposed: Vec<f32>,
}

impl PartialEq for LayerSize {
    fn eq(&self, other: &Self) -> bool {
        (self.inputs, self.outputs, self.pieces) == (other.inputs, other.outputs, other.pieces)
    }
}

impl DenseLayer {
    fn zeros(size: LayerSize, stacks: usize) -> Self {
        Self {
            size,
            weights: Weights::zeros(stacks * size.weights()),
            biases: Weights::zeros(stacks * size.stride()),
            transposed: vec![0.0; stacks * size.weights()],
        }
    }

    /// The biases of a stack.
    pub(crate) fn bias(&self, stack: usize) -> &[f32] {
        &self.biases.values[stack * self.size.stride()..][..self.size.stride()]
    }

    /// The weights of a piece of inputs in a stack.
    pub(crate) fn piece(&self, stack: usize, piece: usize) -> &[f32] {
        let len = self.size.piece_len();
        &self.weights.values[(stack * self.size.pieces + piece) * len..][..len]
    }

    /// The transposed weights of a piece of inputs in a stack.
    pub(crate) fn transposed_piece(&self, stack: usize, piece: usize) -> &[f32] {
        let len = self.size.piece_len();
        &self.transposed[(stack * self.size.pieces + piece) * len..][..len]
    }

    /// Makes the transposed weights those of the weights, rounded as files have them if there is a scale.
    pub(crate) fn transpose(&mut self, scale: Option<f32>) {
        let len = self.size.piece_len();
        let pieces = self.weights.values.chunks_exact(len);
        for (weights, transposed) in pieces.zip(self.transposed.chunks_exact_mut(len)) {
            transpose(weights, transposed, self.size.rows(), scale);
        }
    }
}

/// Transposes the weights of a piece, rounded to whole numbers of 1 / scale.
pub(crate) fn transpose(weights: &[f32], transposed: &mut [f32], rows: usize, scale: Option<f32>) {
    for (output, row) in weights.as_chunks::<SLAB>().0.iter().enumerate() {
        for (input, &weight) in row.iter().enumerate() {
            transposed[input * rows + output] = match scale {
                None => weight,
                Some(scale) => round(weight * scale) / scale,
            };
        }
    }
}

/// All numbers of a network in training.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    pub(crate) shape: Shape,
    pub(crate) table: RowTable,
    /// Rows of factors; none without.
    pub(crate) factors: RowTable,
    /// Biases of the feature transformer, by slab.
    pub(crate) bias: Weights,
    pub(crate) layers: [DenseLayer; 3],
    /// The progress of the game, where stacks are chosen by it; it is not trained.
    pub(crate) progress: Option<Arc<GameProgress>>,
    /// By stack, the step that touched it last.
    pub(crate) last: Vec<u32>,
    /// True if the forward pass uses weights and activations rounded, as files and engines have them. Steps are taken by the weights
    /// themselves ("straight-through").
    pub(crate) rounded: bool,
}

impl Params {
    /// The scale by which a layer's weights are rounded in the forward pass.
    pub(crate) fn rounding(&self, layer: usize) -> Option<f32> {
        let scales = Scales::of(&self.shape.architecture);
        self.rounded.then_some(scales.weights[layer])
    }

    /// Rounds weights in the forward pass from here on.
    pub(crate) fn round(&mut self) {
        self.rounded = true;
        for number in 0..3 {
            let scale = self.rounding(number);
            self.layers[number].transpose(scale);
        }
    }

    /// Keeps a moving average of all numbers from here on.
    pub(crate) fn keep_average(&mut self) {
        let tables = [&mut self.table, &mut self.factors];
        let slabs = tables.into_iter().flat_map(|table| &mut table.slabs);
        slabs.for_each(Weights::keep_average);
        self.bias.keep_average();
        for layer in &mut self.layers {
            layer.weights.keep_average();
            layer.biases.keep_average();
        }
    }

    /// The network of the moving average after step `step`, for use: it has no moments.
    pub(crate) fn averaged(&self, decay: AverageDecay, step: u32) -> Self {
        let layers = self.layers.each_ref().map(|layer| {
            let of_stack = layer.size.weights();
            let stride = layer.size.stride();
            let shares = || self.last.iter().map(|&last| decay.share(last, step));
            DenseLayer {
                size: layer.size,
                weights: layer.weights.averaged(of_stack, shares()),
                biases: layer.biases.averaged(stride, shares()),
                transposed: layer.transposed.clone(),
            }
        });
        let mut averaged = Self {
            shape: self.shape,
            table: self.table.averaged(decay, step),
            factors: self.factors.averaged(decay, step),
            // Each step touches the biases.
            bias: self.bias.averaged(SLAB, std::iter::repeat(0.0)),
            layers,
            progress: self.progress.clone(),
            last: self.last.clone(),
            rounded: self.rounded,
        };
        for number in 0..averaged.layers.len() {
            let scale = averaged.rounding(number);
            averaged.layers[number].transpose(scale);
        }
        averaged
    }

    /// Zeros.
    pub(crate) fn zeros(shape: Shape) -> Self {
        let stacks = shape.stacks();
        Self {
            shape,
            table: RowTable::zeros(&shape, shape.features.rows()),
            factors: RowTable::zeros(&shape, shape.features.factor_rows()),
            bias: Weights::zeros(shape.slabs * SLAB),
            layers: shape.layers.map(|size| DenseLayer::zeros(size, stacks)),
            progress: None,
            last: vec![0; stacks],
            rounded: false,
        }
    }

    /// Random numbers to begin with. Accumulators are around 0.5, where `ClippedReLU` is open, and so are the hidden layers; the output is
    /// near 0.
    pub(crate) fn random(shape: Shape, seed: u64) -> Self {
        let mut params = Self::zeros(shape);
        let deviation = 0.3 / (shape.features.active_count() as f32).sqrt();
        let table = if shape.features.is_factorised() {
            &mut params.factors
        } else {
            &mut params.table
        };
        table.randomise(&shape, Sequence::new(seed, "rows"), deviation);
        for slab in 0..shape.slabs {
            for lane in 0..SLAB {
                if shape.column(slab, lane).is_some() {
                    params.bias.values[slab * SLAB + lane] = 0.5;
                }
            }
        }
        // The mean of the inputs of each layer.
        let means = match shape.sfnn() {
            None => [0.5; 3],
            Some(_) => [0.25, 0.375, 0.5],
        };
        for (number, mean) in means.into_iter().enumerate() {
            let sequence = Sequence::new(seed, "layers").child(number as u64);
            params.randomise_layer(number, sequence, mean);
        }
        params
    }

    fn randomise_layer(&mut self, number: usize, sequence: Sequence, mean: f32) {
        let LayerSize {
            inputs, outputs, ..
        } = self.shape.layers[number];
        let deviation = 1.0 / (inputs as f32).sqrt();
        for stack in 0..self.shape.stacks() {
            let mut weights = vec![0.0; outputs * inputs];
            let mut biases = vec![0.0; outputs];
            for output in 0..outputs {
                for input in 0..inputs {
                    if self.shape.is_used(number, output, input) {
                        // All stacks begin as the same.
                        let index = (output * inputs + input) as u64;
                        let deviation = if number == 2 {
                            deviation / 10.0
                        } else {
                            deviation
                        };
                        weights[output * inputs + input] = sequence.normal(index, deviation);
                    }
                }
                if number < 2 {
                    let sum: f32 = weights[output * inputs..][..inputs].iter().sum();
                    biases[output] = 0.5 - mean * sum;
                }
            }
            self.set_layer(number, stack, &weights, &biases);
        }
    }

    /// The numbers of a quantised network.
    pub(crate) fn from_network(shape: Shape, network: &Network) -> Self {
        let mut params = Self::zeros(shape);
        let progress = network.layers().progress();
        params.progress = progress.map(|progress| Arc::new(progress.copied()));
        let scales = Scales::of(&shape.architecture);
        let width = shape.architecture.width();
        let real = |numbers: &[i16]| -> Vec<f32> {
            numbers
                .iter()
                .map(|&n| f32::from(n) / scales.transformer)
                .collect()
        };
        for row in 0..shape.features.rows() {
            params.set_row(row, &real(network.transformer().row(row)));
        }
        let mut bias = vec![0; width];
        bias.copy_from_slice(shogi_eval::nnue::FeatureWeights::biases(
            network.transformer(),
        ));
        params.set_bias(&real(&bias));
        for (number, layer) in network.layers().layers().iter().enumerate() {
            let LayerSize {
                inputs, outputs, ..
            } = shape.layers[number];
            for stack in 0..shape.stacks() {
                let layer = layer.stack(stack);
                let weights: Vec<f32> = (0..outputs)
                    .flat_map(|output| layer.row(output)[..inputs].to_vec())
                    .map(|weight| f32::from(weight) / scales.weights[number])
                    .collect();
                let biases: Vec<f32> = layer
                    .biases
                    .iter()
                    .map(|&bias| bias as f32 / scales.biases[number])
                    .collect();
                params.set_layer(number, stack, &weights, &biases);
            }
        }
        params
    }

    /// The weights of `row`, factors included, by column.
    pub(crate) fn row(&self, row: usize, columns: &mut [f32]) {
        let (count, factors) = self.shape.features.factors(row);
        for (slab, weights) in self.table.slabs.iter().enumerate() {
            for lane in 0..SLAB {
                let Some(column) = self.shape.column(slab, lane) else {
                    continue;
                };
                let mut sum = weights.values[row * SLAB + lane];
                for &factor in &factors[..count] {
                    sum += self.factors.slabs[slab].values[factor * SLAB + lane];
                }
                columns[column] = sum;
            }
        }
    }

    /// Sets the weights of `row`, which are those of an exported row: factors stay what they are.
    pub(crate) fn set_row(&mut self, row: usize, columns: &[f32]) {
        for (slab, weights) in self.table.slabs.iter_mut().enumerate() {
            for lane in 0..SLAB {
                if let Some(column) = self.shape.column(slab, lane) {
                    weights.values[row * SLAB + lane] = columns[column];
                }
            }
        }
    }

    /// The biases of the transformer, by column.
    pub(crate) fn biases(&self) -> Vec<f32> {
        let mut columns = vec![0.0; self.shape.architecture.width()];
        for (index, &bias) in self.bias.values.iter().enumerate() {
            if let Some(column) = self.shape.column(index / SLAB, index % SLAB) {
                columns[column] = bias;
            }
        }
        columns
    }

    /// Sets the biases of the transformer.
    pub(crate) fn set_bias(&mut self, columns: &[f32]) {
        for (index, bias) in self.bias.values.iter_mut().enumerate() {
            if let Some(column) = self.shape.column(index / SLAB, index % SLAB) {
                *bias = columns[column];
            }
        }
    }

    /// The weights of a layer in a stack, by output, then by input; and its biases.
    pub(crate) fn layer(&self, number: usize, stack: usize) -> (Vec<f32>, Vec<f32>) {
        let layer = &self.layers[number];
        let LayerSize {
            inputs,
            outputs,
            pieces,
        } = layer.size;
        let mut weights = vec![0.0; outputs * inputs];
        for piece in 0..pieces {
            let rows: &[SlabRow] = layer.piece(stack, piece).as_chunks().0;
            for (output, row) in rows.iter().enumerate().take(outputs) {
                for (lane, &weight) in row.iter().enumerate() {
                    if let Some(input) = self.shape.input(number, piece, lane) {
                        weights[output * inputs + input] = weight;
                    }
                }
            }
        }
        (weights, layer.bias(stack)[..outputs].to_vec())
    }

    /// Sets the weights and biases of a layer in a stack, in the order of [`Self::layer`].
    pub(crate) fn set_layer(
        &mut self,
        number: usize,
        stack: usize,
        weights: &[f32],
        biases: &[f32],
    ) {
        let shape = self.shape;
        let scale = self.rounding(number);
        let layer = &mut self.layers[number];
        let LayerSize {
            inputs,
            outputs,
            pieces,
        } = layer.size;
        let len = layer.size.piece_len();
        for piece in 0..pieces {
            let at = (stack * pieces + piece) * len;
            for output in 0..outputs {
                for lane in 0..SLAB {
                    if let Some(input) = shape.input(number, piece, lane) {
                        layer.weights.values[at + output * SLAB + lane] =
                            weights[output * inputs + input];
                    }
                }
            }
        }
        let at = stack * layer.size.stride();
        layer.biases.values[at..at + outputs].copy_from_slice(biases);
        layer.transpose(scale);
    }
}

/// Reads a network to begin with.
pub(crate) fn read_network(path: &Path, shape: Shape) -> Result<Params> {
    use shogi_eval::nnue::file::NetworkReadOptions;
    let refused = |reason: String| LearnError::Network {
        path: path.to_owned(),
        reason,
    };
    let read_options = NetworkReadOptions {
        architecture: Some(shape.architecture),
    };
    let loaded = Network::open(path, &read_options).map_err(|error| refused(error.to_string()))?;
    let found = loaded.network.architecture();
    if *found != shape.architecture {
        let wanted = shape.architecture;
        return Err(refused(format!(
            "this is a network of {found}, expected one of {wanted}"
        )));
    }
    Ok(Params::from_network(shape, &loaded.network))
}
