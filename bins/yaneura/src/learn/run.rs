//! Carrying `learn` out: the training, its progress and results.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use shogi_learn::{
    DataReport, EpochReport, FilterCounts, FilterReason, GradientReport, LearnError, LearnEvent,
    LearnOptions, LearnProgress, LearnReport, NetworkHealth, PolicyTest, TargetOptions, TuneReport,
    TunedChange,
};
use yane_cli::{Console, HumanCount, INTERRUPTED, QuietFlag, Stage, UsageError, print};
use yane_io::{Job, Progress as _, Unit};

use super::cli::{Cli, Training};
use super::curves::Curves;
use super::searches::{SearchNotes, leaf_search, sharp_filter};

/// Runs a training and returns the exit code: 0 when it is done, 1 after an error, 2 for wrong usage, 130 when it was
/// stopped.
pub(super) fn learn(cli: &Cli) -> ExitCode {
    let job = Job::default();
    if let Err(error) = cli.events.begin(&job) {
        return yane_cli::fail(PROGRAM, &error.into());
    }
    let console = Arc::new(Console::new(QuietFlag(cli.quiet)).for_job(&job));
    let done = cli
        .options()
        .map_err(|reason| UsageError(reason).into())
        .and_then(|mut options| {
            if let Some(limit) = cli.skip_sharp {
                let evaluation = cli.static_evaluation();
                let evaluation = evaluation_option(&evaluation);
                options.filter.sharp = Some(sharp_filter(limit, &[evaluation])?);
            }
            if let Some(folder) = &cli.qsearch {
                let evaluation = evaluation_option(folder);
                let own = Arc::clone(&console);
                let notes: SearchNotes = Arc::new(move |text| own.note(text));
                let leaves = leaf_search(&[evaluation], options.threads, &notes)?;
                options.filter.leaf = Some(leaves);
            }
            let mut screen = Screen::new(cli, &options, &console);
            let training = cli.training(options).map_err(UsageError)?;
            train(&job, &mut |event| screen.show(event), |stop, on_event| {
                Ok(match &training {
                    Training::Network(options) => shogi_learn::learn(options, stop, on_event)?,
                    Training::Tables(options) => shogi_learn::learn_kppt(options, stop, on_event)?,
                    Training::Positional(options) => {
                        shogi_learn::learn_positional(options, stop, on_event)?
                    }
                    Training::Deep(options) => shogi_learn::learn_deep(options, stop, on_event)?,
                })
            })
        });
    finish(done.map_err(explain))
}

/// The option of an engine for the evaluation in a folder or a file, or `embedded`.
fn evaluation_option(name: &str) -> (&'static str, &str) {
    match name {
        "embedded" => ("Evaluation", "embedded"),
        folder => ("EvalDir", folder),
    }
}

/// `error`, with what to do about it when it is that the folder has another training.
fn explain(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(LearnError::File(yane_io::Error::OtherRun { .. })) => {
            anyhow::anyhow!("{error}. Choose another folder with -o, or pass --force to begin anew")
        }
        _ => error,
    }
}

/// The exit code of a training, after a last word on standard error.
fn finish(done: anyhow::Result<LearnReport>) -> ExitCode {
    match done {
        Ok(report) if report.finished => yane_cli::exit_code(PROGRAM, Ok(ExitCode::SUCCESS)),
        Ok(report) => {
            let LearnReport { epochs, steps, .. } = report;
            // First, as nobody may read the rest any more.
            let code = yane_cli::exit_code(PROGRAM, Ok(ExitCode::from(INTERRUPTED)));
            eprintln!(
                "{PROGRAM}: interrupted after {epochs} epochs and {steps} steps. Run the same command to resume."
            );
            code
        }
        Err(error) => yane_cli::fail(PROGRAM, &error),
    }
}

/// Trains by `learn` until it is done or somebody wants it to stop.
fn train<T>(
    job: &Job,
    show: &mut dyn FnMut(LearnEvent) -> anyhow::Result<()>,
    learn: impl FnOnce(&AtomicBool, &mut dyn FnMut(LearnEvent)) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let stop = &*job.cancelled;
    let mut failure = None;
    let report = learn(stop, &mut |event| {
        if let Err(error) = show(event)
            && failure.is_none()
        {
            // The output cannot be written any more: the training ends with a checkpoint.
            failure = Some(error);
            stop.store(true, Ordering::Relaxed);
        }
        // The training waits as long as its events are not taken.
        job.pausing.wait(&|| stop.load(Ordering::Relaxed));
    })?;
    failure.map_or(Ok(report), Err)
}

