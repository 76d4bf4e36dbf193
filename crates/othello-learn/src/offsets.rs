//! Constants for each ply with which searches of even and odd depths are right on average.
//!
//! A search takes the best of values that all err, so that the side that moved last before its leaves looks better than it is; and weights that were
//! fitted to games from random positions know too little of the advantage of who moves last in a well-played game. Both make the scores of
//! even and odd depths differ by discs. Here positions of well-played games, whose values are known from the end of the game, are
//! searched to two depths, an even and an odd one; the mean error belongs to the ply of the leaves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use farm::{Stop, WorkError, Worker, Workers, threads};
use othello_eval::{PlyOffsets, UNITS_PER_DISC, Weights};
use othello_search::Selectivity;
use yane_io::{AtomicFile, Checksum, Flush, Job, Journal, Overwrite, RunIdentity, Unit};

use crate::error::OthelloLearnError;
use crate::label::{LabelGoal, Labeller};
use crate::samples::LabelledFiles;
use crate::split::LAST_PLY;
use crate::units::do_units;

/// Positions of a unit of work, which the journal keeps together.
const POSITIONS_OF_A_UNIT: usize = 1024;

/// Only positions are used whose value is within this.
const MOST_VALUE: i32 = 24 * UNITS_PER_DISC;

/// A mean error of n positions counts n / (n + this) of itself.
const FEW_POSITIONS: f64 = 20.0;

/// Plies of a game, and one for full boards.
const PLIES: usize = LAST_PLY + 1;

/// A fit of constants for each ply.
#[derive(Clone, Debug)]
pub struct OffsetPlan {
    /// Positions are searched to this depth and to one ply more.
    pub depth: u32,
    /// Selectivity of the searches.
    pub selectivity: Selectivity,
    /// A note about the origin in the file of weights.
    pub note: String,
}

/// The numbers of a fit of constants.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetReport {
    /// For each ply the searches that ended there.
    pub searches: [u64; PLIES],
    /// For each ply the mean error of values there before the fit, in discs: positive where they were too high.
    pub errors: [f64; PLIES],
    /// The constants.
    pub offsets: PlyOffsets,
}

/// Sums of errors by ply of the leaves: how many, and the sum.
#[derive(Clone, Copy)]
struct Sums([(u64, i64); PLIES]);

