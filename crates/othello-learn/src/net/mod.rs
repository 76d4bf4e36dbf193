//! Training of a network on patterns: mini-batches in random order, `AdamW`, a rate that falls along half a cosine.

mod adam;
mod forward;
mod inputs;
mod params;
mod state;
mod step;

use std::path::{Path, PathBuf};

use othello_eval::{
    Evaluator, NET_OUTPUT_DISCS, NetEvaluator, NetShape, NetWeights, PlyPhases, UNITS_PER_DISC,
    Weights, WeightsFormat,
};
use yane_base::random::SplitMix64;
use yane_io::{AtomicFile, Checksum, Error, Job, Overwrite, RunIdentity, Snapshot, Unit};

use crate::error::OthelloLearnError;
use crate::fit::{PhaseReport, shuffle};
use crate::samples::{LabelledFiles, LabelledPosition, MOST, TrainingFile};
use crate::split::Split;
use crate::train::FitReport;
use adam::AdamStep;
use inputs::NetInputs;
use params::{Params, Sizes};
use state::{NetProgress, read_state, write_state};
use step::{Sample, Trainer};

/// Steps in which the rate rises from 0.
const WARM_UP: f64 = 200.0;

/// Steps between two states on the disk, besides the one of each epoch.
const BETWEEN_STATES: u64 = 2000;

/// A network that is trained.
#[derive(Clone, Debug)]
pub struct NetPlan {
    /// The architecture.
    pub shape: NetShape,
    /// The plies of each stack of layers.
    pub phases: PlyPhases,
    /// How often each position is seen.
    pub epochs: u32,
    /// Positions of a step.
    pub batch: usize,
    /// The learning rate after the first steps, and at the end.
    pub rates: (f64, f64),
    /// The part that the numbers of rows lose in each step, in units of the rate.
    pub weight_decay: f64,
    /// A row that n positions saw keeps n / (n + this) of what it learnt.
    pub rare: f32,
    /// A network to begin with, instead of random numbers.
    pub initial: Option<PathBuf>,
    /// Seed of the order of positions, of the games held out and of the numbers to begin with.
    pub seed: u64,
    /// Games held out, in percent.
    pub held_out_percent: u32,
    /// A note about the origin in the file.
    pub note: String,
}

impl NetPlan {
    /// A training of this architecture with settings that suit some millions of positions.
    pub fn new(shape: NetShape) -> Self {
        Self {
            shape,
            phases: PlyPhases::with_parity(4, 0),
            epochs: 12,
            batch: 4096,
            rates: (2e-3, 2e-5),
            weight_decay: 1.0,
            rare: 4.0,
            initial: None,
            seed: 1,
            held_out_percent: 5,
            note: String::new(),
        }
    }

