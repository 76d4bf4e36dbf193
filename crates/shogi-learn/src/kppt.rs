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
use std::time::Instant;

use rayon::prelude::*;
use shogi_core::{Color, Position};
use shogi_eval::PieceList;
use shogi_eval::kppt::{FileTables, KpptLayout, KpptTable};
use xxhash_rust::xxh3::xxh3_64;

use crate::batch::Target;
use crate::checkpoint::{self, Progress, Writer};
use crate::data::{Mixed, Reading, Record, Scan, chosen, draw};
use crate::event::{
    DataReport, EpochReport, LearnEvent, LearnProgress, LearnReport, NetworkHealth,
};
use crate::loss::{Curve, LossSum, OUTPUT_UNIT};
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::shape::Shape;
use crate::train::{CHECKPOINT, REPORT_EVERY, scan_data, stopped_early};
use crate::{LearnError, Result};
use numbers::{Gradients, Numbers};

/// Positions whose gradients one thread collects.
const CHUNK: usize = 64;

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
    /// initial network, optimiser, learning rate, factors and mirror images (tables are symmetric anyway).
    pub common: LearnOptions,
    /// True if tables are written, hundreds of megabytes; else the checkpoint alone has what was
    /// learnt.
    pub writes_tables: bool,
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
            writes_tables: true,
        }
    }

    /// A number that is the same for trainings that give the same bytes.
    fn identity(&self) -> u64 {
        let Self {
            layout,
            eta,
            frozen,
            initial,
            common,
            ..
        } = self;
        let own = format!("{layout:?} {eta} {frozen:?} {initial:?}");
        xxh3_64(format!("{own} {}", common.identity()).as_bytes())
    }

    /// The numbers to begin with.
    fn initial_numbers(&self) -> Result<Numbers> {
        let mut numbers = Numbers::zeros(self.layout);
        if let Some(initial) = &self.initial {
            let tables = FileTables::open(initial).map_err(|error| LearnError::Network {
                path: initial.clone(),
                reason: error.to_string(),
            })?;
            numbers.fill(&tables);
        }
        Ok(numbers)
    }
}

/// The name of the folder of the tables in the output folder.
const TABLES: &str = "final";

/// Trains tables, or goes on with a training as [`crate::learn`] does. The tables of the best epoch so far are in the folder `final` of
/// the output.
///
/// When `stop` becomes true, the training ends after the current step with a checkpoint.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn_kppt(
    options: &KpptLearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    let common = &options.common;
    common.check()?;
    if options.layout == KpptLayout::Kppt16 || options.eta.is_nan() || options.eta <= 0.0 {
        let text = "three-piece tables are trained as kppt32 or kpp_kkpt32, with an eta above 0";
        return Err(LearnError::Option(text.to_owned()));
    }
    let pool = common.pool()?;
    let folder = common.output.join(TABLES);
    std::fs::create_dir_all(&folder).map_err(yane_io::Error::io(&folder))?;
    let Some(mut training) = KpptTraining::open(options, stop, on_event)? else {
        return Ok(stopped_early());
    };
    training.run(&pool, &folder, stop, on_event)
}

