//! Training by epochs, of whatever learns from one batch of records after the other: three-piece tables, and an evaluation's own numbers.
//! Networks, whose next batch is prepared while they learn, have a loop of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::ThreadPool;
use yane_io::{RunIdentity, RunLock};

use crate::beginning::{CHECKPOINT, REPORT_EVERY, scan_data, stopped_early};
use crate::checkpoint::{self, Parsed, Progress, Reader, Writer};
use crate::data::{Drawn, Mixed, Reading, Record, Scan, chosen, draw, leaves};
use crate::event::{EpochReport, LearnEvent, LearnProgress, LearnReport, PolicyTest};
use crate::loss::LossSum;
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::shape::Shape;
use crate::{LearnError, Result};

/// The name of the folder of the result in the output folder.
const FINAL: &str = "final";

/// What is trained.
pub(crate) trait Learner: Send + Sync {
    /// True if it learns from the visits of moves as well.
    const VISITS: bool = false;

    /// The learning rate of the next step, when `done` of all epochs are done.
    fn rate(&self, progress: &Progress, done: f64) -> f64;

    /// Learns from a batch; the loss before.
    fn step(
        &mut self,
        examples: &Examples,
        drawn: &Drawn,
        progress: &Progress,
        rate: f64,
    ) -> Result<LossSum>;

    /// The loss over records for validation.
    fn loss(&self, examples: &Examples, records: &[Record]) -> Result<LossSum>;

    /// As [`Self::loss`], with what a test says of policies where they are learnt.
    fn test(
        &self,
        examples: &Examples,
        records: &[Record],
    ) -> Result<(LossSum, Option<PolicyTest>)> {
        Ok((self.loss(examples, records)?, None))
    }

    /// Hears the loss before learning. True if the beginning counts: what is no better is not kept.
    fn begin(&mut self, _loss: Option<f64>) -> bool {
        false
    }

    /// Keeps what was learnt as the best so far, and writes it to `folder`: false when nothing was written.
    fn keep(&mut self, folder: &Path) -> Result<bool>;

    /// Ends the training.
    fn end(&mut self, _best: Option<f64>, _on_event: &mut dyn FnMut(LearnEvent)) {}

    /// Writes all that the next step depends on.
    fn write(&self, writer: &mut Writer) -> Result<()>;

    /// Reads it into a learner that has learnt nothing yet.
    fn read(&mut self, reader: &mut Reader<'_>) -> Parsed<()>;
}

/// What records mean.
pub(crate) struct Examples {
    /// Of the records to train on.
    pub(crate) sampler: Sampler,
    /// Of the records to test on.
    pub(crate) tester: Sampler,
}

/// A training in progress.
struct EpochTraining<'a, L> {
    options: &'a LearnOptions,
    identity: RunIdentity,
    scan: Scan,
    /// The records for validation, or their leaves.
    tests: Vec<Record>,
    reading: Reading,
    examples: Examples,
    learner: L,
    progress: Progress,
    trained: u64,
    started: Instant,
}

