//! The arithmetic of training a network of convolutions, on maps and vectors of several positions at once.
//!
//! Rows of a map have their channels side by side, in pairs of vectors of sixteen. Sums go over taps, channels and rows in the same order with
//! all instructions, so the results are the same bits.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators side by side are not always inlined here, and what is not is compiled without the instructions"
)]

use yane_base::lanes::{Isa, LANES, LaneKernel, Lanes};

/// Files and ranks of a map with a border.
const SIDE: usize = 11;
/// Files and ranks of the board.
const BOARD: usize = 9;
/// Squares of the board.
pub(super) const SQUARES: usize = BOARD * BOARD;

/// Two vectors: the unit in which channels are computed.
pub(super) type Pair = [Lanes; 2];
/// Numbers of a pair.
pub(super) const PAIR: usize = 2 * LANES;

/// Vectors that hold so many numbers, in pairs.
pub(super) const fn vectors_of(numbers: usize) -> usize {
    2 * numbers.div_ceil(PAIR)
}

/// The rows of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// For each position 11 × 11 squares, of which the border is zero.
    Bordered,
    /// One after the other: squares of the board, or positions.
    Plain,
}

/// The rows of the board's squares in a bordered map.
const BORDERED: [usize; SQUARES] = {
    let mut rows = [0; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        rows[square] = (square / BOARD + 1) * SIDE + square % BOARD + 1;
        square += 1;
    }
    rows
};

impl Rows {
    /// Rows of a position's board.
    pub(super) const fn of_position(self) -> usize {
        match self {
            Self::Bordered => SIDE * SIDE,
            Self::Plain => SQUARES,
        }
    }

    /// The row of square `number` (0 to 80) of the position number `position`.
    #[inline(always)]
    pub(super) const fn at(self, position: usize, number: usize) -> usize {
        match self {
            Self::Bordered => position * (SIDE * SIDE) + BORDERED[number],
            Self::Plain => position * SQUARES + number,
        }
    }
}

/// The way from a row of a bordered map to the row that a tap of 3 × 3 sees from there.
#[inline(always)]
const fn reach(taps: usize, tap: usize) -> isize {
    if taps == 1 {
        0
    } else {
        (tap as isize / 3 - 1) * SIDE as isize + tap as isize % 3 - 1
    }
}

/// Products of rows with weights, as rows of another map: a convolution of 1 × 1 or 3 × 3 squares, or an affine layer.
pub(super) struct Products<'a> {
    /// For each pair of outputs, for each tap, for each input.
    pub(super) weights: &'a [Pair],
    /// 1, or 9 in the order of files, then ranks; then the input is bordered.
    pub(super) taps: usize,
    /// Numbers of an input row, a multiple of 32.
    pub(super) inputs: usize,
    pub(super) input: &'a [Lanes],
    pub(super) from: Rows,
    pub(super) output: &'a mut [Lanes],
    pub(super) to: Rows,
    /// Rows: 81 for each position, or one.
    pub(super) rows: usize,
    /// True if the products are added to what is there.
    pub(super) adds: bool,
}

impl LaneKernel for Products<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let pairs = self.weights.len() / (self.taps * self.inputs);
        for first in (0..self.rows).step_by(SQUARES) {
            let end = (first + SQUARES).min(self.rows);
            for pair in 0..pairs {
                let mut row = first;
                if I::SAMPLES == 8 {
                    while row + 9 <= end {
                        self.tile::<I, 9, 2>(isa, 2 * pair, row);
                        row += 9;
                    }
                    while row < end {
                        self.tile::<I, 1, 2>(isa, 2 * pair, row);
                        row += 1;
                    }
                } else {
                    for vector in [2 * pair, 2 * pair + 1] {
                        row = first;
                        while row + 6 <= end {
                            self.tile::<I, 6, 1>(isa, vector, row);
                            row += 6;
                        }
                        while row < end {
                            self.tile::<I, 1, 1>(isa, vector, row);
                            row += 1;
                        }
                    }
                }
            }
        }
    }
}

