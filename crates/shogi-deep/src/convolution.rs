//! Convolutions over the board, and what else is a product of rows and weights: one tiling for evaluating networks and for training
//! them.
//!
//! Rows of a map have their channels side by side, in pairs of vectors of sixteen. Sums go over taps and channels in the same order
//! with all instructions and in tiles of any size, so the results are the same bits. Factors are numbers of 32 bits, or two of 16
//! bits at a time.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators side by side are not always inlined here, and what is not is compiled without the instructions"
)]

use yane_base::lanes::{Isa, LANES, LaneKernel, Lanes, PairLanes};

/// Files and ranks of a map with a border.
const SIDE: usize = 11;
/// Files and ranks of the board.
const BOARD: usize = 9;
/// Squares of the board.
pub const SQUARES: usize = BOARD * BOARD;

/// Two vectors: the unit in which channels are computed.
pub type Pair = [Lanes; 2];
/// Numbers of a pair.
pub const PAIR: usize = 2 * LANES;

/// Vectors that hold so many numbers, in pairs.
pub const fn vectors_of(numbers: usize) -> usize {
    2 * numbers.div_ceil(PAIR)
}

/// The rows of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
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
    pub const fn of_position(self) -> usize {
        match self {
            Self::Bordered => SIDE * SIDE,
            Self::Plain => SQUARES,
        }
    }

    /// The row of square `number` (0 to 80, in the order of files, then ranks) of the position number `position`.
    #[inline(always)]
    pub const fn at(self, position: usize, number: usize) -> usize {
        match self {
            Self::Bordered => position * (SIDE * SIDE) + BORDERED[number],
            Self::Plain => position * SQUARES + number,
        }
    }
}

/// The way from a row of a bordered map to the row that tap `tap` of `taps` (1, or 9 in the order of files, then ranks) sees from
/// there.
#[inline(always)]
pub const fn reach(taps: usize, tap: usize) -> isize {
    if taps == 1 {
        0
    } else {
        (tap as isize / 3 - 1) * SIDE as isize + tap as isize % 3 - 1
    }
}

/// The row of a bordered map that tap `tap` of `taps` looks from when it sees a square (0 to 80).
#[inline(always)]
pub const fn seen_from(square: usize, taps: usize, tap: usize) -> usize {
    BORDERED[square].wrapping_add_signed(-reach(taps, tap))
}

/// Makes the border of a bordered map of one position zero.
pub(crate) fn clear_border(map: &mut [Lanes]) {
    let vectors = map.len() / Rows::Bordered.of_position();
    for (number, square) in map.chunks_exact_mut(vectors).enumerate() {
        let (file, rank) = (number / SIDE, number % SIDE);
        if !(1..=BOARD).contains(&file) || !(1..=BOARD).contains(&rank) {
            square.fill([0.0; LANES]);
        }
    }
}

/// What the sums of [`Products`] begin or end with.
#[derive(Clone, Copy, Debug)]
pub enum ProductStart<'a> {
    /// Nothing.
    Zero,
    /// They begin with these numbers, two vectors for each pair of outputs.
    Bias(&'a [Lanes]),
    /// They are added to what is in the output.
    Output,
}

/// What the factors of products are, and how they are multiplied.
pub trait Factor: Copy {
    /// The weights of sixteen outputs for one factor of a row.
    type Weights;

    /// Weights in registers.
    type Loaded<I: Isa>: Copy;

    /// Memory to registers.
    fn load<I: Isa>(isa: I, weights: &Self::Weights) -> Self::Loaded<I>;

    /// `sum` and the products of the factor with weights.
    fn add_to<I: Isa>(self, isa: I, weights: Self::Loaded<I>, sum: I::Vector) -> I::Vector;
}

impl Factor for f32 {
    type Weights = Lanes;
    type Loaded<I: Isa> = I::Vector;

    #[inline(always)]
    fn load<I: Isa>(isa: I, weights: &Lanes) -> I::Vector {
        isa.load(weights)
    }

    #[inline(always)]
    fn add_to<I: Isa>(self, isa: I, weights: I::Vector, sum: I::Vector) -> I::Vector {
        isa.mul_add(isa.splat(self), weights, sum)
    }
}

/// Two numbers of a row, side by side, as [bfloat16](yane_base::lanes::bfloat16).
impl Factor for u32 {
    type Weights = PairLanes;
    type Loaded<I: Isa> = I::Pairs;

    #[inline(always)]
    fn load<I: Isa>(isa: I, weights: &PairLanes) -> I::Pairs {
        isa.load_pairs(weights)
    }

    #[inline(always)]
    fn add_to<I: Isa>(self, isa: I, weights: I::Pairs, sum: I::Vector) -> I::Vector {
        isa.add_products(self, weights, sum)
    }
}

