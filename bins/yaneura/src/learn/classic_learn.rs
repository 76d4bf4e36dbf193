//! Learning by the words of the classic command: its options become those of the trainer, and its events the lines
//! that scripts look for.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use pack_format::TeacherFormat;
use shogi_engine::Session;
use shogi_eval::nnue::Network;
use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_learn::{
    InitialNetwork, Lambda, LeafSearch, LearnEvent, LearnIntervals, LearnOptions, LearnSource,
    LearnValidation, LearningRate, LossParts, Optimiser, RateSchedule, ScoreUnit, TargetOptions,
    TeacherScale, TestReport,
};
use yane_cli::UsageError;
use yane_io::{path_of_text, text_of_name};

use super::classic::ClassicLearn;
use super::convert::Say;
use super::searches::{SearchNotes, leaf_search, move_search};

/// The scale of winning rates in the classic learner.
const SCALE: f64 = 600.0;

/// Positions that are kept back for tests when no file is named.
const VALIDATION: u64 = 2000;

/// Positions that are mixed with each other.
const SHUFFLE: usize = 10_000_000;

/// The architecture that is learnt when neither a network nor an option says one.
const ARCHITECTURE: &str = "halfkp_256x2-32-32";

/// The message of `nn_options` that makes rows of zeros in files of features that were never seen.
const CLEAR_UNOBSERVED: &str = "clear_unobserved_feature_weights";

/// The file of a network in its folder.
const NETWORK: &str = "nn.bin";

/// The options of the engine that the classic command uses.
#[derive(Clone, Debug)]
pub(crate) struct EngineValues {
    eval_dir: PathBuf,
    save_dir: PathBuf,
    skip_loading: bool,
    threads: usize,
    architecture: Option<String>,
}

impl EngineValues {
    /// The values of a program that no option was set for: all cores.
    pub(super) fn of_program() -> Self {
        let mut session = Session::new();
        session.set_folders(yane_cli::evaluation_folders().to_vec());
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            ..Self::of(&session)
        }
    }

    /// The values of the options of `session`.
    pub(crate) fn of(session: &Session) -> Self {
        let settings = session.settings();
        let place = session.eval_place();
        Self {
            eval_dir: place.unwrap_or_else(|| path_of_text(settings.eval_dir())),
            save_dir: path_of_text(settings.eval_save_dir()),
            skip_loading: settings.skips_loading(),
            threads: settings.threads(),
            architecture: settings.eval_architecture().map(str::to_owned),
        }
    }

    /// Takes the values that the words of the command have.
    fn take(&mut self, learn: &ClassicLearn) -> Result<(), UsageError> {
        for (name, value) in &learn.engine_options {
            let wrong = || UsageError(format!("learn: {value:?} is no value of {name}"));
            match name.as_str() {
                "EvalDir" => self.eval_dir = path_of_text(value),
                "EvalSaveDir" => self.save_dir = path_of_text(value),
                "EvalArchitecture" => self.architecture = Some(value.clone()),
                "SkipLoadingEval" => self.skip_loading = value.parse().map_err(|_| wrong())?,
                _ => self.threads = value.parse().map_err(|_| wrong())?,
            }
        }
        Ok(())
    }

    /// The network in the evaluation folder, if there is one.
    fn network(&self) -> Option<PathBuf> {
        [self.eval_dir.join(NETWORK), self.eval_dir.clone()]
            .into_iter()
            .find(|path| path.is_file())
    }

    /// The architecture to learn, and the network to begin with.
    fn start(&self) -> anyhow::Result<(Architecture, Option<PathBuf>)> {
        let named = self.architecture.as_deref().map(|name| {
            let wrong = |error| UsageError(format!("EvalArchitecture: {error}"));
            name.parse::<Architecture>().map_err(wrong)
        });
        let named = named.transpose()?;
        let network = self.network();
        let architecture = match (named, &network) {
            (Some(named), _) => named,
            (None, Some(network)) => {
                let options = NetworkReadOptions { architecture: None };
                let loaded = Network::open(network, &options)?;
                *loaded.network.architecture()
            }
            (None, None) => ARCHITECTURE.parse().map_err(anyhow::Error::msg)?,
        };
        if self.skip_loading {
            return Ok((architecture, None));
        }
        if network.is_none() {
            anyhow::bail!(
                "{}: no network ({NETWORK}) in this folder: set EvalDir, or SkipLoadingEval to true to begin with random numbers",
                self.eval_dir.display()
            );
        }
        Ok((architecture, network))
    }
}

