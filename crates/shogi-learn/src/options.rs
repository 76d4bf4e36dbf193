//! The options of a training.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pack_format::TeacherFormat;
use shogi_core::{Move, Position};
use shogi_eval::nnue::Network;
use shogi_eval::nnue::arch::Architecture;
use yane_base::lanes::VectorLimit;
use yane_io::{Checksum, RunIdentity};

use crate::average::AverageDecay;
use crate::filter::SampleFilter;
use crate::loss::{LossFunction, WinRate};
use crate::unit::ScoreUnit;
use crate::{LearnError, LearningRate, Optimiser, Result};

/// A training: data, network, rule, and where its files go. [`LearnOptions::new`] has values that are good for little data.
#[expect(
    clippy::struct_excessive_bools,
    reason = "settings that have nothing to do with each other"
)]
#[derive(Clone, Debug)]
pub struct LearnOptions {
    /// The shape of the network.
    pub architecture: Architecture,
    /// Teacher data.
    pub sources: Vec<LearnSource>,
    /// The data on which the network is tested.
    pub validation: LearnValidation,
    /// The folder for networks (`1/nn.bin` after the first epoch, …, `final/nn.bin`) and the checkpoint.
    pub output: PathBuf,
    /// Times that all data are gone through.
    pub epochs: u32,
    /// Positions of a step.
    pub batch: usize,
    /// The rule of the steps.
    pub optimiser: Optimiser,
    /// The learning rate over time.
    pub learning_rate: LearningRate,
    /// Factors of the learning rate: of the feature transformer, then of each affine layer.
    pub rate_scales: [f64; 4],
    /// The decay, in each step, of the moving average of all weights, above 0 and below 1, such as 0.999: networks are tested and written with
    /// these means. `None` for the weights themselves. It cannot go with newbob, nor with [`Self::intervals`].
    pub ema: Option<f64>,
    /// The greatest length of the gradient of all weights in a step: longer ones are shortened to it. `None` leaves them as they are.
    pub clip: Option<f64>,
    /// The training ends after so many epochs in a row that made the validation loss no better. `None` goes through all epochs.
    pub patience: Option<NonZeroU32>,
    /// The target of the network for a position.
    pub target: TargetOptions,
    /// The loss against the target.
    pub loss: LossFunction,
    /// The filter of positions.
    pub filter: SampleFilter,
    /// Weights of positions by ply, ascending: each from its ply on.
    pub ply_weights: Vec<PlyWeight>,
    /// The share of positions that are mirrored left to right, 0 to 1. Others are in each epoch.
    pub mirror: f64,
    /// True if king-relative features share weights while they are trained (factors).
    pub factorise: bool,
    /// True if the network is trained with its weights and activations rounded as in its file ("quantisation-aware").
    pub quantisation_aware: bool,
    /// The network to begin with.
    pub initial: InitialNetwork,
    /// The seed of all random numbers. The same seed, data and options give the same bytes.
    pub seed: u64,
    /// Threads. They change nothing but the time.
    pub threads: usize,
    /// Positions that are mixed with each other: 48 bytes of memory each.
    pub shuffle: usize,
    /// Time between checkpoints within an epoch.
    pub checkpoint_every: Duration,
    /// Begins anew even if there is a checkpoint.
    pub restart: bool,
    /// Tests and writes networks after so many positions, instead of after each epoch.
    pub intervals: Option<LearnIntervals>,
    /// Compares moves at each of these tests.
    pub move_search: Option<MoveSearch>,
    /// True if the rows of features that were never seen are zero in files.
    pub clears_unobserved: bool,
    /// The vector instructions that may be used. They change nothing but the time.
    pub vectors: VectorLimit,
}

