//! The arithmetic of a network on maps and vectors.
//!
//! A map has its channels side by side for each square, in vectors of sixteen (two at a time, so that their number is even), on a board of 11 × 11
//! whose border is zero. Sums go over taps and channels in the same order with all instructions, so the results are the same bits.

use yane_base::lanes::{Isa, LANES, LaneKernel, LaneLevel, Lanes};

use crate::convolution::{
    BitSums, PAIR, Pair, ProductStart, Products, Rows, SQUARES, clear_border, vectors_of,
};

/// Squares of a map, with its border.
pub(crate) const MAP_SQUARES: usize = Rows::Bordered.of_position();

/// The numbers, filled up with zeros.
pub(crate) fn padded(numbers: &[f32]) -> Vec<Lanes> {
    let mut out = vec![[0.0; LANES]; vectors_of(numbers.len())];
    out.as_flattened_mut()[..numbers.len()].copy_from_slice(numbers);
    out
}

/// A convolution of 1 × 1 or 3 × 3 squares, or with one tap a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// 1, or 9 in the order of files, then ranks.
    pub(crate) taps: usize,
    pub(crate) inputs: usize,
    /// For each pair of vectors of outputs, for each tap, for each input: the weights.
    pub(crate) rows: Vec<Pair>,
    pub(crate) bias: Vec<Lanes>,
}

impl Weights {
    /// From the numbers of an ONNX tensor: outputs × inputs × taps.
    pub(crate) fn new(data: &[f32], taps: usize, inputs: usize, outputs: usize) -> Self {
        let pairs = vectors_of(outputs) / 2;
        let mut rows = vec![[[0.0; LANES]; 2]; pairs * taps * inputs];
        for output in 0..outputs {
            let (pair, lane) = (output / PAIR, output % PAIR);
            for input in 0..inputs {
                for tap in 0..taps {
                    rows[(pair * taps + tap) * inputs + input][lane / LANES][lane % LANES] =
                        data[(output * inputs + input) * taps + tap];
                }
            }
        }
        Self {
            taps,
            inputs,
            rows,
            bias: vec![[0.0; LANES]; 2 * pairs],
        }
    }

    /// Multiplies each output by a number and adds another one.
    pub(crate) fn scale(&mut self, scale: &[Lanes], shift: &[Lanes]) {
        let rows = self.taps * self.inputs;
        for (pair, rows) in self.rows.chunks_exact_mut(rows.max(1)).enumerate() {
            for row in rows {
                for (half, lanes) in row.iter_mut().enumerate() {
                    times(lanes, &scale[2 * pair + half]);
                }
            }
        }
        for (bias, (scale, shift)) in self.bias.iter_mut().zip(scale.iter().zip(shift)) {
            times(bias, scale);
            for (bias, shift) in bias.iter_mut().zip(shift) {
                *bias += shift;
            }
        }
    }
}

fn times(lanes: &mut Lanes, factors: &Lanes) {
    for (number, factor) in lanes.iter_mut().zip(factors) {
        *number *= factor;
    }
}

/// A convolution of a map into another.
pub(crate) fn convolution<'a>(
    weights: &'a Weights,
    input: &'a [Lanes],
    output: &'a mut [Lanes],
) -> Products<'a> {
    Products {
        weights: &weights.rows,
        taps: weights.taps,
        inputs: weights.inputs,
        stride: input.len() / MAP_SQUARES * LANES,
        input: input.as_flattened(),
        from: Rows::Bordered,
        start: ProductStart::Bias(&weights.bias),
        output,
        to: Rows::Bordered,
        rows: SQUARES,
    }
}

/// A matrix times a vector, with one tap.
pub(crate) struct MatrixProduct<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) input: &'a [Lanes],
    pub(crate) output: &'a mut [Lanes],
}

/// Sums that a product is made of, so that one needs not wait for the other.
const CHAINS: usize = 4;

