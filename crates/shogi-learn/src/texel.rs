//! Tuning of an evaluation's own numbers ("Texel tuning", after the engine of that name): the numbers with which values predict results, or
//! a teacher's scores, best.
//!
//! The evaluation may be any function of its numbers and a position. Without derivatives of its own, differences are taken, so that an
//! evaluation that is written for play need not know of training; a position costs an evaluation for each number then.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use shogi_core::Position;

use crate::batch::Target;
use crate::checkpoint::{Parsed, Progress, Reader, Writer};
use crate::data::{Drawn, Record};
use crate::epochs::{Examples, Learner, train_epochs};
use crate::event::{LearnEvent, LearnReport, TuneReport, TunedChange};
use crate::loss::{Curve, LossSum, OUTPUT_UNIT};
use crate::options::LearnOptions;
use crate::{LearnError, Result};

/// Positions that one thread takes at once.
const CHUNK: usize = 64;

/// A number that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedNumber {
    /// Its name, for reports.
    pub name: String,
    /// Its value: where tuning begins, then what it found.
    pub value: f64,
    /// A change that can be seen in the evaluation but is small. Derivatives are taken over it, and learning rates are in it. A number
    /// whose step is 0 stays as it is.
    pub step: f64,
    /// The least value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// An evaluation with numbers that can be changed. Any function of the numbers and a position is one.
pub trait TunedEvaluation: Sync {
    /// The value of a position for the side to move, in internal units (a pawn is 90).
    fn value(&self, numbers: &[f64], position: &Position) -> f64;

    /// Adds to `sums`, for each number, how much a loss changes when the number changes by its step; `slope` gives the derivative of the
    /// loss at a value.
    fn add_changes(
        &self,
        (numbers, steps): (&[f64], &[f64]),
        position: &Position,
        slope: &dyn Fn(f64) -> f64,
        sums: &mut [f64],
    ) {
        let value = self.value(numbers, position);
        let slope = slope(value);
        let mut changed = numbers.to_vec();
        for (index, (sum, step)) in sums.iter_mut().zip(steps).enumerate() {
            if *step > 0.0 {
                changed[index] = numbers[index] + step;
                *sum += slope * (self.value(&changed, position) - value);
                changed[index] = numbers[index];
            }
        }
    }

    /// Makes numbers such as the evaluation can have, by rounding: they are tested like this, and saved.
    fn round(&self, _numbers: &mut [f64]) {}

    /// Writes numbers to a folder, which is there: false when the evaluation has no files.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    fn save(&self, _numbers: &[f64], _folder: &Path) -> Result<bool> {
        Ok(false)
    }
}

impl<F: Fn(&[f64], &Position) -> f64 + Sync> TunedEvaluation for F {
    fn value(&self, numbers: &[f64], position: &Position) -> f64 {
        self(numbers, position)
    }
}

/// Tunes `numbers` by Adam on batches of teacher data, or goes on with a tuning as [`crate::learn`] does: those of the best epoch are there
/// at the end, and in the folder `final` of the output if the evaluation has files; if no epoch was better than the beginning, that is. The learning rate of `options` is in steps of the
/// numbers: 0.3 is a good peak; it follows its schedule, but newbob cannot be had. Data, target, filters, epochs, batch, seed, threads, output
/// and checkpoints are looked at; what is about networks is not.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn tune(
    options: &LearnOptions,
    numbers: &mut [TunedNumber],
    evaluation: &dyn TunedEvaluation,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    check(numbers)?;
    if options.learning_rate.schedule.newbob().is_some() {
        let text = "newbob takes back networks; the numbers of an evaluation are not tuned by it";
        return Err(LearnError::Option(text.to_owned()));
    }
    let blank = || Tuner {
        options,
        evaluation,
        initial: numbers,
        steps: numbers.iter().map(|number| number.step).collect(),
        values: numbers.iter().map(|number| number.value).collect(),
        moments: vec![[0.0; 2]; numbers.len()],
        best: numbers.iter().map(|number| number.value).collect(),
        before: f64::NAN,
    };
    let identity = options
        .identity("numbers")?
        .with("numbers", format!("{numbers:?}"));
    let start = (blank, |_: &mut Tuner<'_>| Ok(()));
    let (report, tuner) = train_epochs(options, identity, start, stop, on_event)?;
    if let Some(tuner) = tuner {
        let best = tuner.best;
        for (number, value) in numbers.iter_mut().zip(best) {
            number.value = value;
        }
    }
    Ok(report)
}

fn check(numbers: &[TunedNumber]) -> Result<()> {
    let is_wrong = |number: &&TunedNumber| {
        let in_range = (number.min..=number.max).contains(&number.value);
        !in_range || number.step.is_nan() || number.step < 0.0
    };
    match numbers.iter().find(is_wrong) {
        None => Ok(()),
        Some(TunedNumber { name, .. }) => Err(LearnError::Option(format!(
            "{name}: its step must not be below 0, and its value within its range"
        ))),
    }
}

/// Numbers in training.
struct Tuner<'a> {
    options: &'a LearnOptions,
    evaluation: &'a dyn TunedEvaluation,
    initial: &'a [TunedNumber],
    steps: Vec<f64>,
    values: Vec<f64>,
    moments: Vec<[f64; 2]>,
    /// The values of the best epoch.
    best: Vec<f64>,
    /// The loss at the beginning, NaN without validation data.
    before: f64,
}