/// When a training tests its network and writes it, counted in positions as the classic learner does.
///
/// Networks are numbered from 0, and `newbob` judges them; at the end the last one is the final one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnIntervals {
    /// Positions between two tests ([`LearnEvent::Tested`](crate::LearnEvent::Tested)).
    pub test: u64,
    /// Positions between two networks.
    pub save: u64,
    /// True if networks go into numbered folders and `final`; otherwise each replaces the one in the output folder itself.
    pub folders: bool,
}

impl LearnOptions {
    /// A training of `architecture` with files in `output`: Adam at 0.001 on a cosine, batches of 4,096, eight epochs.
    pub fn new(architecture: Architecture, output: impl Into<PathBuf>) -> Self {
        Self {
            architecture,
            sources: Vec::new(),
            validation: LearnValidation::default(),
            output: output.into(),
            epochs: 8,
            batch: 4096,
            optimiser: Optimiser::default(),
            learning_rate: LearningRate::default(),
            rate_scales: [1.0; 4],
            ema: None,
            clip: None,
            patience: None,
            target: TargetOptions::default(),
            loss: LossFunction::default(),
            filter: SampleFilter::default(),
            ply_weights: Vec::new(),
            mirror: 0.0,
            factorise: true,
            quantisation_aware: true,
            initial: InitialNetwork::Random,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            shuffle: 4 << 20,
            checkpoint_every: Duration::from_secs(600),
            restart: false,
            intervals: None,
            move_search: None,
            clears_unobserved: false,
            vectors: VectorLimit::Best,
        }
    }

    /// Checks everything that can be checked without the data.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(LearnError::Option(text.to_owned()));
        if self.sources.is_empty() {
            return wrong("no teacher data: name at least one file");
        }
        if self.epochs == 0 || self.batch == 0 || self.shuffle == 0 || self.threads == 0 {
            return wrong("epochs, batch, shuffle and threads must be at least 1");
        }
        if self.batch > 1 << 20 {
            return wrong("batch must be at most 1,048,576");
        }
        if self
            .intervals
            .is_some_and(|intervals| intervals.test == 0 || intervals.save == 0)
        {
            return wrong("the intervals of tests and networks must be at least 1");
        }
        if !(0.0..=1.0).contains(&self.mirror) {
            return wrong("mirror must be 0 to 1");
        }
        if let LearnValidation::Split { share, .. } = self.validation
            && !(0.0..1.0).contains(&share)
        {
            return wrong("the share of games for validation must be 0 to below 1");
        }
        if self
            .sources
            .iter()
            .any(|source| source.weight.is_nan() || source.weight <= 0.0)
        {
            return wrong("the weight of a file must be above 0");
        }
        let is_scale = |scale: &f64| *scale >= 0.0 && scale.is_finite();
        if !self.rate_scales.iter().all(is_scale) {
            return wrong("the factors of the learning rate must be at least 0");
        }
        self.filter.check()?;
        if self.clip.is_some_and(|clip| clip.is_nan() || clip <= 0.0) {
            return wrong("the greatest length of a gradient must be above 0");
        }
        if self.patience.is_some() && self.intervals.is_some() {
            return wrong(
                "patience is counted in epochs: it cannot go with intervals of positions",
            );
        }
        if let Some(decay) = self.ema {
            if AverageDecay::new(decay).is_none() {
                return wrong("the decay of the moving average must be above 0 and below 1");
            }
            if self.learning_rate.schedule.newbob().is_some() || self.intervals.is_some() {
                return wrong(
                    "a moving average goes on from step to step: newbob cannot take it back",
                );
            }
        }
        if !self.loss.is_right() {
            return wrong("the exponent of the loss must be 1 to 100");
        }
        self.learning_rate.check()?;
        self.target.check()
    }

    /// The decay of the moving average, if there is one.
    pub(crate) fn average(&self) -> Option<AverageDecay> {
        self.ema.and_then(AverageDecay::new)
    }

    /// The threads.
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
        let failed = |error| LearnError::Option(format!("threads: {error}"));
        pool.build().map_err(failed)
    }

    /// All that decides the bytes that a training of `kind` gives, the contents of its data too.
    pub(crate) fn identity(&self, kind: &str) -> Result<RunIdentity> {
        let Self {
            architecture,
            sources,
            validation,
            output: _,
            epochs,
            batch,
            optimiser,
            learning_rate,
            rate_scales,
            ema,
            clip,
            patience,
            target,
            loss,
            filter,
            ply_weights,
            mirror,
            factorise,
            quantisation_aware,
            initial,
            seed,
            threads: _,
            shuffle,
            checkpoint_every: _,
            restart: _,
            intervals,
            move_search,
            clears_unobserved,
            vectors: _,
        } = self;
        let mut identity = RunIdentity::new(format!("learn {kind} 3"))
            .with("architecture", architecture)
            .with("epochs", epochs)
            .with("batch", batch)
            .with("optimiser", format!("{optimiser:?}"))
            .with("learning rate", format!("{learning_rate:?}"))
            .with("rate scales", format!("{rate_scales:?}"))
            .with("ema", format!("{ema:?}"))
            .with("clip", format!("{clip:?}"))
            .with("patience", format!("{patience:?}"))
            .with("target", format!("{target:?}"))
            .with("loss", format!("{loss:?}"))
            .with("filter", format!("{filter:?}"))
            .with("ply weights", format!("{ply_weights:?}"))
            .with("mirror", mirror)
            .with("factorise", factorise)
            .with("quantisation aware", quantisation_aware)
            .with("seed", seed)
            .with("shuffle", shuffle)
            .with("intervals", format!("{intervals:?}"))
            .with("move search", format!("{move_search:?}"))
            .with("clears unobserved", clears_unobserved);
        match initial {
            InitialNetwork::File(path) => {
                identity.push("initial network", Checksum::of_path(path)?);
            }
            other => identity.push("initial network", format!("{other:?}")),
        }
        match validation {
            LearnValidation::Files(files) => push_sources(&mut identity, "validation", files)?,
            other => identity.push("validation", format!("{other:?}")),
        }
        push_sources(&mut identity, "data", sources)?;
        Ok(identity)
    }

    /// The weight of a position at `ply`.
    pub(crate) fn ply_weight(&self, ply: u16) -> f32 {
        let before = self
            .ply_weights
            .iter()
            .rev()
            .find(|weight| weight.from <= ply);
        before.map_or(1.0, |weight| weight.weight)
    }
}

