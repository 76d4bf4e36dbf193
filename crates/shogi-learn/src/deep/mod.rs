//! Training of policy and value networks: residual networks in dlshogi's shape, written as ONNX files.

mod kernels;
mod network;
mod norm;
mod shape;
mod tensors;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use shogi_core::Move16;
use shogi_deep::{
    InputPlanes, NativeNetwork, NetworkModel, OnnxForm, PolicyLabel, PolicyValue, ResidualNetwork,
};
use yane_base::lanes::{LANES, LaneLevel, Lanes};
use yane_io::{AtomicFile, Checksum, RunIdentity};

use crate::checkpoint::{Parsed, Progress, Reader, Writer};
use crate::data::{Drawn, Record, mirrored};
use crate::epochs::{Examples, Learner, train_epochs};
use crate::event::{LearnEvent, LearnReport, PolicyTest};
use crate::loss::LossSum;
use crate::options::{LearnOptions, LearnValidation};
use crate::samples::Sampler;
use crate::{LearnError, Result};
use kernels::Descent;
use network::{DeepSample, GROUP, Layout, Numbers, Transposed, Workspace};
use norm::ChannelSums;
pub use shape::{DeepShape, ShapeError};

/// The name of a network's file.
const MODEL: &str = "model.onnx";

/// Positions, the last that were trained on, from which the statistics of batch normalisation are taken.
const RECENT: usize = 64 * GROUP;

/// Networks that count for the mean of networks.
const AVERAGED: u32 = 10;

/// Positions that one thread tests at once.
const CHUNK: usize = 256;

/// A training of a policy and value network.
#[derive(Clone, Debug)]
pub struct DeepLearnOptions {
    /// The shape of the network.
    pub shape: DeepShape,
    /// A network of this training's own files to begin with; `None` for random numbers.
    pub initial: Option<PathBuf>,
    /// The momentum of gradient descent (Nesterov's).
    pub momentum: f32,
    /// The decay of all weights.
    pub weight_decay: f32,
    /// Steps between networks whose mean is the result (stochastic weight averaging); 0 for the last network itself.
    pub average_every: u32,
    /// The form of the result.
    pub form: OnnxForm,
    /// Data, target, filters, learning rate, epochs, batch, seed, threads and output. The architecture, initial network, optimiser and
    /// factors of other networks are not looked at, and leaves are not looked for.
    pub common: LearnOptions,
}

impl DeepLearnOptions {
    /// A training with files in `output`: the numbers of dlshogi's trainer (momentum 0.9, decay 10⁻⁴, gradients up to 10, a third of the
    /// value's target the score) but batches of 256 and a rate of 0.02 on a cosine, which little data want.
    ///
    /// # Panics
    /// Never.
    pub fn new(shape: DeepShape, output: impl Into<PathBuf>) -> Self {
        let any = "kp_32x2-8-8".parse().expect("a known architecture");
        let mut common = LearnOptions::new(any, output);
        common.batch = 256;
        common.epochs = 1;
        common.learning_rate.peak = 0.02;
        common.clip = Some(10.0);
        common.target.lambda = crate::Lambda::constant(0.333);
        common.validation = LearnValidation::Split {
            share: 0.02,
            positions: 10_000,
        };
        Self {
            shape,
            initial: None,
            momentum: 0.9,
            weight_decay: 1e-4,
            average_every: 100,
            form: OnnxForm::default(),
            common,
        }
    }

    fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(LearnError::Option(text.to_owned()));
        if !(0.0..1.0).contains(&self.momentum) {
            return wrong("the momentum must be 0 to below 1");
        }
        if !(0.0..1.0).contains(&self.weight_decay) {
            return wrong("the weight decay must be 0 to below 1");
        }
        if self.common.learning_rate.schedule.newbob().is_some() {
            return wrong("a policy cannot be learnt with newbob");
        }
        if self.common.filter.leaf.is_some() {
            return wrong(
                "a policy is learnt for the position of the move: leaves cannot be looked for",
            );
        }
        Ok(())
    }

    fn identity(&self) -> Result<RunIdentity> {
        let Self {
            shape,
            initial,
            momentum,
            weight_decay,
            average_every,
            form: _,
            common,
        } = self;
        let initial = initial.as_deref().map(Checksum::of_file).transpose()?;
        let initial = initial.map_or_else(|| "random".to_owned(), |model| model.to_string());
        let identity = common.identity("policy and value")?;
        Ok(identity
            .with("shape", shape)
            .with("initial model", initial)
            .with("momentum", momentum)
            .with("weight decay", weight_decay)
            .with("average every", average_every))
    }

    /// The numbers to begin with.
    fn numbers(&self, layout: &Layout) -> Result<Vec<Lanes>> {
        let Some(path) = &self.initial else {
            return Ok(tensors::random(layout, self.common.seed));
        };
        let refused = |reason: String| LearnError::Network {
            path: path.clone(),
            reason,
        };
        let bytes = std::fs::read(path).map_err(yane_io::Error::io(path))?;
        let network =
            ResidualNetwork::from_onnx(&bytes).map_err(|error| refused(error.to_string()))?;
        let found = DeepShape {
            format: network.format,
            blocks: network.blocks.len(),
            channels: network.channels,
            value_units: network.value_units,
        };
        if found != self.shape {
            return Err(refused(format!("it is {found}, expected {}", self.shape)));
        }
        Ok(tensors::numbers_of(layout, &network))
    }
}

/// Trains a policy and value network, or goes on with a training as [`crate::learn`] does. The one of the best epoch so far is in the folder
/// `final` of the output, as `model.onnx`.
///
/// When `stop` becomes true, the training ends after the current step with a checkpoint.
///
/// # Errors
/// When options make no sense, data are damaged or nothing is left of them, or files cannot be read or written.
pub fn learn_deep(
    options: &DeepLearnOptions,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(LearnEvent),
) -> Result<LearnReport> {
    options.check()?;
    let layout = Arc::new(Layout::new(options.shape));
    let blank = || DeepLearner::new(options, Arc::clone(&layout));
    let initial = |learner: &mut DeepLearner<'_>| {
        learner.lanes = options.numbers(&layout)?;
        Ok(())
    };
    let (report, _) = train_epochs(
        &options.common,
        options.identity()?,
        (blank, initial),
        stop,
        on_event,
    )?;
    Ok(report)
}

/// A network that learns.
struct DeepLearner<'a> {
    options: &'a DeepLearnOptions,
    layout: Arc<Layout>,
    level: LaneLevel,
    lanes: Vec<Lanes>,
    momenta: Vec<Lanes>,
    /// The mean of networks, and how many it is of.
    average: Vec<Lanes>,
    averaged: u32,
    /// Records that were trained on last.
    recent: VecDeque<Record>,
    workspaces: Mutex<Vec<Workspace>>,
    /// The network that was tested last.
    tested: Mutex<Option<ResidualNetwork>>,
}

impl<'a> DeepLearner<'a> {
    fn new(options: &'a DeepLearnOptions, layout: Arc<Layout>) -> Self {
        let zeros = || vec![[0.0; LANES]; layout.len];
        Self {
            options,
            level: LaneLevel::within(options.common.vectors),
            lanes: zeros(),
            momenta: zeros(),
            average: zeros(),
            averaged: 0,
            recent: VecDeque::new(),
            workspaces: Mutex::default(),
            tested: Mutex::default(),
            layout,
        }
    }

    fn numbers<'b>(&'b self, lanes: &'b [Lanes]) -> Numbers<'b> {
        Numbers {
            layout: &self.layout,
            lanes,
            level: self.level,
        }
    }

