//! The arithmetic of a network on maps and vectors.
//!
//! A map has its channels side by side for each square, in vectors of sixteen (two at a time, so that their number is even), on a board of 11 × 11
//! whose border is zero. Sums go over taps and channels in the same order with all instructions, so the results are the same bits.

use yane_base::lanes::{Isa, LANES, LaneKernel, Lanes};

/// Files and ranks of a map, with its border.
const SIDE: usize = 11;
/// Squares of a map, with its border.
pub(crate) const MAP_SQUARES: usize = SIDE * SIDE;
/// Files and ranks of the board.
const BOARD: usize = 9;

/// Two vectors: the unit in which channels are computed.
pub(crate) type Pair = [Lanes; 2];
const PAIR: usize = 2 * LANES;

/// Vectors that hold so many numbers.
pub(crate) const fn vectors_of(numbers: usize) -> usize {
    2 * numbers.div_ceil(PAIR)
}

/// The numbers, filled up with zeros.
pub(crate) fn padded(numbers: &[f32]) -> Vec<Lanes> {
    let mut out = vec![[0.0; LANES]; vectors_of(numbers.len())];
    out.as_flattened_mut()[..numbers.len()].copy_from_slice(numbers);
    out
}

/// The place in a map of a square given by file and rank, both 0 to 8.
const fn place(file: usize, rank: usize) -> usize {
    (file + 1) * SIDE + rank + 1
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
pub(crate) struct Convolution<'a> {
    pub(crate) weights: &'a Weights,
    pub(crate) input: &'a [Lanes],
    pub(crate) output: &'a mut [Lanes],
}

impl LaneKernel for Convolution<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        for vector in (0..self.weights.bias.len()).step_by(2) {
            if I::SAMPLES == 8 {
                for file in 0..BOARD {
                    self.tile::<I, 9, 2>(isa, vector, file * BOARD);
                }
            } else {
                for vector in [vector, vector + 1] {
                    for first in (0..78).step_by(6) {
                        self.tile::<I, 6, 1>(isa, vector, first);
                    }
                    self.tile::<I, 3, 1>(isa, vector, 78);
                }
            }
        }
    }
}

impl Convolution<'_> {
    /// `V` vectors of `N` squares, from the square `first` on: as many sums as registers hold.
    #[inline(always)]
    fn tile<I: Isa, const N: usize, const V: usize>(
        &mut self,
        isa: I,
        vector: usize,
        first: usize,
    ) {
        let Weights { taps, inputs, .. } = *self.weights;
        let (pair, half) = (vector / 2, vector % 2);
        let stride = self.input.len() / MAP_SQUARES * LANES;
        let input = self.input.as_flattened();
        let mut bias = [isa.splat(0.0); V];
        for (number, bias) in bias.iter_mut().enumerate() {
            *bias = isa.load(&self.weights.bias[vector + number]);
        }
        let mut sums = [bias; N];
        for tap in 0..taps {
            let (files, ranks) = if taps == 1 {
                (1, 1)
            } else {
                (tap / 3, tap % 3)
            };
            let mut squares: [&[f32]; N] = [&[]; N];
            for (number, square) in squares.iter_mut().enumerate() {
                let (file, rank) = ((first + number) / BOARD, (first + number) % BOARD);
                let at = (file + files) * SIDE + rank + ranks;
                *square = &input[at * stride..][..inputs];
            }
            let rows = &self.weights.rows[(pair * taps + tap) * inputs..][..inputs];
            for (number, row) in rows.iter().enumerate() {
                let mut weights = bias;
                for (number, weights) in weights.iter_mut().enumerate() {
                    *weights = isa.load(&row[half + number]);
                }
                for (sum, square) in sums.iter_mut().zip(&squares) {
                    let here = isa.splat(square[number]);
                    for (sum, weights) in sum.iter_mut().zip(weights) {
                        *sum = isa.mul_add(here, weights, *sum);
                    }
                }
            }
        }
        let vectors = self.output.len() / MAP_SQUARES;
        for (number, sums) in sums.iter().enumerate() {
            let (file, rank) = ((first + number) / BOARD, (first + number) % BOARD);
            let output = &mut self.output[place(file, rank) * vectors + vector..][..V];
            for (sum, output) in sums.iter().zip(output) {
                isa.store(*sum, output);
            }
        }
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

/// A convolution of planes of bits, of which few are set: the weights' rows of those are summed.
pub(crate) struct BitConvolution<'a> {
    pub(crate) weights: &'a Weights,
    /// Bits that are set: plane × 81 + square.
    pub(crate) bits: &'a [u16],
    pub(crate) output: &'a mut [Lanes],
}

impl LaneKernel for BitConvolution<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Weights { taps, inputs, .. } = *self.weights;
        let vectors = self.weights.bias.len();
        for square in self.output.chunks_exact_mut(vectors) {
            square.copy_from_slice(&self.weights.bias);
        }
        for &bit in self.bits {
            let (plane, square) = (usize::from(bit) / 81, usize::from(bit) % 81);
            let (file, rank) = (square / BOARD, square % BOARD);
            for tap in 0..taps {
                // A tap sees the square on its side, so this square is seen from the other side.
                let (files, ranks) = if taps == 1 {
                    (1, 1)
                } else {
                    (2 - tap / 3, 2 - tap % 3)
                };
                let at = ((file + files) * SIDE + rank + ranks) * vectors;
                let output = self.output[at..][..vectors].chunks_exact_mut(2);
                for (pair, sums) in output.enumerate() {
                    let row = &self.weights.rows[(pair * taps + tap) * inputs + plane];
                    for (sum, row) in sums.iter_mut().zip(row) {
                        isa.store(isa.add(isa.load(sum), isa.load(row)), sum);
                    }
                }
            }
        }
        clear_border(self.output);
    }
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

/// Makes the border of a map zero.
pub(crate) fn clear_border(map: &mut [Lanes]) {
    let vectors = map.len() / MAP_SQUARES;
    for (number, square) in map.chunks_exact_mut(vectors).enumerate() {
        let (file, rank) = (number / SIDE, number % SIDE);
        if !(1..=BOARD).contains(&file) || !(1..=BOARD).contains(&rank) {
            square.fill([0.0; LANES]);
        }
    }
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
    for file in 0..BOARD {
        for rank in 0..BOARD {
            let from = place(file, rank) * stride;
            for channel in 0..channels {
                output[channel * BOARD * BOARD + file * BOARD + rank] = map[from + channel];
            }
        }
    }
}