    /// Trains with the positions of `sources`, and writes the network to `output`.
    ///
    /// Beside it lies the state of the training while the run lasts (`output` with `.state` behind it). After an interruption the same
    /// call resumes. Neither that nor the number of threads changes a byte of the output.
    ///
    /// # Errors
    /// Inputs or a network to begin with that cannot be read or are damaged, with the byte; a network of another architecture; files that
    /// cannot be written, an output that must not be replaced, a state of another run; cancellation.
    pub fn run(
        &self,
        sources: &[TrainingFile],
        output: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<FitReport, OthelloLearnError> {
        let mut read = TrainingFile::paths(sources);
        read.extend(self.initial.clone());
        let _claim = overwrite.claim(output, &read)?;
        let files = TrainingFile::open_all(sources)?;
        let split = Split::new(&files, sources, self.seed, self.held_out_percent);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(job.threads.max(1));
        let threads = threads
            .build()
            .map_err(|error| Error::file(output, format!("threads: {error}")))?;
        let mut run = Run {
            identity: self.identity(&files, sources)?,
            state: state_of(output),
            fitted: split.fitted.concat(),
            held_out: samples(&files, &split.held_out.concat()),
            trainer: self.trainer()?,
            initial: Params::zeros(&self.sizes(0)),
            progress: NetProgress::default(),
            files: &files,
            plan: self,
            job,
        };
        run.initial = run.trainer.params.clone();
        threads.install(|| run.train())?;
        let net = run.finished();
        let weights = Weights::new(
            Evaluator::Net(NetEvaluator::new(net)),
            WeightsFormat::YaneuraNet,
        );
        let mut file = AtomicFile::create(output)?;
        file.put(&weights.to_bytes(&self.note))?;
        file.commit()?;
        Snapshot::remove(&state_of(output))?;
        Ok(self.report(&weights, &files, &split))
    }

    fn sizes(&self, rows: usize) -> Sizes {
        Sizes {
            shape: self.shape,
            phases: self.phases.clone(),
            rows,
        }
    }

    /// The network to begin with.
    fn trainer(&self) -> Result<Trainer, OthelloLearnError> {
        let inputs = NetInputs::new(self.shape);
        let sizes = self.sizes(inputs.rows());
        let params = match &self.initial {
            None => Params::random(&sizes, self.seed),
            Some(path) => {
                let weights = Weights::load(path)?;
                let net = weights.main().as_net().map(NetEvaluator::weights);
                let Some(net) = net.filter(|net| net.shape == self.shape) else {
                    let reason = format!("expected a network of the architecture {}", self.shape);
                    return Err(Error::file(path, reason).into());
                };
                Params::of_net(&sizes, net)
            }
        };
        Ok(Trainer::new(sizes, inputs, params))
    }

    /// The errors on positions held out, by stack.
    fn report(&self, weights: &Weights, files: &LabelledFiles, split: &Split) -> FitReport {
        let zeros = weights
            .main()
            .as_net()
            .map_or(0.0, |net| share_of_zeros(net.weights()));
        let phases = (0..self.phases.count()).map(|phase| {
            let plies: Vec<usize> = self.phases.plies(phase).collect();
            let count =
                |numbers: &[Vec<u32>]| plies.iter().map(|&ply| numbers[ply].len() as u64).sum();
            let numbers = plies.iter().flat_map(|&ply| &split.held_out[ply]);
            let errors = numbers.map(|&number| {
                let LabelledPosition { board, value, .. } = files.get(number as usize);
                let found = weights.main().evaluate(board).clamp(-MOST, MOST);
                f64::from(found - value) / f64::from(UNITS_PER_DISC)
            });
            let report = PhaseReport {
                positions: count(&split.fitted),
                zeros,
                ..PhaseReport::default()
            };
            let report = report.with_errors(errors);
            (plies, report)
        });
        FitReport {
            positions: split.len(),
            phases: phases.collect(),
        }
    }

    /// All that decides about the numbers.
    fn identity(
        &self,
        files: &LabelledFiles,
        sources: &[TrainingFile],
    ) -> Result<RunIdentity, OthelloLearnError> {
        let initial = self.initial.as_deref().map(Checksum::of_path).transpose()?;
        let initial = initial.map_or_else(|| "random".to_owned(), |sum| sum.to_string());
        let settings = Self {
            initial: None,
            ..self.clone()
        };
        Ok(RunIdentity::new("othello train network 2")
            .with("data", files.checksum())
            .with("shares", TrainingFile::shares(sources))
            .with("initial network", initial)
            .with("settings", format!("{settings:?}")))
    }
}

/// Where the state of a training lies.
fn state_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".state");
    name.into()
}

/// The share of rows' numbers that are 0.
fn share_of_zeros(net: &NetWeights) -> f64 {
    let zeros = net.rows.iter().filter(|&&number| number == 0).count();
    zeros as f64 / net.rows.len().max(1) as f64
}

fn samples(files: &LabelledFiles, numbers: &[u32]) -> Vec<Sample> {
    let get = |&number: &u32| sample(files.get(number as usize));
    numbers.iter().map(get).collect()
}

fn sample(position: LabelledPosition) -> Sample {
    Sample {
        board: position.board,
        ply: position.ply(),
        target: position.value as f32 / (UNITS_PER_DISC * NET_OUTPUT_DISCS) as f32,
    }
}

/// A training that runs.
struct Run<'a> {
    plan: &'a NetPlan,
    files: &'a LabelledFiles,
    fitted: Vec<u32>,
    held_out: Vec<Sample>,
    trainer: Trainer,
    /// The numbers at the beginning.
    initial: Params,
    progress: NetProgress,
    identity: RunIdentity,
    state: PathBuf,
    job: &'a Job,
}