impl LaneKernel for MatrixProduct<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let inputs = self.weights.inputs;
        let input = &self.input.as_flattened()[..inputs];
        let outputs = self
            .output
            .chunks_exact_mut(2)
            .zip(self.weights.bias.chunks_exact(2));
        for (pair, (output, bias)) in outputs.enumerate() {
            let rows = &self.weights.rows[pair * inputs..][..inputs];
            let zero = isa.splat(0.0);
            let mut sums = [[zero; 2]; CHAINS];
            sums[0] = [isa.load(&bias[0]), isa.load(&bias[1])];
            let (rows, last_rows) = rows.as_chunks::<CHAINS>();
            let (input, last_input) = input.as_chunks::<CHAINS>();
            for (rows, input) in rows.iter().zip(input) {
                for (sum, (row, &here)) in sums.iter_mut().zip(rows.iter().zip(input)) {
                    let here = isa.splat(here);
                    sum[0] = isa.mul_add(here, isa.load(&row[0]), sum[0]);
                    sum[1] = isa.mul_add(here, isa.load(&row[1]), sum[1]);
                }
            }
            for (sum, (row, &here)) in sums.iter_mut().zip(last_rows.iter().zip(last_input)) {
                let here = isa.splat(here);
                sum[0] = isa.mul_add(here, isa.load(&row[0]), sum[0]);
                sum[1] = isa.mul_add(here, isa.load(&row[1]), sum[1]);
            }
            for half in 0..2 {
                let left = isa.add(sums[0][half], sums[1][half]);
                let right = isa.add(sums[2][half], sums[3][half]);
                isa.store(isa.add(left, right), &mut output[half]);
            }
        }
    }
}

/// A convolution of planes of bits, of which few are set (plane × 81 + square).
pub(crate) fn bit_convolution(
    level: LaneLevel,
    weights: &Weights,
    bits: &[u16],
    output: &mut [Lanes],
) {
    level.run(BitSums {
        weights: &weights.rows,
        taps: weights.taps,
        planes: weights.inputs,
        bits,
        start: &weights.bias,
        output,
    });
    clear_border(output);
}

/// A convolution of 1 × 1 of planes of which each is the same on all squares: those that are set.
pub(crate) fn plane_sums(
    weights: &Weights,
    planes: impl Iterator<Item = usize>,
    output: &mut [Lanes],
) {
    let mut sums = weights.bias.clone();
    for plane in planes {
        for (pair, sums) in sums.chunks_exact_mut(2).enumerate() {
            let row = &weights.rows[pair * weights.inputs + plane];
            for (sum, row) in sums.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
                *sum += row;
            }
        }
    }
    for square in output.chunks_exact_mut(sums.len()) {
        square.copy_from_slice(&sums);
    }
    clear_border(output);
}

/// What is done with each number by itself, or with two that stand at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elementwise {
    Relu,
    Sigmoid,
    Add,
    Multiply,
}

/// An [`Elementwise`] operation on maps or vectors; the second operand is that of a sum or product.
pub(crate) struct ElementwiseKernel<'a> {
    pub(crate) operation: Elementwise,
    pub(crate) first: &'a [Lanes],
    pub(crate) second: &'a [Lanes],
    pub(crate) output: &'a mut [Lanes],
}

impl LaneKernel for ElementwiseKernel<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (zero, most) = (isa.splat(0.0), isa.splat(f32::MAX));
        let pairs = self.first.iter().zip(self.second).zip(self.output);
        match self.operation {
            Elementwise::Relu => {
                for ((a, _), out) in pairs {
                    isa.store(isa.clamp(isa.load(a), zero, most), out);
                }
            }
            Elementwise::Add => {
                for ((a, b), out) in pairs {
                    isa.store(isa.add(isa.load(a), isa.load(b)), out);
                }
            }
            Elementwise::Multiply => {
                for ((a, b), out) in pairs {
                    isa.store(isa.mul(isa.load(a), isa.load(b)), out);
                }
            }
            Elementwise::Sigmoid => {
                for ((a, _), out) in pairs {
                    *out = a.map(sigmoid);
                }
            }
        }
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// A map's channels, each times a number plus another one.
pub(crate) fn scale_channels(
    input: &[Lanes],
    scale: &[Lanes],
    shift: &[Lanes],
    output: &mut [Lanes],
) {
    let squares = input
        .chunks_exact(scale.len())
        .zip(output.chunks_exact_mut(scale.len()));
    for (from, to) in squares {
        for (number, (from, to)) in from.iter().zip(to).enumerate() {
            for (lane, (from, to)) in from.iter().zip(to).enumerate() {
                *to = from * scale[number][lane] + shift[number][lane];
            }
        }
    }
    clear_border(output);
}

/// A map as a vector: channel × 81 + square.
pub(crate) fn flatten(map: &[Lanes], channels: usize, output: &mut [Lanes]) {
    let stride = map.len() / MAP_SQUARES * LANES;
    let (map, output) = (map.as_flattened(), output.as_flattened_mut());
    for square in 0..SQUARES {
        let from = Rows::Bordered.at(0, square) * stride;
        for channel in 0..channels {
            output[channel * SQUARES + square] = map[from + channel];
        }
    }
}
