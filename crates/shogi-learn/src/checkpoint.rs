//! Checkpoints: all of a training between two steps, in one file that is whole or not there.
//!
//! A training that resumes from one gives the same bytes as one that was never interrupted: random numbers are counted, not kept, and
//! the records of an epoch that were trained on are drawn again without use.
//!
//! It is a [`Snapshot`] of the training. All numbers are little endian: the [`Progress`], the scan of the data, the records for
//! validation, and the network's numbers with their moments.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use yane_io::{RunIdentity, Snapshot, SnapshotWriter};

use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::{Aligned, GameProgress};

use crate::data::{Record, Scan};
use crate::event::{EpochReport, NetworkHealth};
use crate::left_out::FilterCounts;
use crate::loss::LossSum;
use crate::params::{Params, RowTable, Weights};
use crate::shape::Shape;
use crate::{LearnError, Result};

/// The progress of a training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// Steps that are done.
    pub(crate) step: u32,
    /// Epochs that are done.
    pub(crate) epoch: u32,
    /// Batches of the current epoch that are done.
    pub(crate) batches: u64,
    /// Positions of the current epoch that are done.
    pub(crate) positions: u64,
    /// The loss of the current epoch.
    pub(crate) loss: LossSum,
    /// The sum of the lengths of its gradients, where they are limited, and the steps whose gradients were longer.
    pub(crate) length: f64,
    pub(crate) clipped: u32,
    /// The product of newbob's factors.
    pub(crate) newbob: f64,
    /// Epochs in a row that newbob took back.
    pub(crate) rejected: u32,
    /// The best validation loss, and its epoch.
    pub(crate) best: f64,
    pub(crate) best_epoch: u32,
}

impl Progress {
    /// Adds a step of `positions` positions.
    pub(crate) fn add(&mut self, loss: LossSum, positions: u64) {
        self.step += 1;
        self.batches += 1;
        self.positions += positions;
        self.loss.add(loss);
    }

    /// Begins the next epoch.
    pub(crate) fn begin_epoch(&mut self) {
        self.loss = LossSum::default();
        (self.length, self.clipped) = (0.0, 0);
        self.batches = 0;
        self.positions = 0;
    }

    /// Returns whether the training ends before its last epoch, as so many epochs were no better than the best one.
    pub(crate) fn is_out_of_patience(&self, patience: Option<NonZeroU32>) -> bool {
        patience.is_some_and(|patience| self.epoch - self.best_epoch >= patience.get())
    }

    /// The report on an epoch whose tests have the loss `sum`; without a network's health.
    pub(crate) fn report(&self, sum: &LossSum, rate: f64, speed: f64) -> EpochReport {
        EpochReport {
            epoch: self.epoch,
            positions: self.positions,
            train_loss: self.loss.excess(),
            train_entropy: self.loss.mean_entropy(),
            validation_loss: (sum.weight > 0.0).then(|| sum.excess()),
            entropy: sum.entropy / sum.weight.max(f64::MIN_POSITIVE),
            rate,
            speed,
            gradients: None,
            health: NetworkHealth::default(),
            policy: None,
        }
    }
}

/// The moments of numbers, which some optimisers keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moments {
    Kept,
    None,
}

/// What a checkpoint has of the network's numbers beside themselves. Those that are no rows always have moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contents {
    pub(crate) row_moments: Moments,
    /// True if there is a moving average of all numbers.
    pub(crate) average: bool,
}

/// A training between two steps.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) progress: Progress,
    pub(crate) scan: Scan,
    pub(crate) params: Params,
}

/// Writes little-endian numbers.
pub(crate) struct Writer {
    file: SnapshotWriter,
    buffer: Vec<u8>,
}

impl Writer {
    /// Begins a checkpoint: all but the numbers that are trained.
    pub(crate) fn create(
        path: &Path,
        identity: &RunIdentity,
        progress: &Progress,
        scan: &Scan,
    ) -> Result<Self> {
        let mut writer = Self {
            file: Snapshot::create(path, identity)?,
            buffer: Vec::new(),
        };
        let mut header = Vec::new();
        put_progress(&mut header, progress);
        put_scan(&mut header, scan);
        writer.bytes(&header)?;
        for record in &scan.validation {
            writer.bytes(&record.to_bytes())?;
        }
        Ok(writer)
    }