impl Products<'_> {
    /// `V` vectors of `N` rows: as many sums as registers hold.
    #[inline(always)]
    fn tile<I: Isa, const N: usize, const V: usize>(
        &mut self,
        isa: I,
        vector: usize,
        first: usize,
    ) {
        let (pair, half) = (vector / 2, vector % 2);
        let (taps, inputs) = (self.taps, self.inputs);
        let pairs = self.weights.len() / (taps * inputs);
        let input = self.input.as_flattened();
        let zero = isa.splat(0.0);
        let mut sums = [[zero; V]; N];
        for tap in 0..taps {
            let mut rows: [&[f32]; N] = [&[]; N];
            for n in 0..N {
                let number = first + n;
                let at = self.from.at(number / SQUARES, number % SQUARES);
                let at = at.wrapping_add_signed(reach(taps, tap));
                rows[n] = &input[at * inputs..][..inputs];
            }
            let weights = &self.weights[(pair * taps + tap) * inputs..][..inputs];
            for number in 0..inputs {
                let mut here = [zero; V];
                for v in 0..V {
                    here[v] = isa.load(&weights[number][half + v]);
                }
                for n in 0..N {
                    let factor = isa.splat(rows[n][number]);
                    for v in 0..V {
                        sums[n][v] = isa.mul_add(factor, here[v], sums[n][v]);
                    }
                }
            }
        }
        for n in 0..N {
            let number = first + n;
            let at = self.to.at(number / SQUARES, number % SQUARES);
            let output = &mut self.output[at * 2 * pairs + vector..][..V];
            for v in 0..V {
                let mut sum = sums[n][v];
                if self.adds {
                    sum = isa.add(isa.load(&output[v]), sum);
                }
                isa.store(sum, &mut output[v]);
            }
        }
    }
}

/// The gradient of the weights of [`Products`], which is added to what is there.
pub(super) struct WeightGradient<'a> {
    pub(super) gradient: &'a mut [Pair],
    pub(super) taps: usize,
    pub(super) inputs: usize,
    pub(super) input: &'a [Lanes],
    pub(super) from: Rows,
    /// The gradient of the output.
    pub(super) outer: &'a [Lanes],
    pub(super) to: Rows,
    pub(super) rows: usize,
}

impl LaneKernel for WeightGradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let pairs = self.gradient.len() / (self.taps * self.inputs);
        for first in (0..self.rows).step_by(SQUARES) {
            let count = SQUARES.min(self.rows - first);
            for pair in 0..pairs {
                for tap in 0..self.taps {
                    if I::SAMPLES == 8 {
                        for number in (0..self.inputs).step_by(8) {
                            self.tile::<I, 8, 2>(isa, (2 * pair, tap, number), (first, count));
                        }
                    } else {
                        for number in (0..self.inputs).step_by(4) {
                            for vector in [2 * pair, 2 * pair + 1] {
                                self.tile::<I, 4, 1>(isa, (vector, tap, number), (first, count));
                            }
                        }
                    }
                }
            }
        }
    }
}

impl WeightGradient<'_> {
    /// `V` vectors of the weights of `K` inputs.
    #[inline(always)]
    fn tile<I: Isa, const K: usize, const V: usize>(
        &mut self,
        isa: I,
        (vector, tap, number): (usize, usize, usize),
        (first, count): (usize, usize),
    ) {
        let (pair, half) = (vector / 2, vector % 2);
        let (taps, inputs) = (self.taps, self.inputs);
        let pairs = self.gradient.len() / (taps * inputs);
        let input = self.input.as_flattened();
        let gradient = &mut self.gradient[(pair * taps + tap) * inputs + number..][..K];
        let zero = isa.splat(0.0);
        let mut sums = [[zero; V]; K];
        for k in 0..K {
            for v in 0..V {
                sums[k][v] = isa.load(&gradient[k][half + v]);
            }
        }
        let position = first / SQUARES;
        for square in 0..count {
            let at = self.from.at(position, square);
            let at = at.wrapping_add_signed(reach(taps, tap));
            let row: &[f32; K] = input[at * inputs + number..]
                .first_chunk()
                .expect("a whole row");
            let at = self.to.at(position, square) * 2 * pairs + vector;
            let outer = &self.outer[at..][..V];
            let mut here = [zero; V];
            for v in 0..V {
                here[v] = isa.load(&outer[v]);
            }
            for k in 0..K {
                let factor = isa.splat(row[k]);
                for v in 0..V {
                    sums[k][v] = isa.mul_add(factor, here[v], sums[k][v]);
                }
            }
        }
        for k in 0..K {
            for v in 0..V {
                isa.store(sums[k][v], &mut gradient[k][half + v]);
            }
        }
    }
}

