//! The training: epochs over the data, tests, checkpoints.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::ThreadPool;
use shogi_core::Position;
use yane_base::lanes::LaneLevel;
use yane_io::{AtomicFile, RunIdentity, RunLock};

use crate::batch::{Batch, BatchMaker, Samples};
use crate::beginning::{CHECKPOINT, REPORT_EVERY, scan_data, stopped_early};
use crate::buffers::Buffers;
use crate::checkpoint::{self, Contents, Moments, Progress};
use crate::data::{Mixed, Reading, Record, Scan, chosen, leaves};
use crate::event::{
    EpochReport, GradientReport, LearnEvent, LearnProgress, LearnReport, TestReport,
};
use crate::export::Quantised;
use crate::feeder::{Course, Feeder};
use crate::game_progress;
use crate::health::Health;
use crate::loss::{Curve, LossSum, PartSums};
use crate::optimiser::{Optimiser, Rules};
use crate::options::{InitialNetwork, LearnIntervals, LearnOptions, MoveSearch};
use crate::params::{Params, read_network};
use crate::samples::Sampler;
use crate::shape::Shape;
use crate::step::{evaluate, train};
use crate::{LearnError, Result};

/// The name of newbob's checkpoint of the best epoch.
const BEST: &str = "best";

/// The name of a network's file.
const NETWORK: &str = "nn.bin";

/// Trains a network, or goes on with a training: when there is a checkpoint in the output folder, the same options go on where it was
/// written.
///
/// When `stop` becomes true, the training ends after the current step with a checkpoint. `on_event` hears where it stands.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn(
    options: &LearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    options.check()?;
    let pool = options.pool()?;
    // Two trainings in one folder would each replace what the other has learnt.
    let _lock = RunLock::folder(&options.output)?;
    let Some(mut training) = Training::open(options, &pool, stop, on_event)? else {
        return Ok(stopped_early());
    };
    training.run(stop, on_event)
}

/// A training in progress.
struct Training<'a> {
    options: Arc<LearnOptions>,
    pool: &'a ThreadPool,
    identity: RunIdentity,
    reading: Reading,
    sampler: Sampler,
    /// The sampler of the records for validation.
    tester: Sampler,
    scan: Scan,
    /// The records for validation, or their leaves.
    tests: Vec<Record>,
    params: Params,
    /// The network of the moving average, while it is tested and written; `None` when it is the network itself.
    averaged: Option<Params>,
    progress: Progress,
    buffers: Buffers,
    level: LaneLevel,
    /// The curve of the tests.
    curve: Curve,
    started: Instant,
    trained: u64,
    /// The losses since the last test within an epoch.
    parts: PartSums,
}

impl<'a> Training<'a> {
    /// A training from its checkpoint, or from the beginning; `None` when it was stopped meanwhile.
    fn open(
        options: &LearnOptions,
        pool: &'a ThreadPool,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<Option<Self>> {
        let shape = Shape::new(options.architecture, options.factorise);
        let options = Arc::new(options.clone());
        let identity = options.identity("network")?;
        let reading = Reading::new(&options);
        let loaded = if options.restart {
            None
        } else {
            let path = options.output.join(CHECKPOINT);
            let note = |note: &str| on_event(LearnEvent::Note(note.to_owned()));
            checkpoint::load(&path, &identity, contents(&options), shape, note)?
        };
        let (progress, scan, params) = match loaded {
            Some(loaded) => {
                on_event(LearnEvent::Resumed {
                    epochs: loaded.progress.epoch,
                    steps: loaded.progress.step,
                });
                (loaded.progress, loaded.scan, loaded.params)
            }
            None => match begin(&options, &reading, shape, stop, on_event)? {
                Some(begun) => begun,
                None => return Ok(None),
            },
        };
        let mut params = params;
        if options.quantisation_aware {
            params.round();
        }
        on_event(LearnEvent::Data(scan.report()));
        let mut samplers = Sampler::both(shape, &options, scan.scale);
        for sampler in &mut samplers {
            sampler.set_progress(params.progress.as_ref());
        }
        let [sampler, tester] = samplers;
        let tests = pool.install(|| leaves(&options, &scan.validation))?;
        Ok(Some(Self {
            tests,
            curve: tester.curve(),
            level: LaneLevel::within(options.vectors),
            options,
            pool,
            identity,
            reading,
            sampler,
            tester,
            scan,
            params,
            averaged: None,
            progress,
            buffers: Buffers::default(),
            started: Instant::now(),
            trained: 0,
            parts: PartSums::default(),
        }))
    }