    /// Ends a checkpoint, which replaces the one before.
    pub(crate) fn finish(self) -> Result<()> {
        Ok(self.file.commit()?)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.file.put(bytes)?)
    }

    pub(crate) fn numbers(&mut self, numbers: &[f32]) -> Result<()> {
        for numbers in numbers.chunks(1 << 14) {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            buffer.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            self.bytes(&buffer)?;
            self.buffer = buffer;
        }
        Ok(())
    }

    /// Writes numbers with their moments, if they have some, and their averages, if there are any.
    fn weights(&mut self, weights: &Weights, moments: Moments) -> Result<()> {
        self.numbers(&weights.values)?;
        if moments == Moments::Kept {
            self.numbers(&weights.first)?;
            self.numbers(&weights.second)?;
        }
        self.numbers(&weights.average)
    }

    fn table(&mut self, table: &RowTable, moments: Moments) -> Result<()> {
        let last: Vec<u8> = table
            .last
            .iter()
            .flat_map(|step| step.to_le_bytes())
            .collect();
        self.bytes(&last)?;
        table
            .slabs
            .iter()
            .try_for_each(|slab| self.weights(slab, moments))
    }
}

/// Writes a checkpoint. `identity` is that of the training.
pub(crate) fn save(
    path: &Path,
    identity: &RunIdentity,
    row_moments: Moments,
    (progress, scan, params): (&Progress, &Scan, &Params),
) -> Result<()> {
    let mut writer = Writer::create(path, identity, progress, scan)?;
    writer.table(&params.table, row_moments)?;
    writer.table(&params.factors, row_moments)?;
    writer.weights(&params.bias, Moments::Kept)?;
    let last: Vec<u8> = params
        .last
        .iter()
        .flat_map(|step| step.to_le_bytes())
        .collect();
    writer.bytes(&last)?;
    for layer in &params.layers {
        writer.weights(&layer.weights, Moments::Kept)?;
        writer.weights(&layer.biases, Moments::Kept)?;
    }
    if let Some(progress) = &params.progress {
        let bias = progress.bias();
        let numbers = std::iter::once(&bias).chain(progress.weights());
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        writer.bytes(&bytes)?;
    }
    writer.finish()
}

fn put_progress(bytes: &mut Vec<u8>, progress: &Progress) {
    for number in [
        progress.step,
        progress.epoch,
        progress.rejected,
        progress.best_epoch,
        progress.clipped,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [progress.batches, progress.positions] {
        bytes.extend(number.to_le_bytes());
    }
    let LossSum {
        cross_entropy,
        entropy,
        weight,
    } = progress.loss;
    for number in [
        cross_entropy,
        entropy,
        weight,
        progress.length,
        progress.newbob,
        progress.best,
    ] {
        bytes.extend(number.to_le_bytes());
    }
}

fn put_scan(bytes: &mut Vec<u8>, scan: &Scan) {
    let validation = scan.validation.len() as u64;
    for number in [scan.train, scan.read, u64::from(scan.shuffled), validation]
        .into_iter()
        .chain(scan.filtered.0)
    {
        bytes.extend(number.to_le_bytes());
    }
    for number in [scan.fitted.unwrap_or(f64::NAN), scan.scale] {
        bytes.extend(number.to_le_bytes());
    }
}

/// Reads a checkpoint of a training with this identity; `None` when there is no file. `note` hears of damage.
pub(crate) fn load(
    path: &Path,
    identity: &RunIdentity,
    contents: Contents,
    shape: Shape,
    note: impl FnMut(&str),
) -> Result<Option<Checkpoint>> {
    load_with(path, identity, note, |bytes| read(bytes, contents, shape))
}

/// Reads a checkpoint of a training with this identity by `read`; `None` when there is no file. `note` hears of damage.
pub(crate) fn load_with<T>(
    path: &Path,
    identity: &RunIdentity,
    note: impl FnMut(&str),
    read: impl FnOnce(&[u8]) -> Parsed<T>,
) -> Result<Option<T>> {
    let Some(state) = Snapshot::open(path, identity)?.tell(note) else {
        return Ok(None);
    };
    read(&state)
        .map(Some)
        .map_err(|reason| LearnError::Checkpoint {
            path: path.to_owned(),
            reason: reason.to_owned(),
        })
}

/// Reads little-endian numbers.
pub(crate) struct Reader<'a>(&'a [u8]);

/// The result of reading: a value, or a text that says what is wrong.
pub(crate) type Parsed<T> = std::result::Result<T, &'static str>;

