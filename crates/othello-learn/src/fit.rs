//! The fit of one phase's tables: normalised least mean squares.
//!
//! The value of a position is the sum of the weights of its patterns, and of one by the number of the mover's discs. After each
//! position every weight of the sum gets the same share of the error, times a rate that falls from epoch to epoch. States
//! that symmetry makes equal have one weight. A weight that few positions saw is pulled towards 0.
//!
//! The work on a phase is in one order, whatever runs beside it: the same positions and settings give the same weights.

use farm::{Stop, WorkError};
use othello_core::Board;
use othello_eval::{Pattern, PatternIndices, PatternLayout, PhaseTables, UNITS_PER_DISC};
use yane_base::random::SplitMix64;
use yane_io::Progress;

use crate::samples::LabelledPosition;

/// Settings of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// How often each position is seen.
    pub epochs: u32,
    /// The share of an error that is corrected at once, in the first epoch and in the last.
    pub rates: (f32, f32),
    /// A weight seen n times becomes n / (n + this) of itself.
    pub rare: f32,
    /// Seed of the order of positions.
    pub seed: u64,
    /// Parts of a disc in a weight of the result.
    pub units: i32,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            epochs: 12,
            rates: (0.3, 0.015),
            rare: 4.0,
            seed: 1,
            units: 32,
        }
    }
}

/// The numbers of a fitted phase. Errors are in discs, on the positions held out.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PhaseReport {
    /// Positions that were fitted, those of neighbouring plies included.
    pub positions: u64,
    /// Positions held out, of the phase's own plies.
    pub held_out: u64,
    /// Mean absolute error.
    pub mae: f64,
    /// Root of the mean square error.
    pub rmse: f64,
    /// Mean error: positive where values are too high.
    pub bias: f64,
    /// Share of weights that are 0 in the result.
    pub zeros: f64,
}

impl PhaseReport {
    /// The same with these errors of positions held out.
    pub(crate) fn with_errors(self, errors: impl Iterator<Item = f64>) -> Self {
        let (mut count, mut absolute, mut square, mut sum) = (0, 0.0, 0.0, 0.0);
        for error in errors {
            count += 1;
            absolute += error.abs();
            square += error * error;
            sum += error;
        }
        let n = (count as f64).max(1.0);
        Self {
            held_out: count,
            mae: absolute / n,
            rmse: (square / n).sqrt(),
            bias: sum / n,
            ..self
        }
    }
}

/// What is the same for all phases of a layout.
pub(crate) struct Fitter {
    indices: Vec<PatternIndices>,
    /// The squares of all places, and of which pattern they are.
    places: Vec<(usize, Vec<u64>)>,
    /// Where the weights of each pattern begin.
    starts: Vec<u32>,
    /// Weights by number of the mover's discs begin here.
    discs: u32,
    settings: FitSettings,
}

/// The number of weights by number of discs.
const DISC_COUNTS: usize = 65;

/// Positions between looks at whether the work is to end.
const BETWEEN_CHECKS: usize = 1 << 14;

/// Positions with the numbers of their weights.
struct Rows {
    width: usize,
    weights: Vec<u32>,
    values: Vec<f32>,
}

impl Fitter {
    pub(crate) fn new(layout: &PatternLayout, settings: FitSettings) -> Self {
        let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
        let mut starts = Vec::new();
        let mut discs = 0;
        for indices in &indices {
            starts.push(discs);
            discs += indices.packed_len as u32;
        }
        let patterns = layout.patterns().iter().enumerate();
        let places = patterns.flat_map(|(n, pattern)| {
            pattern
                .places()
                .map(move |place| (n, place.iter().map(|square| square.bit()).collect()))
        });
        Self {
            places: places.collect(),
            indices,
            starts,
            discs,
            settings,
        }
    }

    /// The numbers of a board's weights.
    fn weights_of(&self, board: Board, weights: &mut Vec<u32>) {
        for (pattern, squares) in &self.places {
            let number = squares.iter().fold(0, |number, bit| {
                let digit = match (board.mover() & bit, board.opponent() & bit) {
                    (0, 0) => 2,
                    (0, _) => 1,
                    _ => 0,
                };
                number * 3 + digit
            });
            let packed = self.indices[*pattern].packed[number];
            weights.push(self.starts[*pattern] + u32::from(packed));
        }
        weights.push(self.discs + board.mover().count_ones());
    }

    fn rows(&self, positions: &[LabelledPosition], stop: &Stop) -> Result<Rows, WorkError> {
        let width = self.places.len() + 1;
        let mut weights = Vec::with_capacity(positions.len() * width);
        for part in positions.chunks(BETWEEN_CHECKS) {
            stop.wait_if_paused();
            stop.check()?;
            for position in part {
                self.weights_of(position.board, &mut weights);
            }
        }
        let values = positions
            .iter()
            .map(|position| position.value as f32 / UNITS_PER_DISC as f32);
        Ok(Rows {
            width,
            weights,
            values: values.collect(),
        })
    }

