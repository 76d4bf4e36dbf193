//! Batch normalisation over the positions of a group, with what follows it: a sum with what goes round a block, and `ReLU`.

use shogi_deep::convolution::{Rows, SQUARES};
use yane_base::lanes::{LANES, Lanes};

/// Added to a variance before its root is taken.
const EPSILON: f32 = shogi_deep::BatchNorm::EPSILON;

/// Sums of a channel and of its squares over the rows of maps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChannelSums {
    pub(super) sums: Vec<f64>,
    pub(super) squares: Vec<f64>,
    pub(super) rows: f64,
}

impl ChannelSums {
    fn new(channels: usize) -> Self {
        Self {
            sums: vec![0.0; channels],
            squares: vec![0.0; channels],
            rows: 0.0,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        let sums = self.sums.iter_mut().zip(&other.sums);
        let squares = self.squares.iter_mut().zip(&other.squares);
        sums.chain(squares).for_each(|(sum, other)| *sum += other);
        self.rows += other.rows;
    }

    /// Mean and variance of a channel.
    pub(super) fn moments(&self, channel: usize) -> (f64, f64) {
        let mean = self.sums[channel] / self.rows;
        let variance = self.squares[channel] / self.rows - mean * mean;
        (mean, variance.max(0.0))
    }
}

/// A normalisation of a group: its statistics, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    rows: Rows,
    pub(super) sums: ChannelSums,
    mean: Vec<Lanes>,
    /// 1 / √(variance + ε).
    inverse: Vec<Lanes>,
}

impl Norm {
    pub(super) fn new(rows: Rows, vectors: usize) -> Self {
        Self {
            rows,
            sums: ChannelSums::new(vectors * LANES),
            mean: vec![[0.0; LANES]; vectors],
            inverse: vec![[0.0; LANES]; vectors],
        }
    }

    /// `output` = `ReLU`(norm(`input`) + `skip`), for the first `count` positions.
    pub(super) fn forward(
        &mut self,
        count: usize,
        [scale, shift]: [&[Lanes]; 2],
        input: &[Lanes],
        skip: Option<&[Lanes]>,
        output: &mut [Lanes],
    ) {
        let vectors = self.mean.len();
        self.measure(count, input);
        let factor = lanewise(scale, &self.inverse, |scale, inverse| scale * inverse);
        let summand: Vec<Lanes> = (0..vectors)
            .map(|v| std::array::from_fn(|i| shift[v][i] - self.mean[v][i] * factor[v][i]))
            .collect();
        for (position, square) in places(count) {
            let at = self.rows.at(position, square) * vectors;
            for vector in 0..vectors {
                let (from, to) = (&input[at + vector], &mut output[at + vector]);
                let (factor, summand) = (&factor[vector], &summand[vector]);
                match skip {
                    Some(skip) => {
                        let skip = &skip[at + vector];
                        for i in 0..LANES {
                            to[i] = (from[i] * factor[i] + summand[i] + skip[i]).max(0.0);
                        }
                    }
                    None => {
                        for i in 0..LANES {
                            to[i] = (from[i] * factor[i] + summand[i]).max(0.0);
                        }
                    }
                }
            }
        }
    }

    fn measure(&mut self, count: usize, input: &[Lanes]) {
        let vectors = self.mean.len();
        self.sums = ChannelSums::new(vectors * LANES);
        let mut sums = vec![[[0.0f32; LANES]; 2]; vectors];
        for position in 0..count {
            sums.fill([[0.0; LANES]; 2]);
            for square in 0..SQUARES {
                let row = &input[self.rows.at(position, square) * vectors..][..vectors];
                for (lanes, [sum, squares]) in row.iter().zip(&mut sums) {
                    for i in 0..LANES {
                        sum[i] += lanes[i];
                        squares[i] += lanes[i] * lanes[i];
                    }
                }
            }
            for (vector, [sum, squares]) in sums.iter().enumerate() {
                for i in 0..LANES {
                    self.sums.sums[vector * LANES + i] += f64::from(sum[i]);
                    self.sums.squares[vector * LANES + i] += f64::from(squares[i]);
                }
            }
        }
        self.sums.rows = (count * SQUARES) as f64;
        for channel in 0..vectors * LANES {
            let (mean, variance) = self.sums.moments(channel);
            let (vector, lane) = (channel / LANES, channel % LANES);
            self.mean[vector][lane] = mean as f32;
            self.inverse[vector][lane] = 1.0 / (variance as f32 + EPSILON).sqrt();
        }
    }

    /// Goes back: `outer`, the gradient of the output, becomes 0 where the output was not positive, and `inner` the gradient of
    /// the input. `changes` are the gradients of factors and summands.
    pub(super) fn backward(
        &self,
        count: usize,
        scale: &[Lanes],
        [input, output]: [&[Lanes]; 2],
        outer: &mut [Lanes],
        inner: &mut [Lanes],
        changes: [&mut [Lanes]; 2],
    ) {
        let vectors = self.mean.len();
        let mut sums = vec![[[0.0f64; LANES]; 2]; vectors];
        let mut here = vec![[[0.0f32; LANES]; 2]; vectors];
        for position in 0..count {
            here.fill([[0.0; LANES]; 2]);
            for square in 0..SQUARES {
                let at = self.rows.at(position, square) * vectors;
                for (vector, [by_scale, by_shift]) in here.iter_mut().enumerate() {
                    let (input, output) = (&input[at + vector], &output[at + vector]);
                    let outer = &mut outer[at + vector];
                    let (mean, inverse) = (&self.mean[vector], &self.inverse[vector]);
                    for i in 0..LANES {
                        let slope = if output[i] > 0.0 { outer[i] } else { 0.0 };
                        outer[i] = slope;
                        by_scale[i] += slope * ((input[i] - mean[i]) * inverse[i]);
                        by_shift[i] += slope;
                    }
                }
            }
            for (sums, here) in sums.iter_mut().zip(&here) {
                for (sums, here) in sums.iter_mut().zip(here) {
                    for (sum, &here) in sums.iter_mut().zip(here) {
                        *sum += f64::from(here);
                    }
                }
            }
        }
        let rows = self.sums.rows;
        let means: Vec<[Lanes; 2]> = sums
            .iter()
            .map(|sums| sums.map(|sums| sums.map(|sum| (sum / rows) as f32)))
            .collect();
        let factor = lanewise(scale, &self.inverse, |scale, inverse| scale * inverse);
        for (position, square) in places(count) {
            let at = self.rows.at(position, square) * vectors;
            for vector in 0..vectors {
                let (input, outer) = (&input[at + vector], &outer[at + vector]);
                let inner = &mut inner[at + vector];
                let (mean, inverse) = (&self.mean[vector], &self.inverse[vector]);
                let [by_scale, by_shift] = &means[vector];
                for i in 0..LANES {
                    let normal = (input[i] - mean[i]) * inverse[i];
                    inner[i] = factor[vector][i] * (outer[i] - by_shift[i] - normal * by_scale[i]);
                }
            }
        }
        for (number, changes) in changes.into_iter().enumerate() {
            for (changes, sums) in changes.iter_mut().zip(&sums) {
                for (change, &sum) in changes.iter_mut().zip(&sums[number]) {
                    *change += sum as f32;
                }
            }
        }
    }
}

fn places(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(|position| (0..SQUARES).map(move |square| (position, square)))
}

fn lanewise(a: &[Lanes], b: &[Lanes], f: impl Fn(f32, f32) -> f32) -> Vec<Lanes> {
    a.iter()
        .zip(b)
        .map(|(a, b)| std::array::from_fn(|i| f(a[i], b[i])))
        .collect()
}