/// Adds files of teacher data, by their contents.
fn push_sources(identity: &mut RunIdentity, name: &str, sources: &[LearnSource]) -> Result<()> {
    for (number, source) in sources.iter().enumerate() {
        let LearnSource {
            path,
            format,
            weight,
        } = source;
        let contents = Checksum::of_file(path)?;
        let value = format!("{contents} format {format:?} weight {weight}");
        identity.push(&format!("{name} {}", number + 1), value);
    }
    Ok(())
}

/// The network that a training begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitialNetwork {
    /// Random weights by the seed.
    Random,
    /// Weights of zero. Of these the bias of the output alone learns: a start to compare with, no more.
    Zeros,
    /// The network in a file.
    File(PathBuf),
}

/// A file of teacher data. Of hcpe3 files, plies without candidates are left out: the format says that they are not to be learnt from.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnSource {
    /// The file: pack, hcpe, hcpe3 or psv.
    pub path: PathBuf,
    /// Its format; `None` for what its name says.
    pub format: Option<TeacherFormat>,
    /// The weight of its positions in the loss, 1 by default.
    pub weight: f32,
}

impl LearnSource {
    /// A file of the format that its name says, with weight 1.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            weight: 1.0,
        }
    }

    /// Its format.
    pub(crate) fn format(&self) -> Result<TeacherFormat> {
        let format = self.format.or_else(|| TeacherFormat::of_path(&self.path));
        match format {
            Some(TeacherFormat::Jsonl | TeacherFormat::Csv) | None => {
                Err(LearnError::Option(format!(
                    "{}: to learn from are pack, hcpe, hcpe3 and psv files (teacher convert makes them)",
                    self.path.display()
                )))
            }
            Some(format) => Ok(format),
        }
    }
}