impl OffsetPlan {
    /// Fits the constants of `weights` to positions of well-played games, and writes the weights with them to `output`.
    ///
    /// Beside it lies a journal while the run lasts (`output` with `.journal` behind it). After an interruption the same call
    /// resumes. Neither that nor the number of threads changes the output.
    ///
    /// # Errors
    /// Inputs that cannot be read or are damaged, with the byte; files that cannot be written, an output that must not be replaced, a journal
    /// of another run; positions at which a search panics again and again; cancellation.
    pub fn run(
        &self,
        weights: &Arc<Weights>,
        inputs: &[PathBuf],
        output: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<OffsetReport, OthelloLearnError> {
        let _claim = overwrite.claim(output, inputs)?;
        let files = LabelledFiles::open(inputs)?;
        let identity = self.identity(weights, &files);
        let mut journal = Journal::open(&Journal::path_of(output), &identity, Flush::Always)?
            .tell(|note| job.progress.note(note));
        let units = files.len().div_ceil(POSITIONS_OF_A_UNIT) as u64;
        let missing: Vec<u64> = (0..units).filter(|&unit| !journal.contains(unit)).collect();
        job.progress
            .stage("searching", Some(files.len() as u64), Unit::Positions);
        let positions_of = |unit| unit_of(&files, unit).len() as u64;
        let known =
            files.len() as u64 - missing.iter().map(|&unit| positions_of(unit)).sum::<u64>();
        job.progress.advance(known);
        let searchers = self.searchers(job.threads, weights, &files);
        let on_done = |unit| job.progress.advance(positions_of(unit));
        do_units(&searchers, missing, job, &mut journal, on_done)?;
        job.check()?;
        let mut sums = Sums([(0, 0); PLIES]);
        for unit in 0..units {
            sums.add(&journal.get(unit)?.unwrap_or_default());
        }
        let report = sums.report(weights.offsets());
        let mut file = AtomicFile::create(output)?;
        let weights = Weights::clone(weights).with_offsets(report.offsets);
        file.put(&weights.to_bytes(&self.note))?;
        file.commit()?;
        journal.remove()?;
        Ok(report)
    }

    /// Threads that search the positions of a unit, whose bytes are sums of errors.
    fn searchers(
        &self,
        count: usize,
        weights: &Arc<Weights>,
        files: &LabelledFiles,
    ) -> impl Workers<Worker: Worker<Item = u64, Output = (u64, Vec<u8>)>> {
        let make = move |_| {
            [self.depth, self.depth + 1].map(|depth| {
                let goal = LabelGoal {
                    depth,
                    selectivity: self.selectivity,
                    exact: 0,
                };
                (depth, Labeller::new(weights, goal))
            })
        };
        let search = move |labellers: &mut [(u32, Labeller); 2], &unit: &u64, stop: &Stop| {
            let mut sums = Sums([(0, 0); PLIES]);
            for number in unit_of(files, unit) {
                stop.wait_if_paused();
                stop.check()?;
                let position = files.get(number);
                if position.value.abs() > MOST_VALUE {
                    continue;
                }
                for (depth, labeller) in &mut *labellers {
                    if *depth >= position.board.empty().len() {
                        continue;
                    }
                    labeller.clear();
                    let error = labeller.label(position.board).0 - position.value;
                    // The leaf is seen by the player to move there.
                    let error = if *depth % 2 == 0 { error } else { -error };
                    let sum = &mut sums.0[position.ply() + *depth as usize];
                    *sum = (sum.0 + 1, sum.1 + i64::from(error));
                }
            }
            Ok::<_, WorkError>((unit, sums.to_bytes()).into())
        };
        threads(count, make, search).named("searching")
    }

    /// All that decides about the constants.
    fn identity(&self, weights: &Weights, files: &LabelledFiles) -> RunIdentity {
        RunIdentity::new("othello eval offset 1")
            .with("settings", format!("{self:?}"))
            .with("data", files.checksum())
            .with("weights", Checksum::of_bytes(&weights.to_bytes("")))
    }
}

/// The numbers of a unit's positions.
fn unit_of(files: &LabelledFiles, unit: u64) -> std::ops::Range<usize> {
    let first = unit as usize * POSITIONS_OF_A_UNIT;
    first..(first + POSITIONS_OF_A_UNIT).min(files.len())
}

impl Sums {
    fn to_bytes(self) -> Vec<u8> {
        let numbers = self.0.iter();
        let numbers = numbers.flat_map(|(count, sum)| [count.to_le_bytes(), sum.to_le_bytes()]);
        numbers.flatten().collect()
    }

    /// Adds what [`to_bytes`](Self::to_bytes) made; the journal checks its bytes itself.
    fn add(&mut self, bytes: &[u8]) {
        let numbers = bytes.as_chunks::<8>().0.as_chunks::<2>().0;
        for (own, &[count, sum]) in self.0.iter_mut().zip(numbers) {
            own.0 += u64::from_le_bytes(count);
            own.1 += i64::from_le_bytes(sum);
        }
    }

    /// The mean error of a ply in discs, with its neighbours of the same parity at half its weight; `None` without searches there.
    fn error(&self, ply: usize) -> Option<f64> {
        let (own, _) = self.0[ply];
        if own == 0 {
            return None;
        }
        let (mut count, mut sum) = (0.0, 0.0);
        for (near, weight) in [
            (ply.checked_sub(2), 0.5),
            (Some(ply), 1.0),
            (Some(ply + 2), 0.5),
        ] {
            let Some(near) = near.and_then(|near| self.0.get(near)) else {
                continue;
            };
            count += weight * near.0 as f64;
            sum += weight * near.1 as f64;
        }
        Some(sum / (count + FEW_POSITIONS) / f64::from(UNITS_PER_DISC))
    }

    /// The constants that make the mean errors 0, from those before. Plies before all leaves have that of the first with the same parity.
    fn report(&self, before: PlyOffsets) -> OffsetReport {
        let mut offsets = before;
        let errors = std::array::from_fn(|ply| {
            let mut first = ply;
            while self.error(first).is_none() && first + 2 < PLIES && self.is_before_all(first) {
                first += 2;
            }
            self.error(first).unwrap_or_default()
        });
        for (offset, error) in offsets.0.iter_mut().zip(errors) {
            let corrected = f64::from(*offset) - error * f64::from(UNITS_PER_DISC);
            *offset = corrected.round() as i16;
        }
        OffsetReport {
            searches: self.0.map(|(count, _)| count),
            errors,
            offsets,
        }
    }

    /// Returns whether no search ended at this ply or before it with the same parity.
    fn is_before_all(&self, ply: usize) -> bool {
        (ply % 2..=ply).step_by(2).all(|ply| self.0[ply].0 == 0)
    }
}
