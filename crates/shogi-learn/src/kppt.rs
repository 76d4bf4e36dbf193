//! Training of three-piece evaluations, KPPT and `KPP_KKPT`, by `AdaGrad` (Duchi, Hazan, Singer 2011).
//!
//! Each position asks for one value of KK, 38 of KKP and 1,406 of KPP. Values that symmetry makes the same are one number ("lower
//! dimensions"): the board mirrored left to right and, for KK and KKP, the players exchanged. Gradients of a class are summed up,
//! and an entry that is its own image counts once for each image, as in the classic learner.
//!
//! This takes 1.7 GB of address space; memory for numbers that are never touched is never used.

mod numbers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use shogi_core::{Color, Position};
use shogi_eval::PieceList;
use shogi_eval::kppt::{FileTables, KpptLayout, KpptTable};

use crate::batch::Target;
use crate::data::{Mixed, Reading, Record, Scan, chosen, scan};
use crate::event::{DataReport, EpochReport, LearnEvent, LearnProgress, NetworkHealth};
use crate::loss::{Curve, LossSum, OUTPUT_UNIT};
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::shape::Shape;
use crate::{LearnError, Result};
use numbers::{Gradients, Numbers};

/// Positions whose gradients one thread collects.
const CHUNK: usize = 64;

/// Time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// A training of a three-piece evaluation.
#[derive(Clone, Debug)]
pub struct KpptLearnOptions {
    /// [`KpptLayout::Kppt`] or [`KpptLayout::KppKkpt`].
    pub layout: KpptLayout,
    /// The rate of `AdaGrad`, 30 in the classic learner. Values of the turn take an eighth of it.
    pub eta: f64,
    /// Tables that stay as they are.
    pub frozen: Vec<KpptTable>,
    /// A folder with tables to begin with, instead of zeros.
    pub initial: Option<PathBuf>,
    /// Data, target, filters, epochs, batch, seed, threads and output. What is about networks alone is not looked at: the architecture,
    /// optimiser, learning rate, factors, mirror images (tables are symmetric anyway) and checkpoints.
    pub common: LearnOptions,
}

impl KpptLearnOptions {
    /// A training with tables in `output`: rate 30, batches of 10,000, one epoch.
    ///
    /// # Panics
    /// Never.
    pub fn new(layout: KpptLayout, output: impl Into<PathBuf>) -> Self {
        let any = "kp_32x2-8-8".parse().expect("a known architecture");
        let mut common = LearnOptions::new(any, output);
        common.batch = 10_000;
        common.epochs = 1;
        Self {
            layout,
            eta: 30.0,
            frozen: Vec::new(),
            initial: None,
            common,
        }
    }
}

/// Trains tables and writes them to the output folder after each epoch. There is no checkpoint: tables that were written can be begun
/// with.
///
/// When `stop` becomes true, the training ends after the current batch and writes the tables. Returns whether all epochs were done.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn_kppt(
    options: &KpptLearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<bool> {
    let common = &options.common;
    common.check()?;
    if options.layout == KpptLayout::Kppt16 || options.eta.is_nan() || options.eta <= 0.0 {
        let text = "three-piece tables are trained as kppt32 or kpp_kkpt32, with an eta above 0";
        return Err(LearnError::Option(text.to_owned()));
    }
    let pool = common.pool()?;
    let folder = &common.output;
    std::fs::create_dir_all(folder).map_err(yane_io::Error::io(folder))?;
    let mut numbers = Numbers::zeros(options.layout);
    if let Some(initial) = &options.initial {
        let tables = FileTables::open(initial).map_err(|error| LearnError::Network {
            path: initial.clone(),
            reason: error.to_string(),
        })?;
        numbers.fill(&tables);
    }
    let mut training = KpptTraining::new(options, numbers, &mut |positions| {
        on_event(LearnEvent::Scanning(positions));
        Ok(())
    })?;
    on_event(LearnEvent::Data(DataReport::of(&training.scan)));
    for epoch in 0..common.epochs {
        let whole = training.epoch(&pool, epoch, stop, on_event)?;
        training.numbers.save(folder)?;
        on_event(LearnEvent::Saved(folder.clone()));
        if !whole {
            return Ok(false);
        }
        let report = pool.install(|| training.test(epoch + 1))?;
        on_event(LearnEvent::Epoch(report));
    }
    Ok(true)
}