/// Trains `blank` for all epochs, after `initial` gave it its initial values, or goes on with a training of the same `identity`.
pub(crate) fn train_epochs<L: Learner>(
    options: &LearnOptions,
    identity: RunIdentity,
    (blank, initial): (impl Fn() -> L, impl FnOnce(&mut L) -> Result<()>),
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<(LearnReport, Option<L>)> {
    options.check()?;
    let pool = options.pool()?;
    // Two trainings in one folder would each replace what the other has learnt.
    let _lock = RunLock::folder(&options.output)?;
    let folder = options.output.join(FINAL);
    std::fs::create_dir_all(&folder).map_err(yane_io::Error::io(&folder))?;
    let opened = EpochTraining::open(options, identity, (blank, initial), stop, on_event)?;
    let Some(mut training) = opened else {
        return Ok((stopped_early(), None));
    };
    let report = training.run(&pool, &folder, stop, on_event)?;
    Ok((report, Some(training.learner)))
}

impl<'a, L: Learner> EpochTraining<'a, L> {
    /// A training from its checkpoint, or from the beginning; `None` when it was stopped meanwhile.
    fn open(
        options: &'a LearnOptions,
        identity: RunIdentity,
        (blank, initial): (impl Fn() -> L, impl FnOnce(&mut L) -> Result<()>),
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<Option<Self>> {
        let reading = Reading {
            visits: L::VISITS,
            ..Reading::new(options)
        };
        let loaded = if options.restart {
            None
        } else {
            let path = options.output.join(CHECKPOINT);
            let note = |note: &str| on_event(LearnEvent::Note(note.to_owned()));
            checkpoint::load_with(&path, &identity, note, |bytes| {
                let (progress, scan, mut reader) = checkpoint::read_header(bytes, |_| true)?;
                let mut learner = blank();
                learner.read(&mut reader)?;
                Ok((progress, scan, learner))
            })?
        };
        let (progress, scan, learner) = if let Some(loaded) = loaded {
            let Progress { epoch, step, .. } = loaded.0;
            on_event(LearnEvent::Resumed {
                epochs: epoch,
                steps: step,
            });
            loaded
        } else {
            let Some(scan) = scan_data(options, &reading, stop, on_event)? else {
                return Ok(None);
            };
            let mut learner = blank();
            initial(&mut learner)?;
            (Progress::default(), scan, learner)
        };
        on_event(LearnEvent::Data(scan.report()));
        let shape = Shape::new(options.architecture, false);
        let [sampler, tester] = Sampler::both(shape, &Arc::new(options.clone()), scan.scale);
        Ok(Some(Self {
            options,
            identity,
            reading,
            examples: Examples { sampler, tester },
            tests: leaves(options, &scan.validation)?,
            scan,
            learner,
            progress,
            trained: 0,
            started: Instant::now(),
        }))
    }

    fn run(
        &mut self,
        pool: &ThreadPool,
        folder: &Path,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<LearnReport> {
        if self.progress.step == 0 {
            let report = pool.install(|| self.test())?;
            let loss = report.validation_loss;
            on_event(LearnEvent::Epoch(report));
            // Later epochs have to be better than infinity, or than this.
            self.progress.best = f64::INFINITY;
            if self.learner.begin(loss) {
                self.keep(loss, folder, on_event)?;
            }
        }
        while !self.is_over() {
            let epoch_ended = match self.epoch(pool, stop, on_event) {
                Err(error @ LearnError::Search(_)) => {
                    // What was learnt before is not lost with the search.
                    self.save(on_event)?;
                    return Err(error);
                }
                ended => ended?,
            };
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
        let Progress {
            epoch, best_epoch, ..
        } = self.progress;
        if epoch < self.options.epochs {
            on_event(LearnEvent::Stopped { epoch, best_epoch });
        }
        let report = self.report(Some(folder.to_owned()));
        self.learner.end(report.best_loss, on_event);
        Ok(report)
    }

    /// Returns whether all epochs are done, or its patience is at its end.
    fn is_over(&self) -> bool {
        self.progress.is_out_of_patience(self.options.patience)
            || self.progress.epoch >= self.options.epochs
    }

    /// Keeps what was learnt if it is the best so far, and makes the progress that of the next epoch.
    fn end_epoch(
        &mut self,
        loss: Option<f64>,
        folder: &Path,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<()> {
        let progress = &mut self.progress;
        progress.begin_epoch();
        let is_better = loss.is_none_or(|loss| loss < progress.best);
        if is_better {
            self.keep(loss, folder, on_event)?;
        }
        Ok(())
    }

    /// Keeps what was learnt as the best so far.
    fn keep(
        &mut self,
        loss: Option<f64>,
        folder: &Path,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<()> {
        self.progress.best = loss.unwrap_or(f64::NAN);
        self.progress.best_epoch = self.progress.epoch;
        if self.learner.keep(folder)? {
            on_event(LearnEvent::Saved(folder.to_owned()));
        }
        Ok(())
    }

    /// Writes the checkpoint.
    fn save(&self, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let path = self.options.output.join(CHECKPOINT);
        let mut writer = Writer::create(&path, &self.identity, &self.progress, &self.scan)?;
        self.learner.write(&mut writer)?;
        writer.finish()?;
        on_event(LearnEvent::Saved(path));
        Ok(())
    }

    fn report(&self, result: Option<PathBuf>) -> LearnReport {
        let Progress {
            epoch,
            step,
            best,
            best_epoch,
            ..
        } = self.progress;
        LearnReport {
            finished: result.is_some(),
            epochs: epoch,
            steps: step,
            best_epoch,
            best_loss: best.is_finite().then_some(best),
            scale: self.scan.scale,
            network: result,
        }
    }

    /// Trains to the end of the current epoch: false when it was stopped before.
    fn epoch(
        &mut self,
        pool: &ThreadPool,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<bool> {
        let options = self.options;
        let seed = (options.seed, self.progress.epoch);
        let mut mixed = Mixed::new(&self.reading, chosen(options), options.shuffle, seed)?;
        for _ in 0..self.progress.batches {
            draw(&mut mixed, options.batch)?;
        }
        let (mut reported, mut saved) = (Instant::now(), Instant::now());
        loop {
            let drawn = Drawn::draw(&mut mixed, options.batch)?;
            let count = drawn.records.len() as u64;
            if count == 0 {
                return Ok(true);
            }
            let rate = self.rate();
            self.examples.sampler.set_done(self.done());
            let (learner, examples, progress) =
                (&mut self.learner, &self.examples, &mut self.progress);
            let loss = pool.install(|| learner.step(examples, &drawn, progress, rate))?;
            self.trained += count;
            progress.add(loss, count);
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
            if saved.elapsed() >= options.checkpoint_every {
                self.save(on_event)?;
                saved = Instant::now();
            }
        }
    }

    /// The learning rate of the next step.
    fn rate(&self) -> f64 {
        self.learner.rate(&self.progress, self.done())
    }

    /// The part of the training that is done, 0 to 1.
    fn done(&self) -> f64 {
        let of_epoch = (self.scan.train as f64 / self.options.batch as f64).max(1.0);
        let part = (self.progress.batches as f64 / of_epoch).min(1.0);
        (f64::from(self.progress.epoch) + part) / f64::from(self.options.epochs)
    }

    fn progress_report(&self) -> LearnProgress {
        LearnProgress {
            epoch: self.progress.epoch + 1,
            positions: self.progress.positions,
            of: self.scan.train,
            loss: self.progress.loss.excess(),
            rate: self.rate(),
            speed: self.speed(),
        }
    }

    fn speed(&self) -> f64 {
        self.trained as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn test(&self) -> Result<EpochReport> {
        let (sum, policy) = self.learner.test(&self.examples, &self.tests)?;
        let (rate, speed) = (self.rate(), self.speed());
        Ok(EpochReport {
            policy,
            ..self.progress.report(&sum, rate, speed)
        })
    }
}