/// The data on which a network is tested.
#[derive(Clone, Debug, PartialEq)]
pub enum LearnValidation {
    /// This share of the games of the teacher data, which are not trained on; at most `positions` positions.
    ///
    /// Games are told apart in pack and hcpe3 files, and in psv files by plies that start anew. What else there is, is taken in
    /// blocks; of files that are shuffled, positions of one game come to both sides, and the test is too kind.
    Split {
        /// The share, below 1.
        share: f64,
        /// The most positions.
        positions: usize,
    },
    /// The first records of the first file, which are not trained on; for files of records (psv and hcpe).
    First(u64),
    /// Files of their own.
    Files(Vec<LearnSource>),
}

impl Default for LearnValidation {
    fn default() -> Self {
        Self::Split {
            share: 0.02,
            positions: 100_000,
        }
    }
}

/// The target of a network: a mixture of the teacher's score and the game's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetOptions {
    /// The weight of the score.
    pub lambda: Lambda,
    /// Its weight at the end of the training, to which it moves evenly over all positions of all epochs; `None` if it stays.
    pub lambda_end: Option<Lambda>,
    /// The scale on which scores are winning rates.
    pub scale: TeacherScale,
    /// The scale at the end of the training, to which it moves evenly over all positions of all epochs; `None` if it stays.
    pub scale_end: Option<f64>,
    /// The offset of wins and losses in internal units, 0 or above: a score is a win by the logistic curve of `score - offset`, a loss by that of
    /// `-score - offset`, and half of a win otherwise (nnue-pytorch, 270). 0 is the logistic curve of the score. Others need a scale that is
    /// not fitted.
    pub offset: f64,
    /// The scale by which the network's values are winning rates; `None` for that of scores.
    pub scale_out: Option<f64>,
    /// The offset by which the network's values are winning rates; `None` for that of scores.
    pub offset_out: Option<f64>,
    /// The unit of scores in the data.
    pub unit: ScoreUnit,
    /// The part taken from the winner and given to the loser (label smoothing): 0 to below 0.5.
    pub smoothing: f64,
    /// The weight of scores of at least this size (in the unit of the data) instead of `lambda`.
    pub large_scores: Option<(u16, f64)>,
    /// The plies of the game behind a position whose scores count with its own, at most [`MAX_AHEAD`](Self::MAX_AHEAD).
    ///
    /// A shallow search favours the side to move, and so does an evaluation that learns its scores. The scores of neighbouring plies err
    /// in opposite directions: their mean, with the weights of the binomial distribution, does not. It also knows what the game brought. Scores
    /// beyond [`Self::CLEAR`] end the plies that count. Needs data that tell games: pack, hcpe3.
    pub ahead: u8,
}

impl TargetOptions {
    /// Most plies of [`Self::ahead`].
    pub const MAX_AHEAD: u8 = 16;
    /// A score, in the unit of the data, beyond which a game is decided.
    pub const CLEAR: i16 = 3000;
}

impl Default for TargetOptions {
    fn default() -> Self {
        Self {
            lambda: Lambda::constant(0.9),
            lambda_end: None,
            scale: TeacherScale::Fitted,
            scale_end: None,
            offset: 0.0,
            scale_out: None,
            offset_out: None,
            unit: ScoreUnit::Centipawns,
            smoothing: 0.0,
            large_scores: None,
            ahead: 0,
        }
    }
}