/// A training in progress.
struct KpptTraining<'a> {
    options: &'a KpptLearnOptions,
    scan: Scan,
    reading: Reading,
    sampler: Sampler,
    tester: Sampler,
    curve: Curve,
    numbers: Numbers,
    train_loss: LossSum,
    trained: u64,
    started: Instant,
}

/// A position with what is to be learnt from it.
struct KpptSample {
    position: Position,
    list: PieceList,
    target: Target,
}

impl KpptSample {
    fn new(sampler: &Sampler, record: &Record) -> Result<Self> {
        let position = sampler.open(record)?;
        Ok(Self {
            list: PieceList::new(&position),
            position,
            target: sampler.target(record),
        })
    }
}

impl<'a> KpptTraining<'a> {
    fn new(
        options: &'a KpptLearnOptions,
        numbers: Numbers,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Self> {
        let common = &options.common;
        let reading = Reading::new(common);
        let scan = scan(common, &reading, tick)?;
        let shape = Shape::new(common.architecture, false);
        let shared = Arc::new(common.clone());
        let [sampler, tester] = Sampler::both(shape, &shared, scan.scale);
        Ok(Self {
            options,
            reading,
            sampler,
            tester,
            curve: Curve::new(scan.scale),
            scan,
            numbers,
            train_loss: LossSum::default(),
            trained: 0,
            started: Instant::now(),
        })
    }

    /// Goes through the data once: false when it was stopped before.
    fn epoch(
        &mut self,
        pool: &rayon::ThreadPool,
        epoch: u32,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<bool> {
        let common = &self.options.common;
        let seed = (common.seed, epoch);
        let mut mixed = Mixed::new(&self.reading, chosen(common), common.shuffle, seed)?;
        self.train_loss = LossSum::default();
        let mut reported = Instant::now();
        let mut positions = 0;
        loop {
            let mut records = Vec::with_capacity(common.batch);
            while records.len() < common.batch
                && let Some(record) = mixed.next()?
            {
                records.push(record);
            }
            if records.is_empty() {
                return Ok(true);
            }
            let loss = pool.install(|| self.step(&records))?;
            self.train_loss.add(loss);
            positions += records.len() as u64;
            self.trained += records.len() as u64;
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                on_event(LearnEvent::Progress(LearnProgress {
                    epoch: epoch + 1,
                    positions,
                    of: self.scan.train,
                    loss: self.train_loss.excess(),
                    rate: self.options.eta,
                    speed: self.speed(),
                }));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
        }
    }

    fn speed(&self) -> f64 {
        self.trained as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    /// Learns from a batch.
    fn step(&mut self, records: &[Record]) -> Result<LossSum> {
        let (numbers, sampler, curve) = (&self.numbers, &self.sampler, self.curve);
        let chunks: Result<Vec<(LossSum, Gradients)>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let mut gradients = Gradients::new();
                let mut sum = LossSum::default();
                for record in records {
                    let sample = KpptSample::new(sampler, record)?;
                    let (loss, gradient) = loss_of(numbers, curve, &sample);
                    sum.add(loss);
                    let side = sample.position.side_to_move();
                    gradients.add(&sample.list, side, gradient);
                }
                Ok((sum, gradients))
            })
            .collect();
        let (losses, gradients): (Vec<_>, Vec<_>) = chunks?.into_iter().unzip();
        let KpptLearnOptions { eta, frozen, .. } = self.options;
        self.numbers.update(&gradients, *eta as f32, frozen);
        let mut sum = LossSum::default();
        for loss in losses {
            sum.add(loss);
        }
        Ok(sum)
    }

    fn test(&self, epoch: u32) -> Result<EpochReport> {
        let losses: Result<Vec<LossSum>> = self
            .scan
            .validation
            .par_chunks(CHUNK)
            .map(|records| {
                let mut sum = LossSum::default();
                for record in records {
                    let sample = KpptSample::new(&self.tester, record)?;
                    sum.add(loss_of(&self.numbers, self.curve, &sample).0);
                }
                Ok(sum)
            })
            .collect();
        let mut sum = LossSum::default();
        for loss in losses? {
            sum.add(loss);
        }
        Ok(EpochReport {
            epoch,
            positions: self.scan.train,
            train_loss: self.train_loss.excess(),
            train_entropy: self.train_loss.mean_entropy(),
            validation_loss: (sum.weight > 0.0).then(|| sum.excess()),
            entropy: sum.entropy / sum.weight.max(f64::MIN_POSITIVE),
            rate: self.options.eta,
            speed: self.speed(),
            health: NetworkHealth::default(),
        })
    }
}

/// The loss of a sample, and the gradient of its logit.
fn loss_of(numbers: &Numbers, curve: Curve, sample: &KpptSample) -> (LossSum, f32) {
    let value = numbers.value(&sample.position, &sample.list);
    let (loss, gradient) = curve.loss((value / OUTPUT_UNIT) as f32, sample.target);
    (loss, (gradient / curve.slope()) as f32)
}

impl Numbers {
    /// Writes the three files of an evaluation.
    fn save(&self, folder: &Path) -> Result<()> {
        for table in KpptTable::ALL {
            let path = table.path(folder);
            let mut file = yane_io::AtomicFile::create(&path)?;
            for part in 0..Self::parts(table) {
                file.put(&self.bytes(table, part))?;
            }
            file.commit()?;
        }
        Ok(())
    }