/// A training in progress.
struct KpptTraining<'a> {
    options: &'a KpptLearnOptions,
    identity: u64,
    scan: Scan,
    reading: Reading,
    sampler: Sampler,
    tester: Sampler,
    curve: Curve,
    numbers: Numbers,
    progress: Progress,
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
    /// A training from its checkpoint, or from the beginning; `None` when it was stopped meanwhile.
    fn open(
        options: &'a KpptLearnOptions,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<Option<Self>> {
        let common = &options.common;
        let reading = Reading::new(common);
        let identity = options.identity();
        let loaded = if common.restart {
            None
        } else {
            checkpoint::load_with(&common.output.join(CHECKPOINT), |bytes| {
                let (progress, scan, mut reader) =
                    checkpoint::read_header(bytes, identity, |_| true)?;
                let mut numbers = Numbers::zeros(options.layout);
                numbers.read(&mut reader)?;
                Ok((progress, scan, numbers))
            })?
        };
        let (progress, scan, numbers) = if let Some(loaded) = loaded {
            let Progress { epoch, step, .. } = loaded.0;
            on_event(LearnEvent::Resumed {
                epochs: epoch,
                steps: step,
            });
            loaded
        } else {
            let Some(scan) = scan_data(common, &reading, stop, on_event)? else {
                return Ok(None);
            };
            (Progress::default(), scan, options.initial_numbers()?)
        };
        on_event(LearnEvent::Data(DataReport::of(&scan)));
        let shape = Shape::new(common.architecture, false);
        let [sampler, tester] = Sampler::both(shape, &Arc::new(common.clone()), scan.scale);
        Ok(Some(Self {
            options,
            identity,
            reading,
            sampler,
            tester,
            curve: Curve::new(scan.scale),
            scan,
            numbers,
            progress,
            trained: 0,
            started: Instant::now(),
        }))
    }

    fn run(
        &mut self,
        pool: &rayon::ThreadPool,
        folder: &Path,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<LearnReport> {
        if self.progress.step == 0 {
            on_event(LearnEvent::Epoch(pool.install(|| self.test())?));
        }
        while self.progress.epoch < self.options.common.epochs {
            let epoch_ended = self.epoch(pool, stop, on_event)?;
            if epoch_ended {
                self.progress.epoch += 1;
                let report = pool.install(|| self.test())?;
                let loss = report.validation_loss;
                on_event(LearnEvent::Epoch(report));
                self.end_epoch(loss, folder, on_event)?;
            }
            self.save(on_event)?;
            if !epoch_ended {
                return Ok(self.report(None));
            }
        }
        Ok(self.report(Some(folder.to_owned())))
    }

    /// Writes the tables if they are the best ones so far, and makes the progress that of the next epoch.
    fn end_epoch(
        &mut self,
        loss: Option<f64>,
        folder: &Path,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<()> {
        let progress = &mut self.progress;
        progress.loss = LossSum::default();
        progress.batches = 0;
        progress.positions = 0;
        if loss.is_none_or(|loss| progress.best_epoch == 0 || loss < progress.best) {
            progress.best = loss.unwrap_or(f64::NAN);
            progress.best_epoch = progress.epoch;
            if self.options.writes_tables {
                self.numbers.save(folder)?;
                on_event(LearnEvent::Saved(folder.to_owned()));
            }
        }
        Ok(())
    }

    /// Writes the checkpoint.
    fn save(&self, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let path = self.options.common.output.join(CHECKPOINT);
        let mut writer = Writer::create(&path, self.identity, &self.progress, &self.scan)?;
        self.numbers.write(&mut writer)?;
        writer.finish()?;
        on_event(LearnEvent::Saved(path));
        Ok(())
    }

    fn report(&self, tables: Option<PathBuf>) -> LearnReport {
        let Progress {
            epoch,
            step,
            best,
            best_epoch,
            ..
        } = self.progress;
        LearnReport {
            finished: tables.is_some(),
            epochs: epoch,
            steps: step,
            best_epoch,
            best_loss: (best_epoch > 0 && !best.is_nan()).then_some(best),
            scale: self.scan.scale,
            network: tables,
        }
    }

    /// Trains to the end of the current epoch: false when it was stopped before.
    fn epoch(
        &mut self,
        pool: &rayon::ThreadPool,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<bool> {
        let common = &self.options.common;
        let seed = (common.seed, self.progress.epoch);
        let mut mixed = Mixed::new(&self.reading, chosen(common), common.shuffle, seed)?;
        for _ in 0..self.progress.batches {
            draw(&mut mixed, common.batch)?;
        }
        let (mut reported, mut saved) = (Instant::now(), Instant::now());
        loop {
            let records = draw(&mut mixed, common.batch)?;
            if records.is_empty() {
                return Ok(true);
            }
            let loss = pool.install(|| self.step(&records))?;
            self.trained += records.len() as u64;
            let progress = &mut self.progress;
            progress.loss.add(loss);
            progress.step += 1;
            progress.batches += 1;
            progress.positions += records.len() as u64;
            if !progress.loss.cross_entropy.is_finite() {
                let epoch = progress.epoch + 1;
                return Err(LearnError::Diverged { epoch });
            }
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                on_event(LearnEvent::Progress(self.progress_report()));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if saved.elapsed() >= common.checkpoint_every {
                self.save(on_event)?;
                saved = Instant::now();
            }
        }
    }

    fn progress_report(&self) -> LearnProgress {
        LearnProgress {
            epoch: self.progress.epoch + 1,
            positions: self.progress.positions,
            of: self.scan.train,
            loss: self.progress.loss.excess(),
            rate: self.options.eta,
            speed: self.speed(),
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

    fn test(&self) -> Result<EpochReport> {
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
            epoch: self.progress.epoch,
            positions: self.progress.positions,
            train_loss: self.progress.loss.excess(),
            train_entropy: self.progress.loss.mean_entropy(),
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
    use std::time::Duration;
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

    /// Trains until `saves` files were saved; the losses of the epochs, and whether it was finished.
    fn run(options: &KpptLearnOptions, saves: usize) -> (Vec<(u32, u64)>, bool) {
        let stop = AtomicBool::new(false);
        let (mut losses, mut saved) = (Vec::new(), 0);
        let report = learn_kppt(options, &stop, &mut |event| match event {
            LearnEvent::Epoch(report) => {
                losses.push((report.epoch, report.validation_loss.unwrap().to_bits()));
            }
            LearnEvent::Saved(_) => {
                saved += 1;
                stop.store(saved >= saves, Ordering::Relaxed);
            }
            _ => {}
        });
        (losses, report.unwrap().finished)
    }

    #[test]
    fn tables_are_learnt_the_same_on_any_number_of_threads_with_any_interruption() {
        let folder = TestFolder::new();
        let mut options = options(&folder);
        options.writes_tables = false;
        options.common.epochs = 2;
        options.common.output = folder.path("whole");
        let (whole, finished) = run(&options, usize::MAX);
        assert!(finished && whole.len() == 3);
        assert_ne!(whole[0].1, whole[1].1);
        options.common.output = folder.path("parts");
        options.common.threads = 1;
        options.common.checkpoint_every = Duration::ZERO;
        let (mut parts, mut runs) = (Vec::new(), 1);
        loop {
            let (losses, finished) = run(&options, 2);
            parts.extend(losses);
            if finished {
                break;
            }
            runs += 1;
        }
        assert!(runs > 2, "{runs}");
        assert_eq!(parts, whole);
        let checkpoint = |output| folder.read(format!("{output}/checkpoint"));
        let bytes = checkpoint("whole");
        assert!(checkpoint("parts") == bytes);
        // A finished training stays finished, and other options are refused.
        assert_eq!(run(&options, 2), (Vec::new(), true));
        options.frozen.push(KpptTable::Kpp);
        let refused = learn_kppt(&options, &AtomicBool::new(false), &mut |_| ()).unwrap_err();
        assert!(refused.to_string().contains("other options"), "{refused}");
        options.frozen.clear();
        for (at, value) in [
            (bytes.len() - 9, 1),
            (bytes.len() - 12, 1),
            (bytes.len() - 30, 77),
        ] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            folder.write("parts/checkpoint", &damaged);
            let refused = learn_kppt(&options, &AtomicBool::new(false), &mut |_| ()).unwrap_err();
            assert!(refused.to_string().contains("damaged"), "{refused}");
        }
    }

    /// Writes files of 470 MB, so only when slow tests are wanted.
    #[test]
    fn files_are_read_by_the_evaluation() {
        if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
            return;
        }
        let folder = TestFolder::new();
        let options = options(&folder);
        assert!(run(&options, usize::MAX).1);
        let tables = FileTables::open(&folder.path("out/final")).unwrap();
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
