//! A step of the training: the gradients of a batch, and what they change.
//!
//! A batch is cut into chunks in the same way whatever the number of threads, and every sum has one order. Gradients of rows are summed up
//! slice by slice of the accumulator, each slice by one thread in the order of positions.

use othello_core::Board;
use rayon::prelude::*;

use super::adam::AdamStep;
use super::forward::{Activations, backward, forward};
use super::inputs::NetInputs;
use super::params::{MOST_OF_LAYER, MOST_OF_ROW, Params, SLICE, Sizes, Slice};

/// Positions that one thread takes at once.
const CHUNK: usize = 512;

/// Dense numbers that one thread takes at once.
const PART: usize = 1 << 12;

/// A position to learn from.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) board: Board,
    pub(super) ply: usize,
    /// The output that the network shall give.
    pub(super) target: f32,
}

/// What a chunk of a batch gives.
#[derive(Clone)]
struct Chunk {
    /// The rows of each position.
    rows: Vec<u32>,
    /// Gradients of the accumulator for each position, slice by slice.
    of_units: Vec<Slice>,
    /// Gradients of dense numbers.
    dense: Vec<f32>,
    /// The sum of squared errors.
    loss: f64,
}

/// A network in training.
pub(super) struct Trainer {
    pub(super) sizes: Sizes,
    pub(super) inputs: NetInputs,
    pub(super) params: Params,
    /// Means of gradients and of their squares.
    pub(super) moments: [Params; 2],
    /// Gradients of rows.
    gradients: Vec<Slice>,
    chunks: Vec<Chunk>,
}

impl Trainer {
    pub(super) fn new(sizes: Sizes, inputs: NetInputs, params: Params) -> Self {
        let zeros = Params::zeros(&sizes);
        Self {
            gradients: zeros.rows.clone(),
            moments: [zeros.clone(), zeros],
            chunks: Vec::new(),
            sizes,
            inputs,
            params,
        }
    }

    /// Learns from a batch; the sum of squared errors before it.
    pub(super) fn step(&mut self, batch: &[Sample], step: AdamStep) -> f64 {
        let chunks = batch.len().div_ceil(CHUNK);
        let empty = Chunk {
            rows: Vec::new(),
            of_units: Vec::new(),
            dense: vec![0.0; self.sizes.dense()],
            loss: 0.0,
        };
        if self.chunks.len() < chunks {
            self.chunks.resize(chunks, empty);
        }
        let (sizes, params, inputs) = (&self.sizes, &self.params, &self.inputs);
        self.chunks[..chunks]
            .par_iter_mut()
            .zip(batch.par_chunks(CHUNK))
            .for_each(|(chunk, samples)| chunk.fill(sizes, params, inputs, samples));
        self.change_rows(chunks, step);
        self.change_dense(chunks, step);
        self.chunks[..chunks].iter().map(|chunk| chunk.loss).sum()
    }

    fn change_rows(&mut self, chunks: usize, step: AdamStep) {
        let chunks = &self.chunks[..chunks];
        let (rows, places) = (self.sizes.rows, self.inputs.places());
        let slices = self.sizes.slices();
        let [first, second] = &mut self.moments;
        let moments = first
            .rows
            .par_chunks_mut(rows)
            .zip(second.rows.par_chunks_mut(rows));
        let numbers = self.params.rows.par_chunks_mut(rows).zip(moments);
        let all = self.gradients.par_chunks_mut(rows).zip(numbers);
        all.enumerate()
            .for_each(|(slice, (gradients, (numbers, (first, second))))| {
                gradients.as_flattened_mut().fill(0.0);
                for chunk in chunks {
                    let of_units = chunk.of_units[slice..].iter().step_by(slices);
                    for (rows, of_units) in chunk.rows.chunks_exact(places).zip(of_units) {
                        for &row in rows {
                            let row = &mut gradients[row as usize];
                            for (sum, gradient) in row.iter_mut().zip(of_units) {
                                *sum += gradient;
                            }
                        }
                    }
                }
                let moments = [first.as_flattened_mut(), second.as_flattened_mut()];
                let (numbers, gradients) = (numbers.as_flattened_mut(), gradients.as_flattened());
                step.apply(numbers, moments, gradients, MOST_OF_ROW);
            });
    }

    fn change_dense(&mut self, chunks: usize, step: AdamStep) {
        let chunks = &self.chunks[..chunks];
        let step = step.without_decay();
        let [first, second] = &mut self.moments;
        let moments = first
            .dense
            .par_chunks_mut(PART)
            .zip(second.dense.par_chunks_mut(PART));
        let all = self.params.dense.par_chunks_mut(PART).zip(moments);
        all.enumerate()
            .for_each(|(part, (numbers, (first, second)))| {
                let mut sums = [0.0; PART];
                let sums = &mut sums[..numbers.len()];
                for chunk in chunks {
                    for (sum, gradient) in sums.iter_mut().zip(&chunk.dense[part * PART..]) {
                        *sum += gradient;
                    }
                }
                step.apply(numbers, [first, second], sums, MOST_OF_LAYER);
            });
    }