const TOO_SHORT: &str = "the checkpoint is damaged: it ends too early";

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, len: usize) -> Parsed<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn u32(&mut self) -> Parsed<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Parsed<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Parsed<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// Returns whether everything was read.
    pub(crate) const fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn numbers(&mut self, numbers: &mut [f32]) -> Parsed<()> {
        let bytes = self.bytes(4 * numbers.len())?.as_chunks().0;
        for (number, &bytes) in numbers.iter_mut().zip(bytes) {
            *number = f32::from_le_bytes(bytes);
        }
        Ok(())
    }

    fn steps(&mut self, steps: &mut [u32]) -> Parsed<()> {
        steps.iter_mut().try_for_each(|step| {
            *step = self.u32()?;
            Ok(())
        })
    }

    fn weights(&mut self, weights: &mut Weights, moments: Moments) -> Parsed<()> {
        self.numbers(&mut weights.values)?;
        if moments == Moments::Kept {
            self.numbers(&mut weights.first)?;
            self.numbers(&mut weights.second)?;
        }
        self.numbers(&mut weights.average)
    }

    fn table(&mut self, table: &mut RowTable, moments: Moments) -> Parsed<()> {
        self.steps(&mut table.last)?;
        let mut slabs = table.slabs.iter_mut();
        slabs.try_for_each(|slab| self.weights(slab, moments))
    }
}

/// Reads the state in a checkpoint of a training of `architecture` by Adam, without a moving average, whatever its other options were: the
/// steps that are done.
///
/// # Errors
/// When it is damaged, or of another architecture.
pub fn inspect_checkpoint(
    state: &[u8],
    architecture: Architecture,
) -> std::result::Result<u32, &'static str> {
    let contents = Contents {
        row_moments: Moments::Kept,
        average: false,
    };
    let checkpoint = read(state, contents, Shape::new(architecture, true))?;
    Ok(checkpoint.progress.step)
}

/// Reads all but the numbers that are trained, which the reader then stands at, if `is_len` accepts their length.
pub(crate) fn read_header(
    bytes: &[u8],
    is_len: impl FnOnce(u64) -> bool,
) -> Parsed<(Progress, Scan, Reader<'_>)> {
    let mut reader = Reader(bytes);
    let progress = read_progress(&mut reader)?;
    let (mut scan, validation) = read_scan(&mut reader)?;
    let records = usize::try_from(validation)
        .ok()
        .and_then(|n| n.checked_mul(Record::LEN));
    let records = reader.bytes(records.ok_or(TOO_SHORT)?)?;
    // Before any memory of a network is asked for.
    if !is_len(reader.0.len() as u64) {
        return Err("the checkpoint is damaged: its size is not that of the network");
    }
    scan.validation = records
        .as_chunks()
        .0
        .iter()
        .map(Record::from_bytes)
        .collect();
    Ok((progress, scan, reader))
}

fn read(bytes: &[u8], contents: Contents, shape: Shape) -> Parsed<Checkpoint> {
    let is_len = |len| len == network_len(&shape, contents);
    let (progress, scan, mut reader) = read_header(bytes, is_len)?;
    let Contents {
        row_moments,
        average,
    } = contents;
    let mut params = Params::zeros(shape);
    if average {
        params.keep_average();
    }
    reader.table(&mut params.table, row_moments)?;
    reader.table(&mut params.factors, row_moments)?;
    reader.weights(&mut params.bias, Moments::Kept)?;
    reader.steps(&mut params.last)?;
    for layer in &mut params.layers {
        reader.weights(&mut layer.weights, Moments::Kept)?;
        reader.weights(&mut layer.biases, Moments::Kept)?;
        layer.transpose(None);
    }
    if shape.architecture.has_progress() {
        let bias = reader.u32()? as i32;
        let weights = reader.bytes(4 * GameProgress::WEIGHTS)?.as_chunks().0;
        let weights: Vec<i32> = weights
            .iter()
            .map(|&bytes| i32::from_le_bytes(bytes))
            .collect();
        let progress = GameProgress::new(bias, Aligned::copy_of(&weights));
        params.progress = Some(Arc::new(progress));
    }
    Ok(Checkpoint {
        progress,
        scan,
        params,
    })
}

/// Bytes of a network with its moments and its moving average.
fn network_len(shape: &Shape, contents: Contents) -> u64 {
    let width = (shape.slabs * crate::shape::SLAB) as u64;
    let rows = (shape.features.rows() + shape.features.factor_rows()) as u64;
    let average = u64::from(contents.average);
    let of_row = average
        + match contents.row_moments {
            Moments::Kept => 3,
            Moments::None => 1,
        };
    let of_other = average + 3;
    let table = rows * (1 + of_row * width);
    let layers = shape
        .layers
        .iter()
        .map(|layer| (layer.weights() + layer.stride()) as u64);
    let stack = 1 + of_other * layers.sum::<u64>();
    let progress = if shape.architecture.has_progress() {
        1 + GameProgress::WEIGHTS as u64
    } else {
        0
    };
    4 * (table + of_other * width + shape.stacks() as u64 * stack + progress)
}