impl EngineValues {
    /// The search for the leaves that are learnt from: with the network that learning begins with, or with the evaluation in the program
    /// where it begins with random numbers.
    fn leaf_search(
        &self,
        network: Option<&Path>,
        on_note: &SearchNotes,
    ) -> anyhow::Result<LeafSearch> {
        let name = network.map(|path| text_of_name(path.as_os_str()));
        let mut options = Vec::new();
        match &name {
            Some(name) => options.push(("EvalDir", name.as_str())),
            None => options.push(("Evaluation", "embedded")),
        }
        if let Some(architecture) = &self.architecture {
            options.push(("EvalArchitecture", architecture.as_str()));
        }
        leaf_search(&options, self.threads, on_note)
    }
}

/// Learns, and prints the lines of the classic learner with `say`. The error is [`yane_io::Error::Cancelled`] when it
/// was stopped; the same command goes on then. `on_note` hears of searches that are made again.
pub(super) fn learn(
    learn: &ClassicLearn,
    mut engine: EngineValues,
    on_note: &SearchNotes,
    stop: &Arc<AtomicBool>,
    say: &mut Say<'_>,
) -> anyhow::Result<()> {
    engine.take(learn)?;
    let inputs = learn.inputs().map_err(UsageError)?;
    if inputs.is_empty() {
        let text = "learn: name at least one file, or a folder of *.bin files by targetdir";
        return Err(UsageError(text.to_owned()).into());
    }
    for line in header(learn, &inputs) {
        say(&line)?;
    }
    say("init..")?;
    let options = options(learn, &engine, &inputs, on_note)?;
    say("init_training..")?;
    for line in notes(learn) {
        say(&line)?;
    }
    say("init done.")?;
    for input in &inputs {
        say(&format!("open filename = {}", input.display()))?;
    }
    let mut lines = Lines::new(learn, &options);
    let mut failure = None;
    let report = shogi_learn::learn(&options, stop, &mut |event| {
        if let Err(error) = lines.show(event, say) {
            // The output cannot be written any more: the training ends with a checkpoint.
            failure.get_or_insert(error);
            stop.store(true, Ordering::Relaxed);
        }
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    if !report.finished {
        return Err(yane_io::Error::Cancelled.into());
    }
    // A finished training is not gone on with: the same command trains anew, as it always did.
    for name in ["checkpoint", "best"] {
        let path = options.output.join(name);
        if path.exists() {
            std::fs::remove_file(&path).map_err(yane_io::Error::io(&path))?;
        }
    }
    say("..end of files.")
}

/// The lines before a training.
fn header(learn: &ClassicLearn, inputs: &[PathBuf]) -> Vec<String> {
    let path = |path: &Option<PathBuf>| {
        path.as_ref()
            .map_or_else(String::new, |path| path.display().to_string())
    };
    let files: String = inputs.iter().fold(String::new(), |mut files, path| {
        write!(files, "{} , ", path.display()).expect("text can be appended to");
        files
    });
    let [eta1, eta2, eta3] = learn.etas().map(general);
    let [epoch1, epoch2] = learn.eta_epoch;
    let scheduling = if is_newbob(learn) {
        let decay = general(learn.newbob_decay);
        format!(
            "newbob with decay = {decay}, {} trials",
            learn.newbob_num_trials
        )
    } else {
        "default".to_owned()
    };
    let [kk, kkp, kpp] = learn.freeze.map(u8::from);
    vec![
        format!("learn command , learn from {files}"),
        format!("base dir        : {}", path(&learn.base_dir)),
        format!("target dir      : {}", path(&learn.target_dir)),
        format!("loop              : {}", learn.loops),
        format!("eval_limit        : {}", learn.eval_limit),
        format!("save_only_once    : {}", learn.save_only_once),
        format!("no_shuffle        : {}", learn.no_shuffle),
        "Loss Function     : ELMO_METHOD(WCSC27)".to_owned(),
        format!("mini-batch size   : {}", learn.batch_size),
        format!("nn_batch_size     : {}", learn.nn_batch_size),
        format!("nn_options        : {}", learn.nn_options),
        format!("learning rate     : {eta1} , {eta2} , {eta3}"),
        format!("eta_epoch         : {epoch1} , {epoch2}"),
        format!("scheduling        : {scheduling}"),
        format!("discount rate     : {}", general(learn.discount_rate)),
        format!("reduction_gameply : {}", learn.reduction_gameply),
        format!("LAMBDA            : {}", general(learn.lambda)),
        format!("LAMBDA2           : {}", general(learn.lambda2)),
        format!("LAMBDA_LIMIT      : {}", learn.lambda_limit),
        format!("mirror_percentage : {}", learn.mirror_percentage),
        format!("eval_save_interval  : {} sfens", learn.eval_save_interval),
        format!("loss_output_interval: {} sfens", output_interval(learn)),
        format!("freeze_kk/kkp/kpp : {kk} , {kkp} , {kpp}"),
    ]
}

/// Lines about words that change nothing here.
fn notes(learn: &ClassicLearn) -> Vec<String> {
    let mut words: Vec<String> = messages(learn)
        .filter(|(name, _)| !has_effect(name))
        .map(|(name, _)| format!("nn_options {name}"))
        .collect();
    if learn.freeze != [false; 3] {
        words.push("freeze_kk, freeze_kkp and freeze_kpp".to_owned());
    }
    let note = |word| format!("note: {word} has no effect");
    words.into_iter().map(note).collect()
}

/// Returns whether a message of `nn_options` changes anything. `reset` and `quantize_parameters` are what happens at the beginning anyway.
fn has_effect(name: &str) -> bool {
    let known = ["momentum", CLEAR_UNOBSERVED, "reset", "quantize_parameters"];
    known.contains(&name) || scaled_parts(name).is_some()
}

/// The parts of a network whose rates a message of `nn_options` scales: the feature transformer is number 0, then come the affine layers.
fn scaled_parts(name: &str) -> Option<Range<usize>> {
    let index = name.strip_prefix("learning_rate_scale")?;
    if index.is_empty() {
        return Some(0..4);
    }
    let index: usize = index.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
    (index < 4).then_some(index..index + 1)
}

/// The factors of the learning rate that the messages ask for.
fn rate_scales(learn: &ClassicLearn) -> Result<[f64; 4], UsageError> {
    let mut scales = [1.0; 4];
    for (name, value) in messages(learn) {
        if let Some(parts) = scaled_parts(name) {
            let wrong = |_| UsageError(format!("learn: nn_options: {name} must be a number"));
            scales[parts].fill(value.parse().map_err(wrong)?);
        }
    }
    Ok(scales)
}

/// The messages of `nn_options`, with their values.
fn messages(learn: &ClassicLearn) -> impl Iterator<Item = (&str, &str)> {
    let messages = learn.nn_options.split(',').map(str::trim);
    let messages = messages.filter(|message| !message.is_empty());
    messages.map(|message| message.split_once('=').unwrap_or((message, "")))
}

fn is_newbob(learn: &ClassicLearn) -> bool {
    (learn.newbob_decay - 1.0).abs() > f64::EPSILON
}

fn output_interval(learn: &ClassicLearn) -> u64 {
    learn.loss_output_interval.unwrap_or(learn.batch_size)
}

/// The training that the words describe.
fn options(
    learn: &ClassicLearn,
    engine: &EngineValues,
    inputs: &[PathBuf],
    on_note: &SearchNotes,
) -> anyhow::Result<LearnOptions> {
    let momentum = messages(learn).find(|(name, _)| *name == "momentum");
    let momentum = momentum.map_or(Ok(0.0), |(_, value)| value.parse::<f32>());
    let wrong = |_| UsageError("learn: nn_options: momentum must be a number".to_owned());
    let momentum = momentum.map_err(wrong)?;
    let (architecture, initial) = engine.start()?;
    let leaves = engine.leaf_search(initial.as_deref(), on_note)?;
    let mut options = LearnOptions::new(architecture, &engine.save_dir);
    options.initial = initial.map_or(InitialNetwork::Random, InitialNetwork::File);
    options.threads = engine.threads;
    options.sources = inputs.iter().map(|path| source(path)).collect();
    options.validation = match &learn.validation_set_file_name {
        Some(file) => LearnValidation::Files(vec![source(&learn.based(file))]),
        None => LearnValidation::First(VALIDATION),
    };
    options.epochs = learn.loops;
    options.batch = learn.nn_batch_size as usize;
    options.optimiser = Optimiser::Sgd { momentum };
    options.learning_rate = learning_rate(learn);
    options.rate_scales = rate_scales(learn)?;
    options.clears_unobserved = messages(learn).any(|(name, _)| name == CLEAR_UNOBSERVED);
    options.move_search = Some(move_search(on_note));
    options.target = TargetOptions {
        lambda: Lambda::constant(learn.lambda),
        scale: TeacherScale::Fixed(SCALE),
        unit: ScoreUnit::Internal,
        large_scores: u16::try_from(learn.lambda_limit)
            .ok()
            .map(|limit| (limit, learn.lambda2)),
        ..TargetOptions::default()
    };
    options.filter.draws = true;
    options.filter.leaf = Some(leaves);
    options.filter.line_weight = learn.discount_rate;
    options.filter.max_score = i16::try_from(learn.eval_limit).unwrap_or(i16::MAX);
    options.filter.reduced_plies = learn.reduction_gameply;
    options.mirror = f64::from(learn.mirror_percentage) / 100.0;
    options.shuffle = if learn.no_shuffle { 1 } else { SHUFFLE };
    options.intervals = Some(LearnIntervals {
        test: output_interval(learn),
        save: if learn.save_only_once && !is_newbob(learn) {
            u64::MAX
        } else {
            learn.eval_save_interval
        },
        folders: !learn.save_only_once,
    });
    Ok(options)
}

/// A file of the format that its name says, otherwise PSV.
fn source(path: &Path) -> LearnSource {
    let mut source = LearnSource::new(path);
    source.format = TeacherFormat::of_path(path).or(Some(TeacherFormat::Psv));
    source
}

fn learning_rate(learn: &ClassicLearn) -> LearningRate {
    let [peak, second, third] = learn.etas();
    let steps = learn.batch_size / u64::from(learn.nn_batch_size.max(1));
    LearningRate {
        peak,
        warm_up: 0,
        schedule: RateSchedule::Linear {
            second,
            third,
            updates: learn.eta_epoch,
            steps: u32::try_from(steps).unwrap_or(u32::MAX).max(1),
            newbob: is_newbob(learn).then_some((learn.newbob_decay, learn.newbob_num_trials)),
        },
    }
}

/// The lines of a training.
struct Lines {
    batch_size: u64,
    decay: f64,
    trials: u32,
    /// The number of rejections since the last network that was accepted.
    rejected: u32,
    /// The folder of the network that was saved last, and of the best one.
    saved: PathBuf,
    best: PathBuf,
}

impl Lines {
    fn new(learn: &ClassicLearn, options: &LearnOptions) -> Self {
        Self {
            batch_size: learn.batch_size.max(1),
            decay: learn.newbob_decay,
            trials: learn.newbob_num_trials,
            rejected: 0,
            saved: options.output.clone(),
            best: options.output.clone(),
        }
    }

    fn show(&mut self, event: LearnEvent, say: &mut Say<'_>) -> anyhow::Result<()> {
        match event {
            LearnEvent::Tested(report) => say(&progress(&report, self.batch_size, &now())),
            LearnEvent::Resumed { epochs, steps } => say(&format!(
                "note: resuming after {epochs} loops and {steps} steps"
            )),
            LearnEvent::Saved(path) if path.ends_with(NETWORK) => {
                self.saved = yane_io::folder_of(&path);
                let folder = self.saved.display();
                say(&format!("save_eval() start. folder = {folder}"))?;
                say(&format!("save_eval() finished. folder = {folder}"))
            }
            LearnEvent::Accepted { loss, best } => {
                let best = best.map_or_else(|| "inf".to_owned(), general);
                self.best.clone_from(&self.saved);
                self.rejected = 0;
                say(&format!(
                    "loss: {} < best ({best}), accepted",
                    general(loss)
                ))
            }
            LearnEvent::Rejected {
                loss, best, factor, ..
            } => self.rejected([loss, best, factor], say),
            _ => Ok(()),
        }
    }

    fn rejected(
        &mut self,
        [loss, best, factor]: [f64; 3],
        say: &mut Say<'_>,
    ) -> anyhow::Result<()> {
        self.rejected += 1;
        let [loss, best] = [loss, best].map(general);
        say(&format!("loss: {loss} >= best ({best}), rejected"))?;
        say(&format!(
            "restoring parameters from {}",
            self.best.display()
        ))?;
        let left = self.trials.saturating_sub(self.rejected);
        if left == 0 {
            return say("converged");
        }
        let [from, to] = [factor / self.decay, factor].map(general);
        say(&format!(
            "reducing learning rate scale from {from} to {to} ({left} more trials)"
        ))
    }
}

/// The line of a test.
fn progress(report: &TestReport, batch_size: u64, date: &str) -> String {
    let TestReport {
        positions,
        rate,
        start_value,
        validation,
        train,
        norm,
        move_accuracy,
    } = *report;
    let iteration = positions / batch_size;
    let [rate, norm] = [rate, norm].map(general);
    let hirate = start_value as i32;
    let parts = |name: &str, loss: &LossParts| {
        let [eval, win, eval_entropy, win_entropy, both, entropy] = [
            loss.score_cross_entropy,
            loss.result_cross_entropy,
            loss.score_entropy,
            loss.result_entropy,
            loss.cross_entropy,
            loss.entropy,
        ]
        .map(general);
        format!(
            " , {name}_cross_entropy_eval = {eval} , {name}_cross_entropy_win = {win} , \
             {name}_entropy_eval = {eval_entropy} , {name}_entropy_win = {win_entropy} , \
             {name}_cross_entropy = {both} , {name}_entropy = {entropy}"
        )
    };
    let (test, learn) = (parts("test", &validation), parts("learn", &train));
    let accuracy = move_accuracy.map_or_else(String::new, |share| {
        format!(" , move accuracy = {}%", general(100.0 * share))
    });
    format!(
        "PROGRESS: {date}, {positions} sfens, iteration {iteration}, eta = {rate}, hirate eval = {hirate}{test} , norm = {norm}{accuracy}{learn}"
    )
}

/// The present time (UTC) as C's `asctime` writes it.
fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    date(since.map_or(0, |since| since.as_secs()))
}

/// The date and time of `seconds` since the beginning of 1970, as C's `asctime` writes it.
fn date(seconds: u64) -> String {
    const WEEK: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since the beginning of March of the year 0, when the years of four centuries begin.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12;
    let year = year_of_era + era * 400 + u64::from(month < 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{} {} {day_of_month:2} {hour:02}:{minute:02}:{second:02} {year}",
        WEEK[(days % 7) as usize],
        MONTHS[month as usize]
    )
}

/// A number as C's `%g` writes it: six digits, with an exponent where it is very small or large.
fn general(number: f64) -> String {
    let scientific = format!("{number:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return number.to_string().to_lowercase();
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |text: &str| {
        let text = text.trim_end_matches('0');
        text.strip_suffix('.').unwrap_or(text).to_owned()
    };
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or_default();
        let fixed = format!("{number:.places$}");
        return if places == 0 { fixed } else { trimmed(&fixed) };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_by_c() {
        let numbers = [
            0.0,
            1.0,
            0.33,
            30.0,
            1e-8,
            0.000_123_456_78,
            123_456.7,
            1_234_567.8,
            -0.5,
            1.0 / 3.0,
            100_000.0,
        ];
        let expected = [
            "0",
            "1",
            "0.33",
            "30",
            "1e-08",
            "0.000123457",
            "123457",
            "1.23457e+06",
            "-0.5",
            "0.333333",
            "100000",
        ];
        assert_eq!(numbers.map(general), expected);
        assert_eq!(general(f64::INFINITY), "inf");
    }

    #[test]
    fn dates_are_written_as_by_c() {
        assert_eq!(date(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(date(951_782_400), "Tue Feb 29 00:00:00 2000");
        assert_eq!(date(1_764_093_599), "Tue Nov 25 17:59:59 2025");
    }

    #[test]
    fn messages_scale_rates() {
        let scales = |text: &str| {
            let words = ["nn_options".to_owned(), text.to_owned()];
            let learn = ClassicLearn::parse(&words).expect("a good line");
            (rate_scales(&learn).map_err(|error| error.0), notes(&learn))
        };
        let text =
            "momentum=0.9,learning_rate_scale=0.5,learning_rate_scale[3]=2,reset,check_health";
        let note = vec!["note: nn_options check_health has no effect".to_owned()];
        assert_eq!(scales(text), (Ok([0.5, 0.5, 0.5, 2.0]), note));
        let wrong = "learn: nn_options: learning_rate_scale[0] must be a number";
        assert_eq!(scales("learning_rate_scale[0]=x").0, Err(wrong.to_owned()));
        let note = vec!["note: nn_options learning_rate_scale[9] has no effect".to_owned()];
        assert_eq!(scales("learning_rate_scale[9]=2"), (Ok([1.0; 4]), note));
    }

    #[test]
    fn the_line_of_a_test() {
        let parts = |first: f64| LossParts {
            score_cross_entropy: first,
            result_cross_entropy: 0.25,
            score_entropy: 0.125,
            result_entropy: 0.0,
            cross_entropy: 0.5,
            entropy: 0.0625,
        };
        let report = TestReport {
            positions: 3_000_000,
            rate: 0.1,
            start_value: 41.7,
            validation: parts(0.75),
            train: parts(1.0),
            norm: 1_234_567.0,
            move_accuracy: Some(0.3125),
        };
        assert_eq!(
            progress(&report, 1_000_000, "Thu Jan  1 00:00:00 1970"),
            "PROGRESS: Thu Jan  1 00:00:00 1970, 3000000 sfens, iteration 3, eta = 0.1, hirate eval = 41 , \
             test_cross_entropy_eval = 0.75 , test_cross_entropy_win = 0.25 , test_entropy_eval = 0.125 , \
             test_entropy_win = 0 , test_cross_entropy = 0.5 , test_entropy = 0.0625 , norm = 1.23457e+06 , \
             move accuracy = 31.25% , learn_cross_entropy_eval = 1 , learn_cross_entropy_win = 0.25 , learn_entropy_eval = 0.125 , \
             learn_entropy_win = 0 , learn_cross_entropy = 0.5 , learn_entropy = 0.0625"
        );
    }
}