    fn run(
        &mut self,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<LearnReport> {
        if self.progress.step == 0 {
            let report = self.test(0.0)?;
            on_event(LearnEvent::Epoch(report));
        }
        while !self.is_over() {
            let epoch_ended = match self.epoch(stop, on_event) {
                Err(error @ LearnError::Search(_)) => {
                    // What was learnt before is not lost with the search.
                    self.save(CHECKPOINT, on_event)?;
                    return Err(error);
                }
                ended => ended?,
            };
            if epoch_ended {
                self.end_epoch(on_event)?;
            }
            self.save(CHECKPOINT, on_event)?;
            if !epoch_ended {
                return Ok(self.report(None));
            }
        }
        let Progress {
            epoch, best_epoch, ..
        } = self.progress;
        if epoch < self.options.epochs && !self.has_converged() {
            on_event(LearnEvent::Stopped { epoch, best_epoch });
        }
        let network = self.finish(on_event)?;
        Ok(self.report(Some(network)))
    }

    /// Returns whether all epochs are done, or there is no hope that more of them would be better.
    fn is_over(&self) -> bool {
        self.has_converged()
            || self.progress.is_out_of_patience(self.options.patience)
            || self.progress.epoch >= self.options.epochs
    }

    /// Returns whether newbob sees no hope.
    fn has_converged(&self) -> bool {
        let newbob = self.options.learning_rate.schedule.newbob();
        newbob.is_some_and(|(_, trials)| self.progress.rejected >= trials)
    }

    /// Trains to the end of the current epoch: false when it was stopped before.
    fn epoch(&mut self, stop: &AtomicBool, on_event: &mut dyn FnMut(LearnEvent)) -> Result<bool> {
        let epoch = self.progress.epoch;
        let seed = (self.options.seed, epoch);
        let mut feeder = Feeder {
            mixed: Mixed::new(
                &self.reading,
                chosen(&self.options),
                self.options.shuffle,
                seed,
            )?,
            sampler: self.sampler.clone(),
            maker: BatchMaker::new(self.params.shape),
            records: Vec::new(),
            samples: Samples::default(),
            batch: self.options.batch,
            epoch,
            course: self.course(),
            made: 0,
        };
        for _ in 0..self.progress.batches {
            feeder.draw()?;
        }
        let (mut batch, mut next) = (Batch::default(), Batch::default());
        let mut more = self.pool.install(|| feeder.next(&mut batch))?;
        let mut reported = Instant::now();
        let mut saved = Instant::now();
        while more {
            let rate = self.rate();
            let prepared = self.step(rate, &batch, || feeder.next(&mut next));
            more = prepared?;
            std::mem::swap(&mut batch, &mut next);
            if !self.progress.loss.cross_entropy.is_finite() {
                return Err(LearnError::Diverged { epoch: epoch + 1 });
            }
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                on_event(LearnEvent::Progress(self.progress_report(rate)));
            }
            if let Some(intervals) = self.options.intervals {
                self.at_intervals(intervals, rate, on_event)?;
                if self.has_converged() {
                    return Ok(true);
                }
            }
            if stop.load(Ordering::Relaxed) && more {
                return Ok(false);
            }
            if saved.elapsed() >= self.options.checkpoint_every && more {
                self.save(CHECKPOINT, on_event)?;
                saved = Instant::now();
            }
        }
        Ok(true)
    }

    /// Takes a step, and meanwhile prepares the next one.
    fn step(
        &mut self,
        rate: f64,
        batch: &Batch,
        prepare: impl FnOnce() -> Result<bool> + Send,
    ) -> Result<bool> {
        let number = self.progress.step + 1;
        let rules = Rules::new(self.options.optimiser, rate, number);
        let rules = rules
            .scaled(self.options.rate_scales)
            .averaged(self.options.average())
            .clipped(self.options.clip);
        self.sampler.set_done(self.done());
        let (level, curve) = (self.level, self.sampler.curve());
        let (params, buffers) = (&mut self.params, &mut self.buffers);
        let (report, prepared) = self.pool.install(|| {
            rayon::join(
                || train(params, level, curve, batch, buffers, (&rules, number)),
                prepare,
            )
        });
        self.progress.add(report.loss, batch.len as u64);
        if let (Some(length), Some(clip)) = (report.length, self.options.clip) {
            self.progress.length += length;
            self.progress.clipped += u32::from(length > clip);
        }
        self.trained += batch.len as u64;
        if self.options.intervals.is_some() {
            for (sample, &target) in batch.targets.iter().enumerate() {
                let output = self.buffers.output(&self.params.shape, sample);
                self.parts.add(curve, output, target);
            }
        }
        prepared
    }