    /// Runs `work` with a workspace, which may have been used before.
    fn with_workspace<T>(&self, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let lock = || {
            self.workspaces
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let known = lock().pop();
        let mut workspace = known.unwrap_or_else(|| Workspace::new(self.options.shape));
        let result = work(&mut workspace);
        lock().push(workspace);
        result
    }

    /// Loss and gradient of a batch, the mean over its positions.
    fn gradient(&self, samples: &[DeepSample]) -> (LossSum, Vec<Lanes>) {
        let numbers = self.numbers(&self.lanes);
        let transposed = Transposed::new(numbers);
        let scale = 1.0 / samples.len() as f32;
        let groups: Vec<(LossSum, Vec<Lanes>)> = samples
            .par_chunks(GROUP)
            .map(|samples| {
                let mut gradient = vec![[0.0; LANES]; self.layout.len];
                let loss = self.with_workspace(|workspace| {
                    workspace.forward(numbers, samples);
                    workspace.backward(numbers, &transposed, samples, scale, &mut gradient)
                });
                (loss, gradient)
            })
            .collect();
        let mut groups = groups.into_iter();
        let (mut loss, mut gradient) = groups.next().unwrap_or_default();
        for (of_group, part) in groups {
            loss.add(of_group);
            let sums = gradient.as_flattened_mut().iter_mut();
            sums.zip(part.as_flattened())
                .for_each(|(sum, part)| *sum += part);
        }
        (loss, gradient)
    }

    fn descend(&mut self, gradient: &[Lanes], rate: f64, step: u32) {
        let squares = gradient
            .as_flattened()
            .iter()
            .map(|&slope| f64::from(slope).powi(2));
        let length = squares.sum::<f64>().sqrt();
        let clip = self.options.common.clip;
        self.level.run(Descent {
            weights: &mut self.lanes,
            momenta: &mut self.momenta,
            gradient,
            factor: clip.map_or(1.0, |clip| (clip / length).min(1.0)) as f32,
            rate: rate as f32,
            momentum: self.options.momentum,
            decay: self.options.weight_decay,
        });
        let every = self.options.average_every;
        if every > 0 && step.is_multiple_of(every) {
            self.averaged = (self.averaged + 1).min(AVERAGED);
            let share = 1.0 / self.averaged as f32;
            let means = self.average.as_flattened_mut().iter_mut();
            for (mean, &number) in means.zip(self.lanes.as_flattened()) {
                *mean += (number - *mean) * share;
            }
        }
    }

    /// The network as it is to be used, with the statistics of positions; `None` without any.
    fn network(&self, samples: &[DeepSample]) -> Option<ResidualNetwork> {
        let lanes = if self.averaged > 0 {
            &self.average
        } else {
            &self.lanes
        };
        let numbers = self.numbers(lanes);
        let groups: Vec<Vec<ChannelSums>> = samples
            .par_chunks(GROUP)
            .map(|samples| {
                self.with_workspace(|workspace| {
                    workspace.forward(numbers, samples);
                    workspace.statistics()
                })
            })
            .collect();
        let statistics = groups.into_iter().reduce(|mut all, group| {
            all.iter_mut()
                .zip(&group)
                .for_each(|(all, group)| all.add(group));
            all
        });
        Some(tensors::network(&self.layout, lanes, &statistics?))
    }

    /// Samples of the positions whose statistics count: those that were trained on last, before that those to test on.
    fn recent(&self, examples: &Examples, tests: &[Record]) -> Result<Vec<DeepSample>> {
        if self.recent.is_empty() {
            let tests = &tests[..tests.len().min(RECENT)];
            let sample = |record| sample(&examples.tester, record, &[], None);
            return tests.par_iter().map(sample).collect();
        }
        let records: Vec<_> = self.recent.iter().collect();
        let sample = |&record: &_| sample(&examples.sampler, record, &[], None);
        records.par_iter().map(sample).collect()
    }
}

/// The sample of a record, whose policy are the visits of moves where there are some; some are mirrored in an epoch, none without.
fn sample(
    sampler: &Sampler,
    record: &Record,
    visits: &[(Move16, u16)],
    epoch: Option<u32>,
) -> Result<DeepSample> {
    let position = sampler.open(record)?;
    let target = sampler.target(record);
    let is_mirrored = epoch.is_some_and(|epoch| sampler.is_mirrored(record, epoch));
    let label = |mv| {
        let label = PolicyLabel::new(position.move_from_16(mv)?);
        let label = if is_mirrored { label.mirror() } else { label };
        Some(label.index() as u16)
    };
    let sum: f32 = visits.iter().map(|&(_, count)| f32::from(count)).sum();
    let policy = if sum > 0.0 {
        let visited = visits.iter().filter(|(_, count)| *count > 0);
        let share = |&(mv, count): &_| Some((label(mv)?, f32::from(count) / sum));
        visited.filter_map(share).collect()
    } else {
        label(record.mv())
            .map(|label| (label, 1.0))
            .into_iter()
            .collect()
    };
    let planes = if is_mirrored {
        InputPlanes::new(&mirrored(&position))
    } else {
        InputPlanes::new(&position)
    };
    Ok(DeepSample {
        planes,
        policy,
        value: target.value,
        weight: target.weight,
    })
}

/// Sums of a test.
#[derive(Clone, Copy, Debug, Default)]
struct TestSums {
    loss: LossSum,
    /// Positions with a move, those whose move the policy has first, and the loss of the policy there.
    moves: f64,
    found: f64,
    policy: f64,
    /// Positions, those of games that somebody won, those whose winner the value has, and the loss of the value.
    positions: f64,
    decided: f64,
    right: f64,
    value: f64,
}

impl TestSums {
    fn add(&mut self, other: &Self) {
        self.loss.add(other.loss);
        self.moves += other.moves;
        self.found += other.found;
        self.policy += other.policy;
        self.positions += other.positions;
        self.decided += other.decided;
        self.right += other.right;
        self.value += other.value;
    }