    /// The value of a position for the side to move, in internal units.
    fn value(&self, position: &Position, list: &PieceList) -> f64 {
        let [board, turn] = self.sums(list);
        let board = board + 32.0 * f64::from(position.material());
        let board = match position.side_to_move() {
            Color::Black => board,
            Color::White => -board,
        };
        (board + turn) / 32.0
    }
}

#[cfg(test)]
mod tests {
    use shogi_eval::kppt::evaluate;
    use test_support::{TestFolder, fixture_bytes};

    use super::*;
    use crate::options::{LearnSource, LearnValidation, TeacherScale};

    fn options(folder: &TestFolder) -> KpptLearnOptions {
        let bytes = fixture_bytes("learning/valid5k.psv");
        folder.write("data.psv", &bytes[..40 * 1200]);
        folder.write("validation.psv", &bytes[40 * 1200..40 * 1500]);
        let mut options = KpptLearnOptions::new(KpptLayout::KppKkpt, folder.path("out"));
        let source = |name| vec![LearnSource::new(folder.path(name))];
        options.common.sources = source("data.psv");
        options.common.validation = LearnValidation::Files(source("validation.psv"));
        options.common.target.scale = TeacherScale::Fixed(600.0);
        options.common.batch = 300;
        options.common.threads = 2;
        options
    }

    #[test]
    fn tables_are_learnt_the_same_on_any_number_of_threads() {
        let folder = TestFolder::new();
        let options = options(&folder);
        let losses = [1, 2].map(|threads| {
            let numbers = Numbers::zeros(options.layout);
            let mut training = KpptTraining::new(&options, numbers, &mut |_| Ok(())).unwrap();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let stop = AtomicBool::new(false);
            let loss = |training: &KpptTraining<'_>| {
                let report = pool.install(|| training.test(0)).unwrap();
                report.validation_loss.unwrap().to_bits()
            };
            let before = loss(&training);
            training.epoch(&pool, 0, &stop, &mut |_| ()).unwrap();
            let first = training.train_loss.excess();
            training.epoch(&pool, 0, &stop, &mut |_| ()).unwrap();
            // It learns by heart, if nothing else.
            assert!(training.train_loss.excess() < first);
            (before, loss(&training))
        });
        assert_eq!(losses[0], losses[1]);
        assert_ne!(losses[0].0, losses[0].1);
    }

    /// Writes files of 470 MB, so only when slow tests are wanted.
    #[test]
    fn files_are_read_by_the_evaluation() {
        if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
            return;
        }
        let folder = TestFolder::new();
        let options = options(&folder);
        assert!(learn_kppt(&options, &AtomicBool::new(false), &mut |_| ()).unwrap());
        let tables = FileTables::open(&folder.path("out")).unwrap();
        let mut numbers = Numbers::zeros(options.layout);
        numbers.fill(&tables);
        let bytes = fixture_bytes("learning/golden64.psv");
        for record in bytes.chunks_exact(40) {
            use pack_format::record::TeacherRecord as _;
            let record = pack_format::Psv::from_bytes(record).unwrap();
            let (position, _) = record.open().unwrap();
            let value = evaluate(&tables, &position);
            assert_eq!(evaluate(&numbers, &position), value);
        }
    }
}