/// The rows of weights of the bits that are set, summed into the map of one position, whose rows are bordered: a convolution of 3 × 3 of
/// planes of few bits. The border is written as well.
pub(super) struct BitSums<'a> {
    /// For each pair of outputs, for each tap, for each plane.
    pub(super) weights: &'a [Pair],
    pub(super) planes: usize,
    /// Plane × 81 + square.
    pub(super) bits: &'a [u16],
    /// What each row begins with.
    pub(super) start: &'a [Lanes],
    pub(super) output: &'a mut [Lanes],
}

/// The row that tap `tap` of 3 × 3 looks from when it sees a square.
#[inline(always)]
fn seen_from(square: usize, tap: usize) -> usize {
    BORDERED[square].wrapping_add_signed(-reach(9, tap))
}

impl LaneKernel for BitSums<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let vectors = self.start.len();
        for row in self.output.chunks_exact_mut(vectors) {
            row.copy_from_slice(self.start);
        }
        for &bit in self.bits {
            let (plane, square) = (usize::from(bit) / SQUARES, usize::from(bit) % SQUARES);
            for tap in 0..9 {
                let output = &mut self.output[seen_from(square, tap) * vectors..][..vectors];
                for pair in 0..vectors / 2 {
                    let row = &self.weights[(pair * 9 + tap) * self.planes + plane];
                    for half in 0..2 {
                        let sum = &mut output[2 * pair + half];
                        isa.store(isa.add(isa.load(sum), isa.load(&row[half])), sum);
                    }
                }
            }
        }
    }
}

/// The gradient of the weights of [`BitSums`], which is added to what is there. The border of `outer` is zero.
pub(super) struct BitGradient<'a> {
    pub(super) gradient: &'a mut [Pair],
    pub(super) planes: usize,
    pub(super) bits: &'a [u16],
    pub(super) outer: &'a [Lanes],
}

impl LaneKernel for BitGradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let pairs = self.gradient.len() / (9 * self.planes);
        for &bit in self.bits {
            let (plane, square) = (usize::from(bit) / SQUARES, usize::from(bit) % SQUARES);
            for tap in 0..9 {
                let outer = &self.outer[seen_from(square, tap) * 2 * pairs..][..2 * pairs];
                for pair in 0..pairs {
                    let row = &mut self.gradient[(pair * 9 + tap) * self.planes + plane];
                    for half in 0..2 {
                        let outer = isa.load(&outer[2 * pair + half]);
                        isa.store(isa.add(isa.load(&row[half]), outer), &mut row[half]);
                    }
                }
            }
        }
    }
}

/// Weights by which gradients go back from outputs to inputs: turned, with taps seen from the other side.
pub(super) fn transpose(weights: &[Pair], taps: usize, inputs: usize) -> Vec<Pair> {
    let outputs = weights.len() / (taps * inputs) * PAIR;
    let mut turned = vec![[[0.0; LANES]; 2]; inputs / PAIR * taps * outputs];
    for (at, row) in weights.iter().enumerate() {
        let (pair, tap, input) = (at / inputs / taps, at / inputs % taps, at % inputs);
        let (to_pair, lane) = (input / PAIR, input % PAIR);
        let first = (to_pair * taps + taps - 1 - tap) * outputs + pair * PAIR;
        for (number, weight) in row.as_flattened().iter().enumerate() {
            turned[first + number].as_flattened_mut()[lane] = *weight;
        }
    }
    turned
}

/// A step of gradient descent with momentum by Nesterov, as that of `PyTorch`: `gradient` and the decay of the weight go into the momentum, and the
/// weight moves by the gradient and the momentum that follows.
pub(super) struct Descent<'a> {
    pub(super) weights: &'a mut [Lanes],
    pub(super) momenta: &'a mut [Lanes],
    pub(super) gradient: &'a [Lanes],
    /// What the gradient is multiplied by first.
    pub(super) factor: f32,
    pub(super) rate: f32,
    pub(super) momentum: f32,
    pub(super) decay: f32,
}

impl LaneKernel for Descent<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let factor = isa.splat(self.factor);
        let (momentum, decay) = (isa.splat(self.momentum), isa.splat(self.decay));
        let back = isa.splat(-self.rate);
        let numbers = self.weights.iter_mut().zip(self.momenta).zip(self.gradient);
        for ((weight, moment), gradient) in numbers {
            let here = isa.load(weight);
            let slope = isa.mul_add(decay, here, isa.mul(isa.load(gradient), factor));
            let next = isa.mul_add(momentum, isa.load(moment), slope);
            isa.store(next, moment);
            let step = isa.mul_add(momentum, next, slope);
            isa.store(isa.mul_add(back, step, here), weight);
        }
    }
}
