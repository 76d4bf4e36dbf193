//! Errors of weights on labelled positions, by ply.

use othello_eval::{UNITS_PER_DISC, Weights};

use crate::samples::{LabelledFiles, MOST};
use crate::split::LAST_PLY;

/// Errors of weights on positions of a ply, in discs.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PlyErrors {
    /// The ply: discs on the board less 4.
    pub ply: usize,
    /// Positions.
    pub positions: u64,
    /// Mean absolute error.
    pub mae: f64,
    /// Root of the mean square error.
    pub rmse: f64,
    /// Mean error: positive where values are too high.
    pub bias: f64,
}

impl PlyErrors {
    fn of_sums(ply: usize, count: u64, absolute: f64, square: f64, sum: f64) -> Self {
        let n = count.max(1) as f64;
        Self {
            ply,
            positions: count,
            mae: absolute / n,
            rmse: (square / n).sqrt(),
            bias: sum / n,
        }
    }
}

/// The errors of `weights` by ply, and those of all positions, whose ply means nothing.
pub fn measure(weights: &Weights, files: &LabelledFiles) -> (Vec<PlyErrors>, PlyErrors) {
    let mut sums = [(0u64, 0f64, 0f64, 0f64); LAST_PLY + 1];
    let mut all = (0u64, 0f64, 0f64, 0f64);
    for position in files.iter() {
        let value = weights.main().evaluate(position.board).clamp(-MOST, MOST);
        let error = f64::from(value - position.value) / f64::from(UNITS_PER_DISC);
        for sum in [&mut sums[position.ply()], &mut all] {
            sum.0 += 1;
            sum.1 += error.abs();
            sum.2 += error * error;
            sum.3 += error;
        }
    }
    let errors =
        |ply, (count, absolute, square, sum)| PlyErrors::of_sums(ply, count, absolute, square, sum);
    let plies = sums.into_iter().enumerate().filter(|(_, sum)| sum.0 > 0);
    (
        plies.map(|(ply, sum)| errors(ply, sum)).collect(),
        errors(0, all),
    )
}
