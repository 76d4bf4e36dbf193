//! The arithmetic of training a network of convolutions, on maps and vectors of several positions at once.
//!
//! Rows of a map have their channels side by side, in pairs of vectors of sixteen. Sums go over taps, channels and rows in the same order with
//! all instructions, so the results are the same bits.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators side by side are not always inlined here, and what is not is compiled without the instructions"
)]

use shogi_deep::convolution::{PAIR, Pair, Rows, SQUARES, reach, seen_from};
use yane_base::lanes::{Isa, LANES, LaneKernel, Lanes};

/// The gradient of the weights of [`Products`](shogi_deep::convolution::Products), which is added to what is there.
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

/// The gradient of the weights of [`BitSums`](shogi_deep::convolution::BitSums), which is added to what is there. The border of `outer` is zero.
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
                let outer = &self.outer[seen_from(square, 9, tap) * 2 * pairs..][..2 * pairs];
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