fn read_progress(reader: &mut Reader<'_>) -> Parsed<Progress> {
    let mut progress = Progress {
        step: reader.u32()?,
        epoch: reader.u32()?,
        rejected: reader.u32()?,
        best_epoch: reader.u32()?,
        clipped: reader.u32()?,
        batches: reader.u64()?,
        positions: reader.u64()?,
        ..Progress::default()
    };
    progress.loss = LossSum {
        cross_entropy: reader.f64()?,
        entropy: reader.f64()?,
        weight: reader.f64()?,
    };
    progress.length = reader.f64()?;
    progress.newbob = reader.f64()?;
    progress.best = reader.f64()?;
    Ok(progress)
}

/// The scan without its records, and how many they are.
fn read_scan(reader: &mut Reader<'_>) -> Parsed<(Scan, u64)> {
    let (train, read) = (reader.u64()?, reader.u64()?);
    let (shuffled, validation) = (reader.u64()? != 0, reader.u64()?);
    let mut filtered = FilterCounts::default();
    for count in &mut filtered.0 {
        *count = reader.u64()?;
    }
    let fitted = reader.f64()?;
    let scan = Scan {
        train,
        validation: Vec::new(),
        fitted: (!fitted.is_nan()).then_some(fitted),
        scale: reader.f64()?,
        read,
        filtered,
        shuffled,
    };
    Ok((scan, validation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use test_support::TestFolder;

    fn parts() -> (Progress, Scan, Params) {
        let shape = Shape::new("k_32x2-8-8".parse().unwrap(), true);
        let record =
            Record::from_bytes(&std::array::from_fn(|i| if i == 39 { 0 } else { i as u8 }));
        let scan = Scan {
            train: 1,
            validation: vec![record; 3],
            fitted: None,
            scale: 600.0,
            read: 5,
            filtered: FilterCounts(std::array::from_fn(|index| index as u64)),
            shuffled: true,
        };
        let progress = Progress {
            step: 7,
            batches: 3,
            length: 1.5,
            clipped: 2,
            newbob: 0.5,
            ..Progress::default()
        };
        let mut params = Params::random(shape, 3);
        params.table.last[5] = 7;
        params.bias.second[1] = 0.25;
        (progress, scan, params)
    }

    fn identity(seed: u32) -> RunIdentity {
        RunIdentity::new("learn").with("seed", seed)
    }

    const ALL: Contents = Contents {
        row_moments: Moments::Kept,
        average: false,
    };

    fn bytes(folder: &TestFolder, contents: Contents) -> Vec<u8> {
        let (progress, scan, mut params) = parts();
        if contents.average {
            params.keep_average();
        }
        let path = folder.path("checkpoint");
        let identity = identity(9);
        let parts = (&progress, &scan, &params);
        save(&path, &identity, contents.row_moments, parts).unwrap();
        let state = Snapshot::open(&path, &identity).unwrap();
        state.tell(|note| panic!("{note}")).unwrap().to_vec()
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = TestFolder::new();
        let (progress, scan, params) = parts();
        let without = Contents {
            row_moments: Moments::None,
            ..ALL
        };
        let averaged = Contents {
            average: true,
            ..without
        };
        for contents in [ALL, without, averaged] {
            let bytes = bytes(&folder, contents);
            let read = read(&bytes, contents, params.shape).unwrap();
            let mut params = params.clone();
            if contents.average {
                params.keep_average();
            }
            assert_eq!(read.progress, progress);
            assert_eq!(read.scan, scan);
            assert_eq!(read.params.table, params.table);
            assert_eq!(read.params.bias, params.bias);
            assert_eq!(read.params.layers, params.layers);
        }
        let load = |name: &str, seed| {
            let path = folder.path(name);
            load(&path, &identity(seed), without, params.shape, |_| ())
        };
        assert!(load("none", 9).unwrap().is_none());
        let steps = inspect_checkpoint(&bytes(&folder, ALL), params.shape.architecture);
        assert_eq!(steps, Ok(progress.step));
        bytes(&folder, without);
        assert!(load("checkpoint", 9).unwrap().is_some());
        let other = load("checkpoint", 8).unwrap_err().to_string();
        assert!(
            other.contains("seed differs (expected 8, found 9)"),
            "{other}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever bytes a checkpoint has, it is read or refused.
        #[test]
        fn damage_is_refused(
            (at, value, len) in (0usize..400, any::<u8>(), any::<prop::sample::Index>()),
        ) {
            let folder = TestFolder::new();
            let whole = bytes(&folder, ALL);
            let shape = parts().2.shape;
            let mut changed = whole.clone();
            changed[at] = value;
            // With another number it may be read: the checksum of the file tells of damage.
            drop(read(&changed, ALL, shape));
            let cut = &whole[..len.index(whole.len())];
            prop_assert!(read(cut, ALL, shape).is_err());
        }
    }
}