    /// Adds what a network says of a position.
    fn count(&mut self, sampler: &Sampler, record: &Record, said: &PolicyValue) -> Result<()> {
        let position = sampler.open(record)?;
        let target = sampler.target(record);
        let weight = f64::from(target.weight);
        // As far from certainty as 32 bits can tell.
        let rate = f64::from(said.value).clamp(1e-7, 1.0 - 1e-7);
        let value_loss = |target: f64| -target * rate.ln() - (1.0 - target) * (1.0 - rate).ln();
        let mut cross_entropy = value_loss(target.value.into());
        if let Some(m) = position.move_from_16(record.mv()) {
            let label = PolicyLabel::new(m).index();
            let largest = said
                .logits
                .iter()
                .copied()
                .fold(f32::NEG_INFINITY, f32::max);
            let exponents = said
                .logits
                .iter()
                .map(|&logit| f64::from(logit - largest).exp());
            let loss = exponents.sum::<f64>().ln() - f64::from(said.logits[label] - largest);
            self.moves += 1.0;
            self.found += f64::from(u8::from(said.logits[label] >= largest));
            self.policy += loss;
            cross_entropy += loss;
        }
        self.loss.add(LossSum {
            cross_entropy: cross_entropy * weight,
            entropy: crate::loss::entropy(target.value.into()) * weight,
            weight,
        });
        self.positions += 1.0;
        if record.outcome != 0 {
            self.decided += 1.0;
            self.right += f64::from(u8::from((said.value > 0.5) == (record.outcome > 0)));
        }
        self.value += value_loss(target.result.into());
        Ok(())
    }

    fn policy_test(&self) -> Option<PolicyTest> {
        (self.positions > 0.0).then(|| PolicyTest {
            accuracy: self.found / self.moves.max(1.0),
            loss: self.policy / self.moves.max(1.0),
            value_accuracy: self.right / self.decided.max(1.0),
            value_loss: self.value / self.positions,
        })
    }
}

impl Learner for DeepLearner<'_> {
    const VISITS: bool = true;

