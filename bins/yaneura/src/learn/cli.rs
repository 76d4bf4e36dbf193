//! The arguments of `learn` in their present form.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use shogi_eval::kppt::KpptLayout;
use shogi_learn::{
    DeepLearnOptions, DeepShape, InitialNetwork, KpptLearnOptions, LearnOptions, LearnSource,
    LearnValidation, LearningRate, OnnxForm, Optimiser, PositionalLearnOptions, TargetOptions,
};
use yane_cli::EventArgs;
use yane_io::text_of_name;

use super::kind::{EvaluationKind, table};
use super::values::{
    LambdaText, LossText, OptimiserName, PlyWeightText, ScaleText, Schedule, UnitName, UpsetsText,
    WeightedFile,
};

/// Learn an evaluation from teacher data: a network (NNUE), three-piece tables (KPPT), the numbers of the positional
/// evaluation, or a policy and value network for the deep engine (ONNX).
///
/// Reads pack, hcpe, hcpe3 and psv files as a stream and writes DIR/1/nn.bin, DIR/2/nn.bin, … after each
/// epoch and DIR/final/nn.bin at the end; three-piece tables, `positional.params` and `model.onnx` go to DIR/final. Ctrl-C saves a checkpoint; the same command resumes, also after a crash.
/// The same seed gives the same bytes on any number of threads.
///
/// The words of the classic command (learn targetdir D loop N ... FILE...) are understood as well: see
/// docs/learning.md.
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[derive(Clone, Debug, Parser)]
#[command(name = "yaneura learn", after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct Cli {
    /// Teacher data; FILE*0.5 halves the weight of its positions
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    train: Vec<WeightedFile>,
    /// Data to test on: files, or the share of the training games that is kept back
    #[arg(long, num_args = 1.., value_name = "FILE|N%", default_value = "2%")]
    valid: Vec<OsString>,
    /// Architecture of the network; kppt or `kpp_kkpt` for three-piece tables, positional for the evaluation without files,
    /// resnet5x32 (blocks x channels; `_fc64`, `_wcsc35`) for a policy and value network
    #[arg(long, value_name = "NAME", default_value = "kp_256x2-32-32")]
    arch: EvaluationKind,
    /// Number of times that all data are read [default: 8; for policies 1]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Positions of a step [default: 4096; for policies 256]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// Folder for networks and the checkpoint
    #[arg(long, short, value_name = "DIR", default_value = "evalsave")]
    pub(super) output: PathBuf,
    /// Start: random (networks), zero (networks, tables), or a network's file, the folder of tables or of `positional.params`
    /// [default: random for networks, zero for tables, the built-in numbers for positional]
    #[arg(long, value_name = "random|zero|FILE")]
    init: Option<PathBuf>,
    /// What stays as it is: the tables kk, kkp, kpp; numbers of the positional evaluation, such as piece or `guard_gold`
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    freeze: Vec<String>,

    /// Learning rate after the warm-up [default: 0.001; for tables 30; for positional 0.3; for policies 0.02]
    #[arg(long, value_name = "RATE", help_heading = "Steps")]
    lr: Option<f64>,
    /// Steps in which the rate rises to it
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Steps")]
    warm_up: u32,
    /// Course of the rate: constant, `cosine[:END]`, step:FACTOR:EPOCHS, newbob:FACTOR:TRIALS
    #[arg(
        long,
        value_name = "COURSE",
        default_value = "cosine:0.02",
        help_heading = "Steps"
    )]
    schedule: Schedule,
    /// Rule of the steps
    #[arg(long, value_enum, default_value = "adam", help_heading = "Steps")]
    optimiser: OptimiserName,
    /// Weight decay of adamw and of policies [default: 0.01; for policies 0.0001]
    #[arg(long, value_name = "DECAY", help_heading = "Steps")]
    weight_decay: Option<f32>,
    /// Momentum of sgd and of policies [default: 0; for policies 0.9]
    #[arg(long, value_name = "SHARE", help_heading = "Steps")]
    momentum: Option<f32>,
    /// Networks: moving average of all weights, which is the result; its decay in each step, such as 0.999
    #[arg(long, value_name = "DECAY", help_heading = "Steps")]
    ema: Option<f64>,
    /// Train the features of each king square apart from the start (no factoriser)
    #[arg(long, help_heading = "Steps")]
    no_factors: bool,

    /// Policies: steps between networks whose mean is the result, 0 for the last one itself
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Steps")]
    average: u32,
    /// Greatest length of the gradient of a step: longer ones are shortened to it [default: none; for policies 10]
    #[arg(long, value_name = "LENGTH", help_heading = "Steps")]
    clip: Option<f64>,
    /// End after so many epochs in a row that made the validation loss no better
    #[arg(long, value_name = "EPOCHS", help_heading = "Steps")]
    patience: Option<NonZeroU32>,

    /// Weight of the score in the target: 1 the score alone, 0 the result alone; or A:B:FROM:TO, from A at ply FROM to B at ply TO
    /// [default: 0.9; for policies 0.333]
    #[arg(long, value_name = "L", help_heading = "Target")]
    lambda: Option<LambdaText>,
    /// The same at the end of the training, to which it moves evenly
    #[arg(long, value_name = "L", help_heading = "Target")]
    lambda_end: Option<LambdaText>,
    /// Score in internal units at which the winning rate is 73 %; auto fits it to the results of the data
    #[arg(
        long,
        value_name = "auto|N",
        default_value = "auto",
        help_heading = "Target"
    )]
    scale: ScaleText,
    /// The same at the end of the training, to which it moves evenly
    #[arg(long, value_name = "N", help_heading = "Target")]
    scale_end: Option<f64>,
    /// Two-sided winning rate: a score wins by the curve of score - N, loses by that of -score - N, is drawn otherwise; in internal units
    #[arg(long, value_name = "N", default_value_t = 0.0, help_heading = "Target")]
    offset: f64,
    /// Scale of the network's values [default: that of the scores]
    #[arg(long, value_name = "N", help_heading = "Target")]
    scale_out: Option<f64>,
    /// Offset of the network's values [default: that of the scores]
    #[arg(long, value_name = "N", help_heading = "Target")]
    offset_out: Option<f64>,
    /// Loss: entropy, or power:N for the difference of the winning rates to the power of N
    #[arg(
        long,
        value_name = "entropy|power:N",
        default_value = "entropy",
        help_heading = "Target"
    )]
    loss: LossText,
    /// Unit of the scores: cp (a pawn is 100), internal (a pawn is 90)
    #[arg(long, value_enum, default_value = "cp", help_heading = "Target")]
    unit: UnitName,
    /// Label smoothing of results
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        help_heading = "Target"
    )]
    smoothing: f64,
    /// Plies of the game behind a position whose scores count with its own (pack, hcpe3): a shallow search favours the side to move, and
    /// their mean does not
    #[arg(long, value_name = "PLIES", default_value_t = 0, help_heading = "Target",
          value_parser = clap::value_parser!(u8).range(..=i64::from(TargetOptions::MAX_AHEAD)))]
    ahead: u8,

    /// Share of positions that are mirrored left to right, other ones in each epoch
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.5,
        help_heading = "Positions"
    )]
    mirror: f64,
    /// Leave out positions in check
    #[arg(long, help_heading = "Positions")]
    skip_checks: bool,
    /// Leave out positions whose move is a capture or a promotion
    #[arg(long, help_heading = "Positions")]
    skip_captures: bool,
    /// Leave out drawn games
    #[arg(long, help_heading = "Positions")]
    skip_draws: bool,
    /// Leave out positions with at least this score for the side that lost, in the unit of the data; with :soft by chance, the more so the
    /// greater the score
    #[arg(long, value_name = "SCORE[:soft]", help_heading = "Positions")]
    skip_upsets: Option<UpsetsText>,
    /// Leave out positions whose static evaluation is farther than this from the score of the search, in the unit of the data
    #[arg(long, value_name = "SCORE", help_heading = "Positions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) skip_sharp: Option<u16>,
    /// Static evaluation of --skip-sharp: a folder, a file or `embedded` [default: that of --qsearch, then --init, then embedded]
    #[arg(long = "static", value_name = "EVALDIR", value_parser = yane_cli::any_word(), requires = "skip_sharp",
          help_heading = "Positions")]
    static_eval: Option<String>,
    /// Leave out greater scores, in the unit of the data
    #[arg(long, value_name = "SCORE", default_value_t = 29_999, help_heading = "Positions",
          value_parser = clap::value_parser!(i16).range(1..))]
    max_score: i16,
    /// Leave out earlier plies
    #[arg(
        long,
        value_name = "PLY",
        default_value_t = 0,
        help_heading = "Positions"
    )]
    min_ply: u16,
    /// Leave out later plies
    #[arg(long, value_name = "PLY", default_value_t = u16::MAX, hide_default_value = true, help_heading = "Positions")]
    max_ply: u16,
    /// Weight of positions from a ply on, such as 1:0.5 24:1
    #[arg(long, num_args = 1.., value_name = "PLY:WEIGHT", help_heading = "Positions")]
    ply_weights: Vec<PlyWeightText>,
    /// Learn from the quiet positions that captures lead to, found with the evaluation in this folder or `embedded`
    #[arg(long, value_name = "EVALDIR", value_parser = yane_cli::any_word(), help_heading = "Positions")]
    pub(super) qsearch: Option<String>,

    /// Policies: numbers of 16 bits in the file, which is half as large
    #[arg(long, help_heading = "Running")]
    half: bool,
    /// Policies: no batch normalisation in the file; such a file cannot be learnt on from
    #[arg(long, help_heading = "Running")]
    fold: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Running")]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<usize>,
    /// Positions that are mixed with each other, 48 bytes of memory each
    #[arg(long, value_name = "N", default_value_t = 4 << 20, help_heading = "Running")]
    shuffle: usize,
    /// Seconds between checkpoints
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        help_heading = "Running"
    )]
    checkpoint: u64,
    /// Begin anew, whatever is in the folder
    #[arg(long, help_heading = "Running")]
    pub(super) force: bool,
    /// Curves of loss and rate as a page
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    pub(super) html: Option<PathBuf>,
    /// One JSON object an epoch on standard output
    #[arg(long, help_heading = "Running")]
    pub(super) json: bool,
    /// No progress
    #[arg(long, short, help_heading = "Running")]
    pub(super) quiet: bool,
    #[command(flatten, next_help_heading = "Running")]
    pub(super) events: EventArgs,
}