    /// The mean of squared errors on samples.
    pub(super) fn loss(&self, samples: &[Sample]) -> f64 {
        let losses = samples.par_chunks(CHUNK).map(|samples| {
            let mut at = Activations::new();
            let mut rows = vec![0; self.inputs.places()];
            let loss = samples.iter().map(|sample| {
                self.inputs.of_board(sample.board, &mut rows);
                let output = forward(&self.sizes, &self.params, &rows, sample.ply, &mut at);
                f64::from(output - sample.target).powi(2)
            });
            loss.sum::<f64>()
        });
        let losses: Vec<f64> = losses.collect();
        losses.into_iter().sum::<f64>() / samples.len().max(1) as f64
    }
}

impl Chunk {
    fn fill(&mut self, sizes: &Sizes, params: &Params, inputs: &NetInputs, samples: &[Sample]) {
        let (places, slices) = (inputs.places(), sizes.slices());
        self.rows.resize(samples.len() * places, 0);
        self.of_units.resize(samples.len() * slices, [0.0; SLICE]);
        self.dense.fill(0.0);
        self.loss = 0.0;
        let mut at = Activations::new();
        let rows = self.rows.chunks_exact_mut(places);
        let of_units = self.of_units.chunks_exact_mut(slices);
        for ((sample, rows), of_units) in samples.iter().zip(rows).zip(of_units) {
            inputs.of_board(sample.board, rows);
            let error = forward(sizes, params, rows, sample.ply, &mut at) - sample.target;
            self.loss += f64::from(error * error);
            let dense = &mut self.dense[..];
            backward(sizes, params, sample.ply, &at, error, dense, of_units);
        }
    }
}

#[cfg(test)]
mod tests {
    use othello_eval::{NetShape, PlyPhases};

    use super::*;

    fn trainer() -> Trainer {
        let shape = NetShape::ALL[3];
        let inputs = NetInputs::new(shape);
        let sizes = Sizes {
            shape,
            phases: PlyPhases::with_parity(4, 0),
            rows: inputs.rows(),
        };
        let mut params = Params::random(&sizes, 3);
        // Rows that are not zeros, so that their gradients are looked at too.
        let mut random = yane_base::random::SplitMix64::new(4);
        for number in params.rows.as_flattened_mut() {
            *number = random.below(1000) as f32 / 20_000.0 - 0.025;
        }
        Trainer::new(sizes, inputs, params)
    }

    fn samples() -> Vec<Sample> {
        let mut board = Board::START;
        let mut samples = Vec::new();
        for ply in 0..30 {
            let Some(square) = board.legal_moves().iter().nth(ply % 2) else {
                break;
            };
            board = board.play_unchecked(square);
            samples.push(Sample {
                board,
                ply: board.discs() as usize - 4,
                target: (ply as f32 - 10.0) / 20.0,
            });
        }
        samples
    }

    /// The derivative of the loss by every tenth or so number that matters is what small changes of it show.
    #[test]
    fn gradients_are_slopes() {
        let mut trainer = trainer();
        let sample = samples()[20];
        let mut at = Activations::new();
        let mut rows = vec![0; trainer.inputs.places()];
        trainer.inputs.of_board(sample.board, &mut rows);
        let output = |trainer: &Trainer, at: &mut Activations| {
            forward(&trainer.sizes, &trainer.params, &rows, sample.ply, at)
        };
        output(&trainer, &mut at);
        let mut dense = vec![0.0; trainer.sizes.dense()];
        let mut of_units = vec![[0.0; SLICE]; trainer.sizes.slices()];
        let (sizes, params) = (&trainer.sizes, &trainer.params);
        backward(
            sizes,
            params,
            sample.ply,
            &at,
            1.0,
            &mut dense,
            &mut of_units,
        );
        let mut checked = 0;
        let mut other = Activations::new();
        for n in (0..dense.len()).filter(|&n| dense[n] != 0.0).step_by(7) {
            let old = trainer.params.dense[n];
            let mut side = |by: f32| {
                trainer.params.dense[n] = old + by;
                f64::from(output(&trainer, &mut other))
            };
            let slope = (side(1e-2) - side(-1e-2)) / 2e-2;
            trainer.params.dense[n] = old;
            let error = (slope - f64::from(dense[n])).abs();
            // Some activation may be clipped on one side of the change.
            if error > 0.02 * (0.1 + slope.abs()) {
                continue;
            }
            checked += 1;
        }
        let all = (0..dense.len())
            .filter(|&n| dense[n] != 0.0)
            .step_by(7)
            .count();
        assert!(all > 100 && checked * 20 > all * 19, "{checked} of {all}");
        // A row moves the accumulator as its bias does.
        let ply = trainer.sizes.bias(sample.ply);
        for (n, gradient) in of_units.as_flattened().iter().enumerate() {
            assert_eq!(dense[ply + n].to_bits(), gradient.to_bits());
        }
    }

    #[test]
    fn a_few_positions_are_learnt_by_heart() {
        let (mut trainer, samples) = (trainer(), samples());
        let before = trainer.loss(&samples);
        for step in 1..=200 {
            trainer.step(&samples, AdamStep::new(step, 2e-3, 0.0, samples.len()));
        }
        let after = trainer.loss(&samples);
        assert!(after < before / 100.0, "{before} {after}");
    }
}