impl TargetOptions {
    fn check(&self) -> Result<()> {
        let is_share = |lambda: f64| (0.0..=1.0).contains(&lambda);
        let is_scale = |scale: f64| scale > 0.0 && scale.is_finite();
        let lambdas = [Some(self.lambda), self.lambda_end]
            .into_iter()
            .flatten()
            .all(|lambda| {
                is_share(lambda.start) && is_share(lambda.end) && lambda.from <= lambda.to
            })
            && self.large_scores.is_none_or(|(_, lambda)| is_share(lambda));
        let scale = match self.scale {
            TeacherScale::Fitted => true,
            TeacherScale::Fixed(scale) => is_scale(scale),
        } && self.scale_end.is_none_or(is_scale)
            && self.scale_out.is_none_or(is_scale);
        let is_offset = |offset: f64| offset >= 0.0 && offset.is_finite();
        if !is_offset(self.offset) || !self.offset_out.is_none_or(is_offset) {
            return Err(LearnError::Option(
                "the offset must be at least 0".to_owned(),
            ));
        }
        if self.offset > 0.0 && self.scale == TeacherScale::Fitted {
            let text = "with an offset, the scale cannot be fitted: a number is needed for it";
            return Err(LearnError::Option(text.to_owned()));
        }
        if self.ahead > Self::MAX_AHEAD {
            let most = Self::MAX_AHEAD;
            return Err(LearnError::Option(format!("at most {most} plies ahead")));
        }
        if lambdas && scale && (0.0..0.5).contains(&self.smoothing) {
            return Ok(());
        }
        let text =
            "lambda must be 0 to 1, the scale above 0, and the label smoothing 0 to below 0.5";
        Err(LearnError::Option(text.to_owned()))
    }
}

impl TargetOptions {
    /// The weight of the score at `ply`, when `done` (0 to 1) of the training is done.
    pub(crate) fn lambda_at(&self, ply: u16, done: f64) -> f64 {
        let lambda = self.lambda.at(ply);
        let end = self.lambda_end.map(|end| end.at(ply));
        between(lambda, end, done)
    }

    /// The winning rate of scores when `done` (0 to 1) of the training is done, which began with the scale `first`.
    pub(crate) fn rate_at(&self, first: f64, done: f64) -> WinRate {
        WinRate {
            scale: between(first, self.scale_end, done),
            offset: self.offset,
        }
    }

    /// The winning rate of the network's values, when that of scores is `teacher`.
    pub(crate) fn rate_out(&self, teacher: WinRate) -> WinRate {
        WinRate {
            scale: self.scale_out.unwrap_or(teacher.scale),
            offset: self.offset_out.unwrap_or(teacher.offset),
        }
    }
}

/// The number on the way from `first` to `end`, if it moves, when `done` (0 to 1) of the way is gone.
fn between(first: f64, end: Option<f64>, done: f64) -> f64 {
    end.map_or(first, |end| first + (end - first) * done)
}

/// The weight of the score in the target, which may change with the ply: 1 is the score alone, 0 the result alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lambda {
    /// The weight up to ply `from`.
    pub start: f64,
    /// The weight from ply `to` on. In between it changes evenly.
    pub end: f64,
    /// See `start`.
    pub from: u16,
    /// See `end`.
    pub to: u16,
}

impl Lambda {
    /// The same weight at all plies.
    pub const fn constant(lambda: f64) -> Self {
        Self {
            start: lambda,
            end: lambda,
            from: 0,
            to: 0,
        }
    }

    /// The weight at `ply`.
    pub(crate) fn at(self, ply: u16) -> f64 {
        if ply <= self.from {
            self.start
        } else if ply >= self.to {
            self.end
        } else {
            let part = f64::from(ply - self.from) / f64::from(self.to - self.from);
            self.start + (self.end - self.start) * part
        }
    }
}

/// The scale `s` by which a score is a winning rate: 1 / (1 + e^(-score / s)), in internal units (a pawn is 90).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TeacherScale {
    /// That which predicts the results of the data best.
    Fitted,
    /// This one; 600 is usual.
    Fixed(f64),
}

