//! Tuning of an evaluation's own numbers ("Texel tuning", after the engine of that name): the numbers with which values predict results, or
//! a teacher's scores, best.
//!
//! The evaluation may be any function of its numbers and a position. Its derivatives are differences, so that an evaluation that is written
//! for play need not know of training; a position costs an evaluation for each number.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use shogi_core::Position;

use crate::batch::Target;
use crate::data::{Mixed, Reading, Record, chosen, draw, scan};
use crate::event::{DataReport, LearnEvent};
use crate::loss::{Curve, LossSum, OUTPUT_UNIT};
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::shape::Shape;
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
    /// A change that can be seen in the evaluation but is small. Derivatives are taken over it, and learning rates are in it.
    pub step: f64,
    /// The least value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// An evaluation with numbers that can be changed: the value of a position for the side to move, in internal units (a pawn is 90).
pub type TunedEvaluation<'a> = dyn Fn(&[f64], &Position) -> f64 + Sync + 'a;

/// The report on a tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuneReport {
    /// The excess loss before, on the validation data or, without any, of the first batch.
    pub before: f64,
    /// The excess loss after.
    pub after: f64,
    /// The scale of the teacher's scores that was used.
    pub scale: f64,
    /// Batches that were gone through.
    pub steps: u32,
    /// True unless it was stopped.
    pub finished: bool,
}

/// Tunes `numbers` by Adam on batches of teacher data. The learning rate of `options` is in steps of the numbers: 0.3 is a good peak. Data,
/// target, filter, mirror-free epochs, batch, seed and threads are looked at; what is about networks and files is not.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them.
pub fn tune(
    options: &LearnOptions,
    numbers: &mut [TunedNumber],
    evaluation: &TunedEvaluation<'_>,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<TuneReport> {
    options.check()?;
    check(numbers)?;
    let pool = options.pool()?;
    let reading = Reading::new(options);
    let scan = scan(options, &reading, &mut |positions| {
        on_event(LearnEvent::Scanning(positions));
        Ok(())
    })?;
    on_event(LearnEvent::Data(DataReport::of(&scan)));
    let shape = Shape::new(options.architecture, false);
    let shared = Arc::new(options.clone());
    let [sampler, tester] = Sampler::both(shape, &shared, scan.scale);
    let curve = Curve::new(scan.scale);
    let tuner = Tuner { evaluation, curve };
    let test = |numbers: &[TunedNumber]| -> Result<f64> {
        let values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
        pool.install(|| tuner.loss(&tester, &scan.validation, &values))
    };
    let before = test(numbers)?;
    let mut moments = vec![[0.0; 2]; numbers.len()];
    let (mut steps, mut finished) = (0, true);
    'epochs: for epoch in 0..options.epochs {
        let seed = (options.seed, epoch);
        let mut mixed = Mixed::new(&reading, chosen(options), options.shuffle, seed)?;
        loop {
            let records = draw(&mut mixed, options.batch)?;
            if records.is_empty() {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                finished = false;
                break 'epochs;
            }
            steps += 1;
            let gradients = pool.install(|| tuner.gradients(&sampler, &records, numbers))?;
            let batches = (scan.train as f64 / options.batch as f64).max(1.0);
            let done = f64::from(steps) / (batches * f64::from(options.epochs));
            let rate = options.learning_rate.at(steps, done, epoch, 1.0);
            descend(numbers, &mut moments, &gradients, (rate, steps));
        }
    }
    Ok(TuneReport {
        before,
        after: test(numbers)?,
        scale: scan.scale,
        steps,
        finished,
    })
}

fn check(numbers: &[TunedNumber]) -> Result<()> {
    let is_wrong = |number: &&TunedNumber| {
        let in_range = (number.min..=number.max).contains(&number.value);
        !in_range || number.step.is_nan() || number.step <= 0.0
    };
    match numbers.iter().find(is_wrong) {
        None => Ok(()),
        Some(TunedNumber { name, .. }) => Err(LearnError::Option(format!(
            "{name}: its step must be above 0, and its value within its range"
        ))),
    }
}

/// A step of Adam, in steps of the numbers.
fn descend(
    numbers: &mut [TunedNumber],
    moments: &mut [[f64; 2]],
    gradients: &[f64],
    (rate, step): (f64, u32),
) {
    const BETAS: [f64; 2] = [0.9, 0.999];
    let correction = BETAS.map(|beta| 1.0 - beta.powi(step as i32));
    for ((number, moment), gradient) in numbers.iter_mut().zip(moments).zip(gradients) {
        moment[0] += (1.0 - BETAS[0]) * (gradient - moment[0]);
        moment[1] += (1.0 - BETAS[1]) * (gradient * gradient - moment[1]);
        let root = (moment[1] / correction[1]).sqrt();
        let change = rate * (moment[0] / correction[0]) / (root + 1e-12);
        number.value = (number.value - change * number.step).clamp(number.min, number.max);
    }
}

/// The loss of an evaluation.
struct Tuner<'a> {
    evaluation: &'a TunedEvaluation<'a>,
    curve: Curve,
}

impl Tuner<'_> {
    /// The loss of a value, and its gradient by the value.
    fn loss_of(&self, value: f64, target: Target) -> (LossSum, f64) {
        let (wanted, weight) = (f64::from(target.value), f64::from(target.weight));
        let (loss, gradient) = self.curve.exact_loss(value / OUTPUT_UNIT, wanted, weight);
        (loss, gradient / OUTPUT_UNIT)
    }

    /// The excess loss over some records.
    fn loss(&self, sampler: &Sampler, records: &[Record], values: &[f64]) -> Result<f64> {
        let chunks: Result<Vec<LossSum>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut sum = LossSum::default();
                for record in records {
                    let value = (self.evaluation)(values, &sampler.open(record)?);
                    sum.add(self.loss_of(value, sampler.target(record)).0);
                }
                Ok(sum)
            })
            .collect();
        let mut sum = LossSum::default();
        for chunk in chunks? {
            sum.add(chunk);
        }
        Ok(sum.excess())
    }

    /// The gradients of the loss by the numbers, for a change of one step each.
    fn gradients(
        &self,
        sampler: &Sampler,
        records: &[Record],
        numbers: &[TunedNumber],
    ) -> Result<Vec<f64>> {
        let chunks: Result<Vec<Vec<f64>>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
                let mut gradients = vec![0.0; numbers.len()];
                for record in records {
                    let position = sampler.open(record)?;
                    let value = (self.evaluation)(&values, &position);
                    let (_, gradient) = self.loss_of(value, sampler.target(record));
                    for (index, number) in numbers.iter().enumerate() {
                        values[index] = number.value + number.step;
                        let change = (self.evaluation)(&values, &position) - value;
                        values[index] = number.value;
                        gradients[index] += gradient * change;
                    }
                }
                Ok(gradients)
            })
            .collect();
        let mut sums = vec![0.0; numbers.len()];
        for chunk in chunks? {
            for (sum, gradient) in sums.iter_mut().zip(chunk) {
                *sum += gradient / records.len() as f64;
            }
        }
        Ok(sums)
    }
}