/// The loss of a value, and its derivative by the value.
fn loss_of(curve: Curve, value: f64, target: Target) -> (LossSum, f64) {
    let (wanted, weight) = (f64::from(target.value), f64::from(target.weight));
    let (loss, gradient) = curve.exact_loss(value / OUTPUT_UNIT, wanted, weight);
    (loss, gradient / OUTPUT_UNIT)
}

impl Tuner<'_> {
    /// The values as the evaluation can have them.
    fn rounded(&self) -> Vec<f64> {
        let mut values = self.values.clone();
        self.evaluation.round(&mut values);
        values
    }

    /// A step of Adam, in steps of the numbers.
    fn descend(&mut self, gradients: &[f64], rate: f64, step: u32) {
        const BETAS: [f64; 2] = [0.9, 0.999];
        let correction = BETAS.map(|beta| 1.0 - beta.powi(step as i32));
        let numbers = self.values.iter_mut().zip(self.initial);
        for (((value, number), moment), gradient) in numbers.zip(&mut self.moments).zip(gradients) {
            moment[0] += (1.0 - BETAS[0]) * (gradient - moment[0]);
            moment[1] += (1.0 - BETAS[1]) * (gradient * gradient - moment[1]);
            let root = (moment[1] / correction[1]).sqrt();
            let change = rate * (moment[0] / correction[0]) / (root + 1e-12);
            *value = (*value - change * number.step).clamp(number.min, number.max);
        }
    }
}

impl Learner for Tuner<'_> {
    fn rate(&self, progress: &Progress, done: f64) -> f64 {
        let rate = self.options.learning_rate;
        rate.at(progress.step + 1, done, progress.epoch, 1.0)
    }

    fn step(
        &mut self,
        examples: &Examples,
        drawn: &Drawn,
        progress: &Progress,
        rate: f64,
    ) -> Result<LossSum> {
        let records = &drawn.records[..];
        let (values, steps) = (&self.values[..], &self.steps[..]);
        let (sampler, curve) = (&examples.sampler, examples.sampler.curve());
        let chunks: Result<Vec<(LossSum, Vec<f64>)>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut gradients = vec![0.0; values.len()];
                let sum = std::cell::Cell::new(LossSum::default());
                for record in records {
                    let position = sampler.open(record)?;
                    let target = sampler.target(record);
                    let slope = |value| {
                        let (loss, slope) = loss_of(curve, value, target);
                        sum.set(LossSum::of([sum.get(), loss]));
                        slope
                    };
                    let evaluation = self.evaluation;
                    evaluation.add_changes((values, steps), &position, &slope, &mut gradients);
                }
                Ok((sum.get(), gradients))
            })
            .collect();
        let mut gradients = vec![0.0; values.len()];
        let mut sum = LossSum::default();
        for (loss, chunk) in chunks? {
            sum.add(loss);
            for (gradient, part) in gradients.iter_mut().zip(chunk) {
                *gradient += part / records.len() as f64;
            }
        }
        self.descend(&gradients, rate, progress.step + 1);
        Ok(sum)
    }

    fn loss(&self, examples: &Examples, records: &[Record]) -> Result<LossSum> {
        let values = self.rounded();
        let chunks: Result<Vec<LossSum>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut sum = LossSum::default();
                for record in records {
                    let position = examples.tester.open(record)?;
                    let value = self.evaluation.value(&values, &position);
                    let target = examples.tester.target(record);
                    sum.add(loss_of(examples.tester.curve(), value, target).0);
                }
                Ok(sum)
            })
            .collect();
        Ok(LossSum::of(chunks?))
    }

    fn begin(&mut self, loss: Option<f64>) -> bool {
        self.before = loss.unwrap_or(f64::NAN);
        true
    }

    fn keep(&mut self, folder: &Path) -> Result<bool> {
        self.best = self.rounded();
        self.evaluation.save(&self.best, folder)
    }

    fn end(&mut self, best: Option<f64>, on_event: &mut dyn FnMut(LearnEvent)) {
        let numbers = self.initial.iter().zip(&self.best);
        let changes = numbers
            .filter(|(number, best)| (number.value - *best).abs() > 0.0)
            .map(|(number, &best)| TunedChange {
                name: number.name.clone(),
                from: number.value,
                to: best,
                steps: (best - number.value) / number.step,
            });
        on_event(LearnEvent::Tuned(TuneReport {
            before: (!self.before.is_nan()).then_some(self.before),
            after: best,
            changes: changes.collect(),
            numbers: self.initial.len(),
        }));
    }

    fn write(&self, writer: &mut Writer) -> Result<()> {
        let moments = self.moments.as_flattened();
        let numbers = self.values.iter().chain(moments).chain(&self.best);
        let bytes: Vec<u8> = numbers
            .chain([&self.before])
            .flat_map(|number| number.to_le_bytes())
            .collect();
        writer.bytes(&bytes)
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        let moments = self.moments.as_flattened_mut();
        let numbers = self.values.iter_mut().chain(moments);
        for number in numbers.chain(&mut self.best).chain([&mut self.before]) {
            *number = reader.f64()?;
        }
        let in_range =
            |(number, value): (&TunedNumber, &f64)| (number.min..=number.max).contains(value);
        let are_values = |values: &[f64]| self.initial.iter().zip(values).all(in_range);
        if !reader.is_at_end() || !are_values(&self.values) || !are_values(&self.best) {
            return Err("the checkpoint is damaged: it is not one of these numbers");
        }
        Ok(())
    }
}