    /// Fits the tables of a phase to `positions`, and measures the error on `held_out`.
    ///
    /// # Errors
    /// When the work is to end.
    pub(crate) fn fit(
        &self,
        positions: &[LabelledPosition],
        held_out: &[LabelledPosition],
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<(PhaseTables, PhaseReport), WorkError> {
        let rows = self.rows(positions, stop)?;
        let mut weights = vec![0f32; self.discs as usize + DISC_COUNTS];
        let mut seen = vec![0u32; weights.len()];
        for &weight in &rows.weights {
            seen[weight as usize] += 1;
        }
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        let mut random = SplitMix64::new(self.settings.seed);
        for epoch in 0..self.settings.epochs {
            shuffle(&mut order, &mut random);
            let (first, last) = self.settings.rates;
            let through = epoch as f32 / self.settings.epochs.saturating_sub(1).max(1) as f32;
            let rate = (first + (last - first) * through) / rows.width as f32;
            for part in order.chunks(BETWEEN_CHECKS) {
                stop.wait_if_paused();
                stop.check()?;
                for &n in part {
                    step(&rows, n as usize, &mut weights, rate);
                }
            }
            progress.advance(positions.len() as u64);
        }
        for (weight, &seen) in weights.iter_mut().zip(&seen) {
            *weight *= seen as f32 / (seen as f32 + self.settings.rare);
        }
        let tables = self.tables(&weights);
        let report = self.report(&tables, positions.len(), held_out, stop)?;
        Ok((tables, report))
    }

    /// The tables of the weights, in parts of a disc.
    fn tables(&self, weights: &[f32]) -> PhaseTables {
        let rounded = |weight: f32| {
            let most = f32::from(i16::MAX);
            (weight * self.settings.units as f32)
                .round()
                .clamp(-most, most) as i16
        };
        let patterns = self.indices.iter().zip(&self.starts);
        let patterns = patterns.map(|(indices, &start)| {
            let packed = indices.packed.iter();
            let weight = |&n: &u16| rounded(weights[start as usize + usize::from(n)]);
            packed.map(weight).collect()
        });
        PhaseTables {
            patterns: patterns.collect(),
            discs: weights[self.discs as usize..]
                .iter()
                .map(|&weight| rounded(weight))
                .collect(),
        }
    }

    /// The errors of the tables on positions held out.
    fn report(
        &self,
        tables: &PhaseTables,
        positions: usize,
        held_out: &[LabelledPosition],
        stop: &Stop,
    ) -> Result<PhaseReport, WorkError> {
        let rows = self.rows(held_out, stop)?;
        let packed = self.packed(tables);
        let all = rows.weights.chunks_exact(rows.width).zip(&rows.values);
        let errors = all.map(|(row, &value)| {
            let total: i32 = row.iter().map(|&n| i32::from(packed[n as usize])).sum();
            let found = f64::from(total) / f64::from(self.settings.units);
            found.clamp(-64.0, 64.0) - f64::from(value)
        });
        let zeros = packed.iter().filter(|&&weight| weight == 0).count();
        let report = PhaseReport {
            positions: positions as u64,
            zeros: zeros as f64 / packed.len() as f64,
            ..PhaseReport::default()
        };
        Ok(report.with_errors(errors))
    }

    /// The weights of tables, what symmetry makes equal once.
    fn packed(&self, tables: &PhaseTables) -> Vec<i16> {
        let mut weights = vec![0; self.discs as usize];
        for ((indices, &start), table) in
            self.indices.iter().zip(&self.starts).zip(&tables.patterns)
        {
            for (&n, &weight) in indices.packed.iter().zip(table) {
                weights[start as usize + usize::from(n)] = weight;
            }
        }
        weights.extend(&tables.discs);
        weights
    }
}

/// Corrects the weights of a position. Four sums side by side: the order of additions is fixed.
#[inline]
fn step(rows: &Rows, n: usize, weights: &mut [f32], rate: f32) {
    let row = &rows.weights[n * rows.width..][..rows.width];
    let mut sums = [0f32; 4];
    let (fours, rest) = row.as_chunks::<4>();
    for four in fours {
        for (sum, &weight) in sums.iter_mut().zip(four) {
            *sum += weights[weight as usize];
        }
    }
    for &weight in rest {
        sums[0] += weights[weight as usize];
    }
    let total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let correction = (rows.values[n] - total) * rate;
    for &weight in row {
        weights[weight as usize] += correction;
    }
}

pub(crate) fn shuffle(order: &mut [u32], random: &mut SplitMix64) {
    for n in (1..order.len()).rev() {
        order.swap(n, random.index(n + 1));
    }
}
