//! Tuning of the positional evaluation's numbers: the evaluation that needs no network, fitted to teacher data.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use shogi_core::Position;
use shogi_eval::loader::{EvalFiles, WEIGHTS_FILE, read_weights, write_weights};
use shogi_eval::{PositionalTerms, PositionalWeights};

use crate::event::{LearnEvent, LearnReport};
use crate::options::LearnOptions;
use crate::texel::{TunedEvaluation, TunedNumber, tune};
use crate::{LearnError, Result};

/// A tuning of the positional evaluation.
#[derive(Clone, Debug)]
pub struct PositionalLearnOptions {
    /// A file of numbers to begin with, or a folder that has one, instead of the built-in numbers.
    pub initial: Option<PathBuf>,
    /// Numbers that stay as they are, by their names, or the beginnings of names up to a `_`: `piece` for all of `piece_…`.
    pub frozen: Vec<String>,
    /// Data, target, filters, learning rate, epochs, batch, seed, threads and output. What is about networks alone is not looked at: the
    /// architecture, initial network, optimiser, factors and mirror images (the evaluation is symmetric).
    pub common: LearnOptions,
}

impl PositionalLearnOptions {
    /// A tuning with files in `output`: Adam at 0.3 steps on a cosine, batches of 4,096, eight epochs.
    ///
    /// # Panics
    /// Never.
    pub fn new(output: impl Into<PathBuf>) -> Self {
        let any = "kp_32x2-8-8".parse().expect("a known architecture");
        let mut common = LearnOptions::new(any, output);
        common.learning_rate.peak = 0.3;
        Self {
            initial: None,
            frozen: Vec::new(),
            common,
        }
    }

    /// The numbers to begin with.
    fn numbers(&self) -> Result<Vec<TunedNumber>> {
        let weights = match &self.initial {
            None => PositionalWeights::DEFAULT,
            Some(place) => read_initial(place)?,
        };
        let mut frozen = vec![false; self.frozen.len()];
        let mut numbers = Vec::new();
        for (number, value) in PositionalWeights::describe()
            .into_iter()
            .zip(weights.to_vec())
        {
            let mut step = number.step;
            for (names, found) in self.frozen.iter().zip(&mut frozen) {
                let rest = number.name.strip_prefix(names.as_str());
                if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_')) {
                    *found = true;
                    step = 0.0;
                }
            }
            numbers.push(TunedNumber {
                value: f64::from(value),
                step,
                min: f64::from(*number.range.start()),
                max: f64::from(*number.range.end()),
                name: number.name,
            });
        }
        match frozen.iter().position(|found| !found) {
            None => Ok(numbers),
            Some(index) => Err(LearnError::Option(format!(
                "no number of the positional evaluation is called {:?}",
                self.frozen[index]
            ))),
        }
    }
}

fn read_initial(place: &Path) -> Result<PositionalWeights> {
    let refused = |reason: String| LearnError::Network {
        path: place.to_owned(),
        reason,
    };
    let Some(EvalFiles::Positional { path }) = EvalFiles::find(place) else {
        return Err(refused(format!(
            "expected a folder with {WEIGHTS_FILE}, or such a file"
        )));
    };
    read_weights(&path).map_err(|error| LearnError::Evaluation(Box::new(error)))
}

/// The positional evaluation, as a function of its numbers.
struct Positional;

/// Numbers as the evaluation names them.
fn named(numbers: &[f64]) -> PositionalWeights<f64> {
    let mut weights = PositionalWeights::splat(0.0);
    weights.set(numbers);
    weights
}

impl TunedEvaluation for Positional {
    fn value(&self, numbers: &[f64], position: &Position) -> f64 {
        PositionalTerms::new(position).value(&named(numbers))
    }

    fn add_changes(
        &self,
        (numbers, steps): (&[f64], &[f64]),
        position: &Position,
        slope: &dyn Fn(f64) -> f64,
        sums: &mut [f64],
    ) {
        let (terms, weights) = (PositionalTerms::new(position), named(numbers));
        let slope = slope(terms.value(&weights));
        let mut derivatives = PositionalWeights::splat(0.0);
        terms.add_derivatives(&weights, slope, &mut derivatives);
        let derivatives = derivatives.to_vec();
        for ((sum, derivative), step) in sums.iter_mut().zip(derivatives).zip(steps) {
            *sum += derivative * step;
        }
    }

    fn round(&self, numbers: &mut [f64]) {
        // 0 has no sign.
        for number in numbers {
            *number = number.round() + 0.0;
        }
    }

    fn save(&self, numbers: &[f64], folder: &Path) -> Result<bool> {
        let mut weights = PositionalWeights::DEFAULT;
        let whole: Vec<i32> = numbers.iter().map(|&number| number as i32).collect();
        weights.set(&whole);
        write_weights(&folder.join(WEIGHTS_FILE), &weights)?;
        Ok(true)
    }
}

/// Tunes the numbers of the positional evaluation, or goes on with a tuning as [`crate::learn`] does. Those of the best epoch so far are
/// in the folder `final` of the output, as a file that the engine reads.
///
/// When `stop` becomes true, the tuning ends after the current step with a checkpoint.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn_positional(
    options: &PositionalLearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    let mut numbers = options.numbers()?;
    tune(&options.common, &mut numbers, &Positional, stop, on_event)
}