    /// The learning rate of the next step.
    fn rate(&self) -> f64 {
        let Progress {
            step,
            epoch,
            newbob,
            ..
        } = self.progress;
        let rate = self.options.learning_rate;
        rate.at(step + 1, self.done(), epoch, newbob)
    }

    fn course(&self) -> Course {
        Course {
            epochs: self.options.epochs,
            batches: (self.scan.train / self.options.batch as u64).max(1),
        }
    }

    /// The part of the training that is done, 0 to 1.
    fn done(&self) -> f64 {
        let Progress { epoch, batches, .. } = self.progress;
        self.course().done(epoch, batches)
    }

    fn speed(&self) -> f64 {
        self.trained as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn progress_report(&self, rate: f64) -> LearnProgress {
        LearnProgress {
            epoch: self.progress.epoch + 1,
            positions: self.progress.positions,
            of: self.scan.train,
            loss: self.progress.loss.excess(),
            rate,
            speed: self.speed(),
        }
    }

    /// Tests the network after an epoch, writes it, and judges it.
    fn end_epoch(&mut self, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let rate = self.rate();
        self.progress.epoch += 1;
        self.average();
        let report = self.test(rate)?;
        let epoch = self.progress.epoch;
        let loss = report.validation_loss;
        on_event(LearnEvent::Epoch(report));
        self.progress.begin_epoch();
        if self.options.intervals.is_some() {
            return Ok(());
        }
        self.write_network(&epoch.to_string(), on_event)?;
        self.averaged = None;
        self.judge(epoch, loss, on_event)
    }

    /// Takes the network of the moving average as the one to test and write.
    fn average(&mut self) {
        if let Some(decay) = self.options.average() {
            let (params, step) = (&self.params, self.progress.step);
            self.averaged = Some(self.pool.install(|| params.averaged(decay, step)));
        }
    }

    /// The network that is tested and written.
    fn network(&self) -> &Params {
        self.averaged.as_ref().unwrap_or(&self.params)
    }

    /// Positions that were trained on since the training began, after `step` steps.
    fn positions_after(&self, step: u32) -> u64 {
        u64::from(step) * self.options.batch as u64
    }

    /// Tests the network and writes it, if the last step came to an interval's end.
    fn at_intervals(
        &mut self,
        intervals: LearnIntervals,
        rate: f64,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<()> {
        let [before, now] = [1, 0].map(|back| self.positions_after(self.progress.step - back));
        if now / intervals.test > before / intervals.test {
            self.test_parts(rate, on_event)?;
        }
        let saved = now / intervals.save;
        if saved == before / intervals.save {
            return Ok(());
        }
        if intervals.folders {
            self.write_network(&(saved - 1).to_string(), on_event)?;
        } else {
            self.write_network("", on_event)?;
        }
        if self.options.learning_rate.schedule.newbob().is_none() {
            return Ok(());
        }
        let loss = self.test(rate)?.validation_loss;
        self.judge(u32::try_from(saved).unwrap_or(u32::MAX), loss, on_event)
    }

    /// Tells the losses by their parts.
    fn test_parts(&mut self, rate: f64, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let (mut sums, mut norm) = (PartSums::default(), 0.0);
        let mut maker = BatchMaker::new(self.params.shape);
        let (mut samples, mut batch) = (Samples::default(), Batch::default());
        for records in self.tests.chunks(self.options.batch) {
            let (params, buffers) = (&self.params, &mut self.buffers);
            let (level, curve, tester) = (self.level, self.curve, &self.tester);
            self.pool.install(|| -> Result<()> {
                tester.fill(records, None, &mut samples)?;
                maker.make(&mut samples, &mut batch);
                evaluate(params, level, curve, &batch, buffers);
                Ok(())
            })?;
            for (sample, &target) in batch.targets.iter().enumerate() {
                let output = self.buffers.output(&self.params.shape, sample);
                sums.add(self.curve, output, target);
                norm += f64::from(output.abs()) * crate::OUTPUT_UNIT;
            }
        }
        let train = std::mem::take(&mut self.parts);
        on_event(LearnEvent::Tested(TestReport {
            positions: self.positions_after(self.progress.step),
            rate,
            start_value: Quantised::new(&self.params).value(&Position::startpos()),
            validation: sums.means(),
            train: train.means(),
            norm,
            move_accuracy: self.move_accuracy()?,
        }));
        Ok(())
    }

    /// The share of the teacher's moves that a search with the network as it is in files finds.
    fn move_accuracy(&self) -> Result<Option<f64>> {
        let Some(MoveSearch(search)) = &self.options.move_search else {
            return Ok(None);
        };
        let (mut positions, mut moves) = (Vec::new(), Vec::new());
        for record in &self.scan.validation {
            let position = self.tester.open(record)?;
            if let Some(mv) = position.move_from_16(record.mv()) {
                positions.push(position);
                moves.push(Some(mv));
            }
        }
        if moves.is_empty() {
            return Ok(None);
        }
        let found = search(self.quantised().network(), &positions)?;
        let same = found.iter().zip(&moves).filter(|(a, b)| a == b).count();
        Ok(Some(same as f64 / moves.len() as f64))
    }

    /// The network as it is in files.
    fn quantised(&self) -> Quantised<'_> {
        Quantised::new(self.network()).without_unobserved(self.options.clears_unobserved)
    }

    /// Keeps the network as the best one, or lets newbob take it back; `epoch` is its number, from 1.
    fn judge(
        &mut self,
        epoch: u32,
        loss: Option<f64>,
        on_event: &mut dyn FnMut(LearnEvent),
    ) -> Result<()> {
        // Without validation data, the last network is the best one.
        let is_better =
            loss.is_none_or(|loss| self.progress.best_epoch == 0 || loss < self.progress.best);
        if is_better {
            if let (Some(loss), Some(_)) = (loss, self.options.intervals) {
                let best = (self.progress.best_epoch > 0).then_some(self.progress.best);
                on_event(LearnEvent::Accepted { loss, best });
            }
            self.progress.best = loss.unwrap_or(f64::NAN);
            self.progress.best_epoch = epoch;
            self.progress.rejected = 0;
        }
        let Some((factor, _)) = self.options.learning_rate.schedule.newbob() else {
            return Ok(());
        };
        if is_better {
            return self.save(BEST, on_event);
        }
        let Some(loss) = loss else { return Ok(()) };
        self.progress.newbob *= factor;
        self.progress.rejected += 1;
        on_event(LearnEvent::Rejected {
            epoch,
            loss,
            best: self.progress.best,
            factor: self.progress.newbob,
        });
        let path = self.options.output.join(BEST);
        let (identity, shape) = (&self.identity, self.params.shape);
        let contents = contents(&self.options);
        let note = |note: &str| on_event(LearnEvent::Note(note.to_owned()));
        if let Some(best) = checkpoint::load(&path, identity, contents, shape, note)? {
            self.params = best.params;
            if self.options.quantisation_aware {
                self.params.round();
            }
        }
        Ok(())
    }

    /// Tests the network on the validation data.
    fn test(&mut self, rate: f64) -> Result<EpochReport> {
        let mut sum = LossSum::default();
        let mut health = Health::new(self.network());
        let mut maker = BatchMaker::new(self.params.shape);
        let (mut samples, mut batch) = (Samples::default(), Batch::default());
        for records in self.tests.chunks(self.options.batch) {
            let params = self.averaged.as_ref().unwrap_or(&self.params);
            let buffers = &mut self.buffers;
            let (level, curve, tester) = (self.level, self.curve, &self.tester);
            let loss = self.pool.install(|| -> Result<LossSum> {
                tester.fill(records, None, &mut samples)?;
                maker.make(&mut samples, &mut batch);
                let loss = evaluate(params, level, curve, &batch, buffers);
                health.look(&params.shape, buffers, batch.len);
                Ok(loss)
            })?;
            sum.add(loss);
        }
        let quantisation = self.quantisation()?;
        let steps = self.progress.batches;
        let gradients = self.options.clip.is_some() && steps > 0;
        Ok(EpochReport {
            gradients: gradients.then(|| GradientReport {
                length: self.progress.length / steps as f64,
                clipped: self.progress.clipped,
                steps,
            }),
            health: health.report(self.network(), quantisation),
            ..self.progress.report(&sum, rate, self.speed())
        })
    }

    /// The mean and the largest difference of the quantised network's values from this network's, for some records.
    fn quantisation(&mut self) -> Result<(f64, f64)> {
        const POSITIONS: usize = 256;
        let records = &self.tests[..self.tests.len().min(POSITIONS)];
        let (mut samples, mut batch) = (Samples::default(), Batch::default());
        let params = self.averaged.as_ref().unwrap_or(&self.params);
        let (buffers, curve) = (&mut self.buffers, self.curve);
        let (level, tester) = (self.level, &self.tester);
        self.pool.install(|| -> Result<(f64, f64)> {
            // One by one, so that their order stays.
            let mut maker = BatchMaker::new(params.shape);
            let quantised = Quantised::new(params);
            let (mut sum, mut largest) = (0.0, 0f64);
            for record in records {
                tester.fill(std::slice::from_ref(record), None, &mut samples)?;
                maker.make(&mut samples, &mut batch);
                evaluate(params, level, curve, &batch, buffers);
                let value = f64::from(buffers.output(&params.shape, 0)) * crate::OUTPUT_UNIT;
                let difference = (quantised.value(&tester.open(record)?) - value).abs();
                sum += difference;
                largest = largest.max(difference);
            }
            Ok((sum / records.len().max(1) as f64, largest))
        })
    }

    fn save(&self, name: &str, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let path = self.options.output.join(name);
        let moments = contents(&self.options).row_moments;
        let state = (&self.progress, &self.scan, &self.params);
        checkpoint::save(&path, &self.identity, moments, state)?;
        on_event(LearnEvent::Saved(path));
        Ok(())
    }

    fn network_path(&self, folder: &str) -> PathBuf {
        self.options.output.join(folder).join(NETWORK)
    }

    fn write_network(&self, folder: &str, on_event: &mut dyn FnMut(LearnEvent)) -> Result<()> {
        let path = self.network_path(folder);
        make_folder_of(&path)?;
        self.quantised().save(&path)?;
        on_event(LearnEvent::Saved(path));
        Ok(())
    }

    /// Makes the best epoch's network the final one; with intervals, the last one.
    fn finish(&mut self, on_event: &mut dyn FnMut(LearnEvent)) -> Result<PathBuf> {
        if let Some(intervals) = self.options.intervals {
            if !self.parts.is_empty() {
                self.test_parts(self.rate(), on_event)?;
            }
            let folder = if intervals.folders { "final" } else { "" };
            self.write_network(folder, on_event)?;
            return Ok(self.network_path(folder));
        }
        let best = self.network_path(&self.progress.best_epoch.to_string());
        let path = self.network_path("final");
        make_folder_of(&path)?;
        let bytes = std::fs::read(&best).map_err(yane_io::Error::io(&best))?;
        let mut file = AtomicFile::create(&path)?;
        file.put(&bytes)?;
        file.commit()?;
        on_event(LearnEvent::Saved(path.clone()));
        Ok(path)
    }

    fn report(&self, network: Option<PathBuf>) -> LearnReport {
        let best = self.progress.best;
        LearnReport {
            finished: network.is_some(),
            epochs: self.progress.epoch,
            steps: self.progress.step,
            best_epoch: self.progress.best_epoch,
            best_loss: (self.progress.best_epoch > 0 && !best.is_nan()).then_some(best),
            scale: self.scan.scale,
            network,
        }
    }
}

fn make_folder_of(path: &Path) -> Result<()> {
    let folder = yane_io::folder_of(path);
    Ok(std::fs::create_dir_all(&folder).map_err(yane_io::Error::io(&folder))?)
}

/// Looks at the data, and makes the network to begin with; `None` when it was stopped meanwhile.
fn begin(
    options: &LearnOptions,
    reading: &Reading,
    shape: Shape,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<Option<(Progress, Scan, Params)>> {
    let Some(scan) = scan_data(options, reading, stop, on_event)? else {
        return Ok(None);
    };
    let mut params = match &options.initial {
        InitialNetwork::Random => Params::random(shape, options.seed),
        InitialNetwork::Zeros => Params::zeros(shape),
        InitialNetwork::File(path) => read_network(path, shape)?,
    };
    if options.architecture.has_progress() && params.progress.is_none() {
        let [sampler, _] = Sampler::both(shape, &Arc::new(options.clone()), scan.scale);
        params.progress = Some(Arc::new(game_progress::fit(options, reading, &sampler)?));
    }
    if options.ema.is_some() {
        params.keep_average();
    }
    let progress = Progress {
        newbob: 1.0,
        ..Progress::default()
    };
    Ok(Some((progress, scan, params)))
}

/// What checkpoints have.
const fn contents(options: &LearnOptions) -> Contents {
    Contents {
        row_moments: match options.optimiser {
            Optimiser::Adam { .. } => Moments::Kept,
            Optimiser::Sgd { .. } => Moments::None,
        },
        average: options.ema.is_some(),
    }
}