const EXAMPLES: &str = "\
Examples:
  yaneura learn --train data/*.pack -o evalsave
  yaneura learn --train old.pack*0.5 new.pack --epochs 6 --lambda 0.8 -o evalsave
  yaneura learn --train train.psv --valid valid.psv --arch halfkp_256x2-32-32 --json
  yaneura learn --train classic.bin --unit internal --scale 600 --init eval/nn.bin --lr 0.0002
  yaneura learn --train data/*.pack --arch kppt --epochs 2 -o tables
  yaneura learn --train data/*.pack --arch positional --freeze piece -o tuned
  yaneura learn --train data/*.pack --arch resnet5x32 --half --fold -o policy
  yaneura learn targetdir teacher loop 10 lambda 0.5 eta 1.0 nn_batch_size 1000";

/// Parses the arguments, the name of the program first; ends the program with help or an error where they ask for it.
pub(super) fn parse<'a>(words: impl Iterator<Item = &'a OsString>) -> Cli {
    try_parse(words).unwrap_or_else(|error| error.exit())
}

fn try_parse<T: Into<OsString> + Clone>(
    words: impl IntoIterator<Item = T>,
) -> Result<Cli, clap::Error> {
    let mut command = yane_cli::plain_help(Cli::command());
    let matches = command.try_get_matches_from_mut(words)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let checked = cli.arch.check(&matches);
    checked.map_err(|reason| command.error(ErrorKind::ArgumentConflict, reason))?;
    Ok(cli)
}

/// The training that a command line describes.
#[derive(Clone, Debug)]
pub(super) enum Training {
    /// Of a network.
    Network(LearnOptions),
    /// Of three-piece tables.
    Tables(KpptLearnOptions),
    /// Of the positional evaluation.
    Positional(PositionalLearnOptions),
    /// Of a policy and value network.
    Deep(DeepLearnOptions),
}

impl Cli {
    /// The training that the arguments describe; `common` is [`Self::options`].
    pub(super) fn training(&self, common: LearnOptions) -> Result<Training, String> {
        Ok(match self.arch {
            EvaluationKind::Network(_) => Training::Network(common),
            EvaluationKind::Tables(layout) => Training::Tables(self.tables(layout, common)?),
            EvaluationKind::Positional => Training::Positional(self.positional(common)?),
            EvaluationKind::Deep(shape) => Training::Deep(self.deep(shape, common)?),
        })
    }

    fn deep(&self, shape: DeepShape, common: LearnOptions) -> Result<DeepLearnOptions, String> {
        let mut options = DeepLearnOptions::new(shape, &self.output);
        options.initial = match &self.init {
            Some(init) if init.as_os_str() == "zero" => {
                return Err("a policy begins at random or with a file, not with zeros".to_owned());
            }
            Some(init) if init.as_os_str() != "random" => Some(init.clone()),
            _ => None,
        };
        options.momentum = self.momentum.unwrap_or(options.momentum);
        options.weight_decay = self.weight_decay.unwrap_or(options.weight_decay);
        options.average_every = self.average;
        options.form = OnnxForm {
            half: self.half,
            folded: self.fold,
        };
        options.common = common;
        Ok(options)
    }

    fn tables(&self, layout: KpptLayout, common: LearnOptions) -> Result<KpptLearnOptions, String> {
        let mut options = KpptLearnOptions::new(layout, &self.output);
        options.eta = self.rate();
        let frozen: Result<_, _> = self.freeze.iter().map(|name| table(name)).collect();
        options.frozen = frozen?;
        options.initial = match &self.init {
            Some(init) if init.as_os_str() == "random" => {
                return Err("tables begin with zero or a folder, not at random".to_owned());
            }
            Some(init) if init.as_os_str() != "zero" => Some(init.clone()),
            _ => None,
        };
        options.common = common;
        Ok(options)
    }

    fn positional(&self, common: LearnOptions) -> Result<PositionalLearnOptions, String> {
        let mut options = PositionalLearnOptions::new(&self.output);
        options.frozen.clone_from(&self.freeze);
        options.initial = match &self.init {
            Some(init) if init.as_os_str() == "random" || init.as_os_str() == "zero" => {
                let text = "the positional evaluation begins with the built-in numbers or a file, not at random or with zeros";
                return Err(text.to_owned());
            }
            init => init.clone(),
        };
        options.common = common;
        Ok(options)
    }

    /// The kind of evaluation that is trained.
    pub(super) const fn kind(&self) -> EvaluationKind {
        self.arch
    }

    fn rate(&self) -> f64 {
        self.lr.unwrap_or(self.arch.default_rate())
    }

    fn initial_network(&self) -> InitialNetwork {
        match &self.init {
            None => InitialNetwork::Random,
            Some(init) if init.as_os_str() == "random" => InitialNetwork::Random,
            Some(init) if init.as_os_str() == "zero" => InitialNetwork::Zeros,
            Some(init) => InitialNetwork::File(init.clone()),
        }
    }

    /// The evaluation that says what is sharp: a folder, a file, or `embedded`.
    pub(super) fn static_evaluation(&self) -> String {
        let named = self.static_eval.as_ref().or(self.qsearch.as_ref());
        let init = || match (self.arch, self.init.as_ref()?) {
            (EvaluationKind::Network(_) | EvaluationKind::Tables(_), init) => {
                let name = text_of_name(init.as_os_str());
                (name != "random" && name != "zero").then_some(name)
            }
            _ => None,
        };
        named
            .cloned()
            .or_else(init)
            .unwrap_or_else(|| "embedded".to_owned())
    }

    /// The training that the arguments describe; for what is no network, the part that is the same.
    pub(super) fn options(&self) -> Result<LearnOptions, String> {
        let mut options = match self.arch {
            EvaluationKind::Network(architecture) => LearnOptions::new(architecture, &self.output),
            EvaluationKind::Tables(layout) => KpptLearnOptions::new(layout, &self.output).common,
            EvaluationKind::Positional => PositionalLearnOptions::new(&self.output).common,
            EvaluationKind::Deep(shape) => DeepLearnOptions::new(shape, &self.output).common,
        };
        options.sources = self.train.iter().map(|file| file.0.clone()).collect();
        options.validation = self.validation(&options.validation)?;
        options.epochs = self.epochs.unwrap_or(options.epochs);
        options.batch = self.batch.unwrap_or(options.batch);
        options.optimiser = self.optimiser();
        options.learning_rate = LearningRate {
            peak: self.rate(),
            warm_up: self.warm_up,
            schedule: self.schedule.0,
        };
        options.ema = self.ema;
        options.clip = self.clip.or(options.clip);
        options.patience = self.patience;
        options.target = TargetOptions {
            lambda: self.lambda.map_or(options.target.lambda, |text| text.0),
            lambda_end: self.lambda_end.map(|text| text.0),
            scale: self.scale.0,
            scale_end: self.scale_end,
            offset: self.offset,
            scale_out: self.scale_out,
            offset_out: self.offset_out,
            unit: self.unit.into(),
            smoothing: self.smoothing,
            ahead: self.ahead,
            ..TargetOptions::default()
        };
        options.loss = self.loss.0;
        options.filter.in_check = self.skip_checks;
        options.filter.captures = self.skip_captures;
        options.filter.draws = self.skip_draws;
        options.filter.upsets = self.skip_upsets.map(|text| text.0);
        options.filter.max_score = self.max_score;
        options.filter.min_ply = self.min_ply;
        options.filter.max_ply = self.max_ply;
        options.ply_weights = self.ply_weights.iter().map(|weight| weight.0).collect();
        options.ply_weights.sort_by_key(|weight| weight.from);
        options.mirror = self.mirror;
        options.factorise = !self.no_factors;
        if let EvaluationKind::Network(_) = self.arch {
            options.initial = self.initial_network();
        }
        options.seed = self.seed;
        options.threads = self.threads.unwrap_or(options.threads);
        options.shuffle = self.shuffle;
        options.checkpoint_every = Duration::from_secs(self.checkpoint);
        options.restart = self.force;
        Ok(options)
    }

    fn optimiser(&self) -> Optimiser {
        match self.optimiser {
            OptimiserName::Sgd => Optimiser::Sgd {
                momentum: self.momentum.unwrap_or(0.0),
            },
            OptimiserName::Adam => Optimiser::default(),
            OptimiserName::Adamw => Optimiser::Adam {
                beta1: 0.9,
                beta2: 0.999,
                epsilon: 1e-8,
                weight_decay: self.weight_decay.unwrap_or(0.01),
            },
        }
    }

    /// The data to test on; `usual` says how many positions of a share.
    fn validation(&self, usual: &LearnValidation) -> Result<LearnValidation, String> {
        let share = |text: &str| {
            let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
            (0.0..100.0).contains(&percent).then_some(percent / 100.0)
        };
        if let [one] = &self.valid[..]
            && let Some(share) = one.to_str().and_then(share)
        {
            let positions = match usual {
                LearnValidation::Split { positions, .. } => *positions,
                _ => 100_000,
            };
            return Ok(LearnValidation::Split { share, positions });
        }
        let is_share = |path: &&OsString| path.as_encoded_bytes().ends_with(b"%");
        if let Some(wrong) = self.valid.iter().find(is_share) {
            return Err(format!(
                "--valid takes files or one share below 100%, found {}",
                wrong.display()
            ));
        }
        let files = self.valid.iter().map(LearnSource::new).collect();
        Ok(LearnValidation::Files(files))
    }
}

#[cfg(test)]
mod tests {
    use shogi_eval::kppt::KpptTable;
    use shogi_learn::{
        Lambda, LossFunction, PlyWeight, RateSchedule, ScoreUnit, TeacherScale, Upsets,
    };

    use super::*;

    fn options(line: &str) -> Result<LearnOptions, String> {
        let words = std::iter::once("learn").chain(line.split_whitespace());
        let cli = try_parse(words).map_err(|error| error.to_string())?;
        cli.options()
    }

    #[test]
    fn files_have_weights() {
        let options = options("--train a.pack*0.5 b*c.psv d.hcpe").expect("a good line");
        let sources: Vec<_> = options
            .sources
            .iter()
            .map(|s| (s.path.to_str().unwrap(), s.weight))
            .collect();
        assert_eq!(
            sources,
            [("a.pack", 0.5), ("b*c.psv", 1.0), ("d.hcpe", 1.0)]
        );
    }

    #[test]
    fn words_become_options() {
        let line = "--train a.pack --schedule newbob:0.5:3 --lambda 1:0.5:20:60 --scale 600 --unit internal \
                    --optimiser sgd --ply-weights 24:1 1:0.5 --init eval/nn.bin --mirror 0";
        let options = options(line).expect("a good line");
        assert_eq!(
            options.learning_rate.schedule,
            RateSchedule::Newbob {
                factor: 0.5,
                trials: 3
            }
        );
        assert_eq!(
            options.target.lambda,
            Lambda {
                start: 1.0,
                end: 0.5,
                from: 20,
                to: 60
            }
        );
        assert_eq!(options.target.scale, TeacherScale::Fixed(600.0));
        assert_eq!(options.target.unit, ScoreUnit::Internal);
        assert_eq!(options.optimiser, Optimiser::Sgd { momentum: 0.0 });
        assert_eq!(
            options.ply_weights[0],
            PlyWeight {
                from: 1,
                weight: 0.5
            }
        );
        let file = InitialNetwork::File("eval/nn.bin".into());
        assert_eq!(options.initial, file);
    }

    #[test]
    fn averages_losses_and_filters_become_options() {
        let line = "--train a.pack --ema 0.999 --clip 0.5 --patience 3 --lambda 1 --lambda-end 0.5:0:20:60 \
                    --scale 380 --scale-end 500 --offset 270 --scale-out 340 --offset-out 260 --loss power:2.5 \
                    --skip-upsets 600:soft";
        let all = options(line).expect("a good line");
        assert_eq!((all.ema, all.clip), (Some(0.999), Some(0.5)));
        assert_eq!(all.patience, NonZeroU32::new(3));
        let end = all
            .target
            .lambda_end
            .map(|lambda| (lambda.start, lambda.end));
        assert_eq!(end, Some((0.5, 0.0)));
        let target = all.target;
        assert_eq!(target.scale_end, Some(500.0));
        assert_eq!(target.offset.to_string(), "270");
        assert_eq!(
            (target.scale_out, target.offset_out),
            (Some(340.0), Some(260.0))
        );
        assert_eq!(all.loss, LossFunction::Power(2.5));
        assert_eq!(all.filter.upsets, Some(Upsets::Softly(600)));
        let plain = options("--train a.pack --skip-upsets 600").expect("a good line");
        assert_eq!((plain.ema, plain.clip, plain.patience), (None, None, None));
        assert_eq!(plain.loss, LossFunction::CrossEntropy);
        assert_eq!(plain.filter.upsets, Some(Upsets::From(600)));
        for (line, wrong) in [
            ("--loss power", "power:N"),
            ("--skip-upsets soft", "SCORE:soft"),
            ("--skip-upsets 60:hard", "SCORE:soft"),
            ("--static eval", "--skip-sharp"),
            ("--patience 0", "--patience"),
            ("--arch resnet5x32 --ema 0.9", "--ema means nothing"),
            ("--arch resnet5x32 --loss power:2", "--loss means nothing"),
            ("--arch kppt --clip 1", "--clip means nothing"),
        ] {
            let error = options(&format!("--train a.pack {line}")).unwrap_err();
            assert!(error.contains(wrong), "{line}: {error}");
        }
    }

    #[test]
    fn the_static_evaluation_is_the_one_that_is_at_hand() {
        let named = |line: &str| {
            let words = format!("learn --train a.pack --skip-sharp 300 {line}");
            let cli = try_parse(words.split_whitespace());
            cli.map_err(|error| error.to_string())
                .map(|cli| cli.static_evaluation())
        };
        for (line, expected) in [
            ("", "embedded"),
            ("--init random", "embedded"),
            ("--init net/nn.bin", "net/nn.bin"),
            ("--arch resnet5x32 --init a.onnx", "embedded"),
            ("--init net/nn.bin --qsearch eval", "eval"),
            (
                "--init net/nn.bin --qsearch eval --static teacher",
                "teacher",
            ),
        ] {
            assert_eq!(named(line), Ok(expected.to_owned()), "{line}");
        }
    }

    #[test]
    fn tables_have_options_of_their_own() {
        let cli = |line: &str| {
            let words = ["learn", "--train", "a.pack"].into_iter();
            let words = words.chain(line.split_whitespace());
            try_parse(words).map_err(|error| error.to_string())
        };
        let training = |line: &str| {
            let cli = cli(line)?;
            cli.training(cli.options()?)
        };
        let tables = |line: &str| match training(line)? {
            Training::Tables(options) => Ok(Some(options)),
            _ => Ok::<_, String>(None),
        };
        let options = tables("--arch kppt --freeze kk,kpp --init eval --seed 3");
        let options = options.expect("a good line").expect("tables");
        assert_eq!(options.layout, KpptLayout::Kppt);
        assert_eq!(options.frozen, [KpptTable::Kk, KpptTable::Kpp]);
        assert_eq!(options.initial, Some("eval".into()));
        assert_eq!((options.eta, options.common.seed), (30.0, 3));
        let options = tables("--arch kpp_kkpt --init zero --lr 5").expect("a good line");
        assert_eq!(options.expect("tables").eta.to_string(), "5");
        assert!(tables("--init zero").expect("a good line").is_none());
        for (line, wrong) in [
            ("--arch kppt --optimiser sgd", "--optimiser"),
            ("--arch kppt --no-factors", "--no-factors"),
            ("--arch kppt --init random", "random"),
            ("--freeze kk", "--freeze"),
            ("--arch kppt --freeze piece", "found piece"),
            ("--arch positional --optimiser adamw", "--optimiser"),
            ("--arch positional --init zero", "built-in numbers"),
            ("--half", "--half means nothing for networks"),
            ("--arch resnet5x32 --optimiser sgd", "--optimiser"),
            ("--arch resnet5x32 --qsearch embedded", "--qsearch"),
            ("--arch resnet5x32 --init zero", "not with zeros"),
            ("--arch resnet5", "expected resnet BLOCKS x CHANNELS"),
        ] {
            let error = tables(line).unwrap_err();
            assert!(error.contains(wrong), "{line}: {error}");
        }
        let line = "--arch resnet5x32_fc64 --half --momentum 0.8 --average 0 --init a.onnx";
        let Ok(Training::Deep(options)) = training(line) else {
            panic!("a good line");
        };
        assert_eq!(options.shape.to_string(), "resnet5x32_fc64");
        assert_eq!(options.initial, Some("a.onnx".into()));
        assert!(options.form.half && !options.form.folded);
        assert_eq!((options.average_every, options.common.batch), (0, 256));
        assert!((options.momentum - 0.8).abs() < 1e-6);
        assert_eq!(options.common.target.lambda, Lambda::constant(0.333));
        let line = "--arch positional --freeze piece,guard_gold --init eval --schedule constant";
        let Ok(Training::Positional(options)) = training(line) else {
            panic!("a good line");
        };
        assert_eq!(options.frozen, ["piece", "guard_gold"]);
        assert_eq!(options.initial, Some("eval".into()));
        assert_eq!(options.common.learning_rate.peak.to_string(), "0.3");
    }

    #[test]
    fn validation_is_a_share_or_files() {
        let validation =
            |line: &str| options(&format!("--train a.pack --valid {line}")).map(|o| o.validation);
        assert_eq!(
            validation("5%"),
            Ok(LearnValidation::Split {
                share: 0.05,
                positions: 100_000
            })
        );
        let files = ["b.pack", "c.psv"].map(LearnSource::new);
        assert_eq!(
            validation("b.pack c.psv"),
            Ok(LearnValidation::Files(files.into()))
        );
        assert!(validation("100%").unwrap_err().contains("below 100%"));
    }

    #[test]
    fn wrong_words_say_what_was_expected() {
        let error = options("--train a.pack --schedule linear").unwrap_err();
        assert!(error.contains("expected constant, cosine"), "{error}");
        let error = options("--train a.pack --lambda 1:2").unwrap_err();
        assert!(error.contains("A:B:FROM:TO"), "{error}");
    }
}