/// Products of rows with weights, as rows of another map: a convolution of 1 × 1 or 3 × 3 squares, or an affine layer.
#[derive(Debug)]
pub struct Products<'a, F: Factor = f32> {
    /// For each pair of vectors of outputs, for each tap, for each input.
    pub weights: &'a [[F::Weights; 2]],
    /// 1, or 9 in the order of files, then ranks; then the input is bordered.
    pub taps: usize,
    /// Factors of an input row that have weights, at least 1.
    pub inputs: usize,
    /// All factors of an input row.
    pub stride: usize,
    /// The input.
    pub input: &'a [F],
    /// The rows of the input.
    pub from: Rows,
    /// What is made of the sums' start.
    pub start: ProductStart<'a>,
    /// The output; the border of its rows is not written.
    pub output: &'a mut [Lanes],
    /// The rows of the output.
    pub to: Rows,
    /// Number of rows: 81 for each position, or one.
    pub rows: usize,
}

impl<F: Factor> LaneKernel for Products<'_, F> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        for first in (0..self.rows).step_by(SQUARES) {
            let end = (first + SQUARES).min(self.rows);
            for pair in 0..self.pairs() {
                if I::SAMPLES == 8 {
                    let mut row = first;
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
                        let mut row = first;
                        while row + 6 <= end {
                            self.tile::<I, 6, 1>(isa, vector, row);
                            row += 6;
                        }
                        while row + 3 <= end {
                            self.tile::<I, 3, 1>(isa, vector, row);
                            row += 3;
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

impl<F: Factor> Products<'_, F> {
    const fn pairs(&self) -> usize {
        self.weights.len() / (self.taps * self.inputs)
    }

    /// `V` vectors of `N` rows: as many sums as registers hold.
    #[inline(always)]
    fn tile<I: Isa, const N: usize, const V: usize>(
        &mut self,
        isa: I,
        vector: usize,
        first: usize,
    ) {
        let (pair, half) = (vector / 2, vector % 2);
        let (taps, inputs, stride) = (self.taps, self.inputs, self.stride);
        let vectors = 2 * self.pairs();
        let zero = isa.splat(0.0);
        let mut start = [zero; V];
        if let ProductStart::Bias(bias) = self.start {
            for v in 0..V {
                start[v] = isa.load(&bias[vector + v]);
            }
        }
        let mut sums = [start; N];
        for tap in 0..taps {
            let mut rows: [&[F]; N] = [&[]; N];
            for n in 0..N {
                let number = first + n;
                let at = self.from.at(number / SQUARES, number % SQUARES);
                let at = at.wrapping_add_signed(reach(taps, tap));
                rows[n] = &self.input[at * stride..][..inputs];
            }
            let weights = &self.weights[(pair * taps + tap) * inputs..][..inputs];
            for number in 0..inputs {
                let mut here = [F::load(isa, &weights[number][half]); V];
                for v in 1..V {
                    here[v] = F::load(isa, &weights[number][half + v]);
                }
                for n in 0..N {
                    let factor = rows[n][number];
                    for v in 0..V {
                        sums[n][v] = factor.add_to(isa, here[v], sums[n][v]);
                    }
                }
            }
        }
        for n in 0..N {
            let number = first + n;
            let at = self.to.at(number / SQUARES, number % SQUARES);
            let output = &mut self.output[at * vectors + vector..][..V];
            for v in 0..V {
                let mut sum = sums[n][v];
                if matches!(self.start, ProductStart::Output) {
                    sum = isa.add(isa.load(&output[v]), sum);
                }
                isa.store(sum, &mut output[v]);
            }
        }
    }
}

/// The rows of weights of the bits that are set, summed into the map of one position, whose rows are bordered: a convolution of
/// planes of few bits. The border is written as well.
#[derive(Debug)]
pub struct BitSums<'a> {
    /// For each pair of outputs, for each tap, for each plane.
    pub weights: &'a [Pair],
    /// 1, or 9 in the order of files, then ranks.
    pub taps: usize,
    /// Number of planes.
    pub planes: usize,
    /// Bits that are set: plane × 81 + square.
    pub bits: &'a [u16],
    /// What each row begins with.
    pub start: &'a [Lanes],
    /// The map.
    pub output: &'a mut [Lanes],
}

impl LaneKernel for BitSums<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let vectors = self.start.len();
        for row in self.output.chunks_exact_mut(vectors) {
            row.copy_from_slice(self.start);
        }
        let taps = self.taps;
        for &bit in self.bits {
            let (plane, square) = (usize::from(bit) / SQUARES, usize::from(bit) % SQUARES);
            for tap in 0..taps {
                let output = &mut self.output[seen_from(square, taps, tap) * vectors..][..vectors];
                for pair in 0..vectors / 2 {
                    let row = &self.weights[(pair * taps + tap) * self.planes + plane];
                    for half in 0..2 {
                        let sum = &mut output[2 * pair + half];
                        isa.store(isa.add(isa.load(sum), isa.load(&row[half])), sum);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;
    use yane_base::lanes::LaneLevel;

    use super::*;

    fn numbers(random: &mut SplitMix64, count: usize) -> Vec<Lanes> {
        let mut number = || (random.below(2001) as f32 - 1000.0) / 64.0;
        (0..count)
            .map(|_| std::array::from_fn(|_| number()))
            .collect()
    }

    /// One output number, by the definition of a convolution.
    fn expected(
        (input, stride): (&[Lanes], usize),
        (weights, taps, inputs): (&[Pair], usize, usize),
        (square, output): (usize, usize),
        start: f32,
    ) -> f32 {
        let (file, rank) = (square / BOARD + 1, square % BOARD + 1);
        let (pair, lane) = (output / PAIR, output % PAIR);
        let mut sum = start;
        for tap in 0..taps {
            let (file, rank) = if taps == 1 {
                (file, rank)
            } else {
                (file + tap / 3 - 1, rank + tap % 3 - 1)
            };
            for number in 0..inputs {
                let here = input.as_flattened()[(file * SIDE + rank) * stride + number];
                let row = &weights[(pair * taps + tap) * inputs + number];
                sum = here.mul_add(row.as_flattened()[lane], sum);
            }
        }
        sum
    }

    #[test]
    fn products_are_convolutions_with_all_instructions() {
        let mut random = SplitMix64::new(1);
        // 40 channels of 64 in a row, into 32.
        let (stride, inputs, vectors) = (64, 40, 2);
        for taps in [1, 9] {
            let mut input = numbers(&mut random, SIDE * SIDE * stride / LANES);
            clear_border(&mut input);
            let weights = numbers(&mut random, taps * inputs * vectors);
            let weights = weights.as_chunks::<2>().0;
            let bias = numbers(&mut random, vectors);
            let before = numbers(&mut random, SQUARES * vectors);
            for level in LaneLevel::available() {
                for start in [
                    ProductStart::Zero,
                    ProductStart::Bias(&bias),
                    ProductStart::Output,
                ] {
                    let mut output = before.clone();
                    level.run(Products {
                        weights,
                        taps,
                        inputs,
                        stride,
                        input: input.as_flattened(),
                        from: Rows::Bordered,
                        start,
                        output: &mut output,
                        to: Rows::Plain,
                        rows: SQUARES,
                    });
                    for square in 0..SQUARES {
                        for lane in [0, 17, 31] {
                            let at = square * PAIR + lane;
                            let begin = match start {
                                ProductStart::Bias(bias) => bias.as_flattened()[lane],
                                _ => 0.0,
                            };
                            let layer = (weights, taps, inputs);
                            let mut sum = expected((&input, stride), layer, (square, lane), begin);
                            if matches!(start, ProductStart::Output) {
                                sum += before.as_flattened()[at];
                            }
                            let found = output.as_flattened()[at];
                            assert_eq!(found.to_bits(), sum.to_bits(), "{level:?} {start:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sums_of_bits_are_convolutions_of_planes() {
        let mut random = SplitMix64::new(2);
        let (planes, vectors) = (3, 2);
        for taps in [1, 9] {
            let weights = numbers(&mut random, taps * planes * vectors);
            let weights = weights.as_chunks::<2>().0;
            let start = numbers(&mut random, vectors);
            let bits = [0, 8, 81 + 40, 2 * 81 + 41, 2 * 81 + 80];
            let mut output = vec![[0.0; LANES]; SIDE * SIDE * vectors];
            LaneLevel::best().run(BitSums {
                weights,
                taps,
                planes,
                bits: &bits,
                start: &start,
                output: &mut output,
            });
            let mut map = vec![[0.0; LANES]; SIDE * SIDE];
            for bit in bits {
                let (plane, square) = (usize::from(bit) / 81, usize::from(bit) % 81);
                map[Rows::Bordered.at(0, square)][plane] = 1.0;
            }
            for square in 0..SQUARES {
                let layer = (weights, taps, planes);
                let bias = start.as_flattened()[5];
                let sum = expected((&map, LANES), layer, (square, 5), bias);
                let found = output[Rows::Bordered.at(0, square) * vectors][5];
                assert!((found - sum).abs() < 1e-3, "{square}: {found} {sum}");
            }
        }
    }
}