/// The display of a training: progress on standard error, results on standard output, the curves.
struct Screen {
    console: Arc<Console>,
    json: bool,
    target: TargetOptions,
    curves: Option<Curves>,
    /// The epoch whose bar stands on the screen, and the positions that it shows.
    epoch: u32,
    positions: u64,
    /// When the loss was told as an event.
    told: Option<Instant>,
}

impl Screen {
    fn new(cli: &Cli, options: &LearnOptions, console: &Arc<Console>) -> Self {
        Self {
            console: Arc::clone(console),
            json: cli.json,
            target: options.target,
            curves: cli
                .html
                .as_ref()
                .map(|path| Curves::new(path, &cli.kind().to_string(), options)),
            epoch: 0,
            positions: 0,
            told: None,
        }
    }

    fn show(&mut self, event: LearnEvent) -> anyhow::Result<()> {
        match event {
            LearnEvent::Scanning(positions) => {
                if self.positions == 0 {
                    self.console.stage("reading", None, Unit::Positions);
                }
                self.console.advance(positions - self.positions);
                self.positions = positions;
            }
            LearnEvent::Data(data) => {
                self.clear();
                self.log("data", &data_json(&data));
                self.line(&data_json(&data), || data_text(&data, &self.target))?;
            }
            LearnEvent::Resumed { epochs, steps } => {
                self.console
                    .note(&format!("resuming after {epochs} epochs and {steps} steps"));
            }
            LearnEvent::Progress(progress) => self.progress(&progress),
            LearnEvent::Epoch(report) => {
                self.clear();
                self.log("epoch", &epoch_json(&report));
                self.line(&epoch_json(&report), || epoch_text(&report))?;
                if let Some(curves) = &mut self.curves {
                    curves.add(&report)?;
                }
            }
            LearnEvent::Rejected {
                epoch,
                loss,
                best,
                factor,
            } => {
                let event = json!({"rejected": epoch, "valid_excess": loss, "best": best, "rate_factor": factor});
                self.log("rejected", &event);
                self.line(&event, || {
                    format!("epoch {epoch}: {loss:.5} is no better than {best:.5}; taken back, rate now times {factor}")
                })?;
            }
            LearnEvent::Stopped { epoch, best_epoch } => {
                let event = json!({"stopped": epoch, "best_epoch": best_epoch});
                self.log("stopped", &event);
                self.line(&event, || {
                    format!("stopped after epoch {epoch}: none was better than epoch {best_epoch}")
                })?;
            }
            LearnEvent::Tuned(report) => {
                self.log("tuned", &tuned_json(&report));
                self.line(&tuned_json(&report), || tuned_text(&report))?;
            }
            LearnEvent::Note(text) => self.console.note(&text),
            LearnEvent::Saved(path) => {
                self.console.saved(&path);
                self.log("saved", &json!({"output": path.to_string_lossy()}));
                self.console.note(&format!("wrote {}", path.display()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes the bar.
    fn clear(&mut self) {
        self.console.clear();
        self.positions = 0;
    }

    fn progress(&mut self, progress: &LearnProgress) {
        let LearnProgress {
            epoch,
            positions,
            of,
            loss,
            rate,
            ..
        } = *progress;
        if self.epoch != epoch || self.positions == 0 {
            self.epoch = epoch;
            self.console.begin(Stage {
                name: format!("epoch {epoch}"),
                total: Some(of),
                unit: Unit::Positions,
                done: positions,
                details: true,
            });
            self.positions = positions;
        }
        self.console
            .advance(positions.saturating_sub(self.positions));
        self.positions = positions;
        let log = self.console.log();
        let is_due = |told: Instant| told.elapsed() >= log.interval();
        if log.is_on() && self.told.is_none_or(is_due) {
            self.told = Some(Instant::now());
            let part = positions as f64 / of.max(1) as f64;
            self.log(
                "loss",
                &json!({"epoch": f64::from(epoch.max(1) - 1) + part, "loss": loss, "rate": rate}),
            );
        }
        self.console
            .tell(format!("loss {loss:.5}, rate {rate:.2e}"));
    }

    /// Writes an event to the file of events.
    fn log(&self, name: &str, fields: &Value) {
        let mut event = fields.clone();
        event["event"] = name.into();
        self.console.log().write(&event);
    }

    /// Prints a result: as JSON where that is asked for, else as text.
    fn line(&self, json: &Value, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        if self.json {
            print::json(json)?;
        } else {
            print::lines([text()])?;
        }
        Ok(())
    }
}

fn data_json(data: &DataReport) -> Value {
    json!({
        "data": {
            "read": data.read,
            "filtered": data.filtered.total(),
            "filtered_by": filtered_json(&data.filtered),
            "train": data.train,
            "valid": data.validation,
            "fitted_scale": data.fitted_scale,
            "scale": data.scale,
            "shuffled": data.shuffled,
        }
    })
}

/// Positions that were left out, by reason.
fn filtered_json(counts: &FilterCounts) -> Value {
    let reasons = left_out(counts).map(|(name, count)| (name.to_owned(), count.into()));
    Value::Object(reasons.collect())
}

/// The reasons for which positions were left out, with their numbers.
fn left_out(counts: &FilterCounts) -> impl Iterator<Item = (&'static str, u64)> {
    let reasons = FilterReason::ALL.into_iter();
    let counted = reasons.map(|reason| (reason.name(), counts.of(reason)));
    counted.filter(|(_, count)| *count > 0)
}

fn data_text(data: &DataReport, target: &TargetOptions) -> String {
    let DataReport {
        read,
        train,
        validation,
        scale,
        ..
    } = *data;
    let [read, train, validation] = [read, train, validation].map(HumanCount);
    let filtered = HumanCount(data.filtered.total());
    let reasons =
        left_out(&data.filtered).map(|(name, count)| format!("{} {name}", HumanCount(count)));
    let reasons: Vec<_> = reasons.collect();
    let reasons = if reasons.is_empty() {
        String::new()
    } else {
        format!(" ({})", reasons.join(", "))
    };
    let fitted = match data.fitted_scale {
        Some(fitted) => format!("; results fit a scale of {fitted:.0}"),
        None => String::new(),
    };
    let shuffled = if data.shuffled {
        "\nnote: the files are shuffled, so games are on both sides and the test is too kind; better keep a file for --valid"
    } else {
        ""
    };
    format!(
        "{read} positions read, {filtered} filtered out{reasons}: {train} to learn from, {validation} to test on\n         {}{fitted}{shuffled}",
        rate_text(scale, target)
    )
}

/// The winning rate of scores, and of the network's values where it is another.
fn rate_text(scale: f64, target: &TargetOptions) -> String {
    let curve = |value: &str, scale: f64, offset: f64| {
        if offset > 0.0 {
            format!(
                "(1 + f({value} - {offset}) - f(-{value} - {offset})) / 2, f(x) = 1 / (1 + exp(-x / {scale:.0}))"
            )
        } else {
            format!("1 / (1 + exp(-{value} / {scale:.0}))")
        }
    };
    let teacher = curve("score", scale, target.offset);
    let end = target
        .scale_end
        .map_or_else(String::new, |end| format!(", {end:.0} at the end"));
    let own = if target.scale_out.is_some() || target.offset_out.is_some() {
        let offset = target.offset_out.unwrap_or(target.offset);
        let own = curve("value", target.scale_out.unwrap_or(scale), offset);
        format!("; the network's {own}")
    } else {
        String::new()
    };
    format!("winning rate = {teacher} in internal units{end}{own}")
}

fn epoch_json(report: &EpochReport) -> Value {
    let NetworkHealth {
        units,
        dead,
        saturated,
        clipped_weights,
        quantisation,
        largest_quantisation,
    } = report.health;
    if let Some(policy) = &report.policy {
        return json!({
            "epoch": report.epoch,
            "positions": report.positions,
            "train_loss": (report.epoch > 0).then_some(report.train_loss + report.train_entropy),
            "train_excess": report.train_loss,
            "valid_loss": report.validation_loss.map(|loss| loss + report.entropy),
            "valid_excess": report.validation_loss,
            "policy_accuracy": policy.accuracy,
            "policy_loss": policy.loss,
            "value_accuracy": policy.value_accuracy,
            "value_loss": policy.value_loss,
            "rate": report.rate,
            "positions_per_second": report.speed.round(),
        });
    }
    json!({
        "epoch": report.epoch,
        "positions": report.positions,
        "train_loss": (report.epoch > 0).then_some(report.train_loss + report.train_entropy),
        "train_excess": report.train_loss,
        "valid_loss": report.validation_loss.map(|loss| loss + report.entropy),
        "valid_excess": report.validation_loss,
        "rate": report.rate,
        "gradient_length": report.gradients.map(|gradients| gradients.length),
        "clipped_steps": report.gradients.map(|gradients| gradients.clipped),
        "positions_per_second": report.speed.round(),
        "units": units,
        "dead_units": dead,
        "saturated_units": saturated,
        "clipped_weights": clipped_weights,
        "quantisation_error": quantisation,
        "largest_quantisation_error": largest_quantisation,
    })
}

fn tuned_json(report: &TuneReport) -> Value {
    let changes = report.changes.iter();
    let changes = changes.map(|change| (change.name.clone(), json!([change.from, change.to])));
    json!({
        "tuned": {
            "before": report.before,
            "after": report.after,
            "numbers": report.numbers,
            "changes": changes.collect::<serde_json::Map<_, _>>(),
        }
    })
}

fn tuned_text(report: &TuneReport) -> String {
    /// Numbers that are named.
    const NAMED: usize = 8;
    let mut changes: Vec<&TunedChange> = report.changes.iter().collect();
    changes.sort_by(|a, b| b.steps.abs().total_cmp(&a.steps.abs()));
    let named: Vec<String> = changes
        .iter()
        .take(NAMED)
        .map(|TunedChange { name, from, to, .. }| format!("{name} {from} → {to}"))
        .collect();
    let gain = match (report.before, report.after) {
        (Some(before), Some(after)) => {
            let part = 100.0 * (before - after) / before;
            format!("excess loss {before:.5} → {after:.5} ({part:.1} % less); ")
        }
        _ => String::new(),
    };
    let most = if named.is_empty() {
        String::new()
    } else {
        format!(", most of all {}", named.join(", "))
    };
    let (changed, all) = (changes.len(), report.numbers);
    format!("{gain}{changed} of {all} numbers changed{most}")
}

fn epoch_text(report: &EpochReport) -> String {
    let epoch = report.epoch;
    let valid = report
        .validation_loss
        .map_or_else(String::new, |loss| format!("valid {loss:.5}"));
    let policy = report.policy.map_or_else(String::new, policy_text);
    if epoch == 0 {
        return format!("epoch 0 (before learning): {valid}{policy}");
    }
    let NetworkHealth {
        dead,
        clipped_weights,
        quantisation,
        ..
    } = report.health;
    let speed = HumanCount(report.speed as u64);
    let train = report.train_loss;
    let told = |name: &str, counts: [usize; 3]| match counts {
        [0, 0, 0] => String::new(),
        counts => format!(", {name} {counts:?}"),
    };
    let dead = told("dead units", dead);
    let clipped = told("clipped weights", clipped_weights);
    let quantised = match report.health.units {
        // Three-piece tables have no units, and nothing is quantised.
        [0, 0, 0] => String::new(),
        _ => format!(", quantisation error {quantisation:.1}"),
    };
    let gradients = report.gradients.map_or_else(String::new, |gradients| {
        let GradientReport {
            length,
            clipped,
            steps,
        } = gradients;
        format!(", gradients {length:.2e} (clipped in {clipped} of {steps} steps)")
    });
    format!(
        "epoch {epoch}: train {train:.5}, {valid}{policy}, {speed} positions/s{gradients}{dead}{clipped}{quantised}"
    )
}

fn policy_text(policy: PolicyTest) -> String {
    let PolicyTest {
        accuracy,
        loss,
        value_accuracy,
        value_loss,
    } = policy;
    let [accuracy, value_accuracy] = [accuracy, value_accuracy].map(|share| 100.0 * share);
    format!(
        "; policy {accuracy:.1} % right, loss {loss:.4}; value {value_accuracy:.1} % right, loss {value_loss:.4}"
    )
}

/// The name under which the command speaks of itself.
pub(super) const PROGRAM: &str = "yaneura learn";