impl Run<'_> {
    fn train(&mut self) -> Result<(), OthelloLearnError> {
        let progress = &self.job.progress;
        let found = Snapshot::open(&self.state, &self.identity)?.tell(|note| progress.note(note));
        if let Some(found) = found {
            read_state(&found, &mut self.trainer, &mut self.progress)?;
        }
        let positions = self.fitted.len() as u64;
        let total = positions * u64::from(self.plan.epochs);
        progress.stage("training", Some(total), Unit::Positions);
        let done = self.progress.epoch * positions + self.progress.positions;
        if done > 0 {
            progress.note(&format!("{done} positions of {total} are done"));
            progress.advance(done);
        }
        while self.progress.epoch < self.plan.epochs.into() {
            self.epoch()?;
        }
        Ok(())
    }

    /// The rest of an epoch.
    fn epoch(&mut self) -> Result<(), OthelloLearnError> {
        let mut order = self.fitted.clone();
        let seed = SplitMix64::nth(self.plan.seed, self.progress.epoch);
        shuffle(&mut order, &mut SplitMix64::new(seed));
        while self.progress.positions < order.len() as u64 {
            if let Err(cancelled) = self.job.check() {
                self.keep()?;
                return Err(cancelled.into());
            }
            let rest = &order[self.progress.positions as usize..];
            let batch = &rest[..self.plan.batch.min(rest.len())];
            let samples = samples(self.files, batch);
            self.progress.step += 1;
            let step = AdamStep::new(
                self.progress.step,
                self.rate(),
                self.plan.weight_decay,
                samples.len(),
            );
            self.progress.loss += self.trainer.step(&samples, step);
            self.progress.positions += samples.len() as u64;
            self.job.progress.advance(samples.len() as u64);
            if self.progress.step.is_multiple_of(BETWEEN_STATES) {
                self.keep()?;
            }
        }
        let trained = self.progress.loss / order.len().max(1) as f64;
        self.progress.epoch += 1;
        (self.progress.positions, self.progress.loss) = (0, 0.0);
        let at = Some(("epoch", self.progress.epoch as f64));
        let discs = |loss: f64| loss.sqrt() * f64::from(NET_OUTPUT_DISCS);
        self.job.progress.figure("trained rmse", at, discs(trained));
        if !self.held_out.is_empty() {
            let loss = self.trainer.loss(&self.held_out);
            self.job.progress.figure("rmse", at, discs(loss));
        }
        self.keep()
    }

    /// The learning rate of the step at hand.
    fn rate(&self) -> f64 {
        let (peak, last) = self.plan.rates;
        let of_epoch = self.progress.positions as f64 / self.fitted.len().max(1) as f64;
        let done = (self.progress.epoch as f64 + of_epoch) / f64::from(self.plan.epochs.max(1));
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
        let warm_up = (self.progress.step as f64 / WARM_UP).min(1.0);
        warm_up * (last + (peak - last) * cosine)
    }

    /// Keeps the state of the training.
    fn keep(&self) -> Result<(), OthelloLearnError> {
        write_state(&self.state, &self.identity, &self.trainer, &self.progress)
    }

    /// The network, rows that few positions saw nearer to what they were at the beginning.
    fn finished(&mut self) -> NetWeights {
        let trainer = &mut self.trainer;
        let mut seen = vec![0u32; trainer.sizes.rows];
        let mut rows = vec![0; trainer.inputs.places()];
        for &number in &self.fitted {
            trainer
                .inputs
                .of_board(self.files.get(number as usize).board, &mut rows);
            for &row in &rows {
                seen[row as usize] += 1;
            }
        }
        let slices = trainer.params.rows.chunks_exact_mut(trainer.sizes.rows);
        for (numbers, before) in slices.zip(self.initial.rows.chunks_exact(trainer.sizes.rows)) {
            for ((numbers, before), &seen) in numbers.iter_mut().zip(before).zip(&seen) {
                let share = seen as f32 / (seen as f32 + self.plan.rare).max(f32::MIN_POSITIVE);
                for (number, before) in numbers.iter_mut().zip(before) {
                    *number = before + (*number - before) * share;
                }
            }
        }
        trainer.params.net(&trainer.sizes)
    }
}