    fn rate(&self, progress: &Progress, done: f64) -> f64 {
        let rate = self.options.common.learning_rate;
        rate.at(progress.step + 1, done, progress.epoch, 1.0)
    }

    fn step(
        &mut self,
        examples: &Examples,
        drawn: &Drawn,
        progress: &Progress,
        rate: f64,
    ) -> Result<LossSum> {
        let records = &drawn.records;
        let samples: Result<Vec<_>> = records
            .par_iter()
            .zip(&drawn.visits)
            .map(|(record, visits)| sample(&examples.sampler, record, visits, Some(progress.epoch)))
            .collect();
        let (loss, gradient) = self.gradient(&samples?);
        self.descend(&gradient, rate, progress.step + 1);
        self.recent.extend(records);
        let more = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..more);
        Ok(loss)
    }

    fn loss(&self, examples: &Examples, records: &[Record]) -> Result<LossSum> {
        Ok(self.test(examples, records)?.0)
    }

    fn test(
        &self,
        examples: &Examples,
        records: &[Record],
    ) -> Result<(LossSum, Option<PolicyTest>)> {
        let Some(network) = self.network(&self.recent(examples, records)?) else {
            return Ok((LossSum::default(), None));
        };
        // The file itself is tested: it is what was learnt.
        let bytes = network.to_onnx(self.options.form);
        let model = NetworkModel::from_bytes(&bytes).map_err(|error| LearnError::Network {
            path: MODEL.into(),
            reason: error.to_string(),
        })?;
        let native = NativeNetwork::new(Arc::new(model), 1, self.options.common.vectors);
        let chunks: Result<Vec<TestSums>> = records
            .par_chunks(CHUNK)
            .map(|records| {
                let (mut native, mut said) = (native.clone(), PolicyValue::default());
                let mut sums = TestSums::default();
                for record in records {
                    let planes = InputPlanes::new(&examples.tester.open(record)?);
                    native.evaluate_features(&planes, &mut said);
                    sums.count(&examples.tester, record, &said)?;
                }
                Ok(sums)
            })
            .collect();
        let mut sums = TestSums::default();
        chunks?.iter().for_each(|chunk| sums.add(chunk));
        *self.tested.lock().unwrap_or_else(PoisonError::into_inner) = Some(network);
        Ok((sums.loss, sums.policy_test()))
    }

    fn keep(&mut self, folder: &Path) -> Result<bool> {
        let tested = self
            .tested
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(network) = tested.take() else {
            return Ok(false);
        };
        let mut file = AtomicFile::create(&folder.join(MODEL))?;
        file.put(&network.to_onnx(self.options.form))?;
        file.commit()?;
        Ok(true)
    }

    fn write(&self, writer: &mut Writer) -> Result<()> {
        for lanes in [&self.lanes, &self.momenta, &self.average] {
            writer.numbers(lanes.as_flattened())?;
        }
        writer.bytes(&self.averaged.to_le_bytes())?;
        writer.bytes(&(self.recent.len() as u32).to_le_bytes())?;
        for record in &self.recent {
            writer.bytes(&record.to_bytes())?;
        }
        Ok(())
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        for lanes in [&mut self.lanes, &mut self.momenta, &mut self.average] {
            reader.numbers(lanes.as_flattened_mut())?;
        }
        self.averaged = reader.u32()?;
        let recent = reader.u32()? as usize;
        let records = reader.bytes(recent.saturating_mul(Record::LEN))?;
        self.recent = records
            .as_chunks()
            .0
            .iter()
            .map(Record::from_bytes)
            .collect();
        if reader.is_at_end() {
            Ok(())
        } else {
            Err("the checkpoint is damaged: its size is not that of the network")
        }
    }
}