/// A search with a network that is being trained: the move that it chooses in each position (no move at all if it cannot be made), to be
/// compared with the teacher's ([`TestReport::move_accuracy`](crate::TestReport::move_accuracy)).
#[derive(Clone)]
pub struct MoveSearch(pub Arc<MoveSearchFn>);

/// See [`MoveSearch`]. An error ([`LearnError::Search`]) ends the training with a checkpoint.
pub type MoveSearchFn = dyn Fn(Network, &[Position]) -> Result<Vec<Option<Move>>> + Send + Sync;

impl fmt::Debug for MoveSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MoveSearch")
    }
}

/// A weight of positions from a ply on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlyWeight {
    /// The ply.
    pub from: u16,
    /// The weight.
    pub weight: f32,
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the results are exact")]
mod tests {
    use super::*;
    use crate::RateSchedule;

    #[test]
    fn lambda_changes_between_plies() {
        let lambda = Lambda {
            start: 1.0,
            end: 0.0,
            from: 100,
            to: 120,
        };
        assert_eq!(
            [1, 100, 110, 120, 999].map(|ply| lambda.at(ply)),
            [1.0, 1.0, 0.5, 0.0, 0.0]
        );
        assert_eq!(Lambda::constant(0.7).at(0), 0.7);
    }

    #[test]
    fn lambda_and_scale_change_over_the_training() {
        let mut target = TargetOptions::default();
        let scale = |target: &TargetOptions, done| target.rate_at(500.0, done).scale;
        assert_eq!(
            (target.lambda_at(5, 1.0), scale(&target, 1.0)),
            (0.9, 500.0)
        );
        target.lambda = Lambda::constant(1.0);
        target.lambda_end = Some(Lambda {
            start: 0.5,
            end: 0.0,
            from: 100,
            to: 120,
        });
        target.scale_end = Some(900.0);
        assert_eq!(
            [0.0, 0.5, 1.0].map(|done| target.lambda_at(90, done)),
            [1.0, 0.75, 0.5]
        );
        assert_eq!(target.lambda_at(110, 0.5), 0.625);
        assert_eq!(
            [0.0, 0.25, 1.0].map(|done| scale(&target, done)),
            [500.0, 600.0, 900.0]
        );
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        let good = || {
            let mut options = LearnOptions::new("kp_32x2-8-8".parse().unwrap(), "out");
            options.sources.push(LearnSource::new("a.pack"));
            options
        };
        good().check().unwrap();
        let changes: [fn(&mut LearnOptions); 18] = [
            |options| options.sources.clear(),
            |options| options.epochs = 0,
            |options| options.mirror = 1.5,
            |options| {
                options.validation = LearnValidation::Split {
                    share: 1.0,
                    positions: 10,
                };
            },
            |options| options.learning_rate.peak = -1.0,
            |options| options.target.lambda.start = 2.0,
            |options| options.target.scale = TeacherScale::Fixed(0.0),
            |options| options.sources[0].weight = f32::NAN,
            |options| options.target.lambda_end = Some(Lambda::constant(-0.1)),
            |options| options.target.scale_end = Some(0.0),
            |options| options.clip = Some(0.0),
            |options| options.filter.upsets = Some(crate::Upsets::From(0)),
            |options| options.target.offset = 10.0,
            |options| options.target.offset_out = Some(-1.0),
            |options| options.target.scale_out = Some(f64::NAN),
            |options| options.loss = LossFunction::Power(0.5),
            |options| options.ema = Some(1.0),
            |options| {
                options.ema = Some(0.9);
                options.learning_rate.schedule = RateSchedule::Newbob {
                    factor: 0.5,
                    trials: 2,
                };
            },
        ];
        for change in changes {
            let mut options = good();
            change(&mut options);
            assert!(options.check().is_err(), "{options:?}");
        }
    }
}
