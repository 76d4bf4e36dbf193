//! Outcomes of conversions, and damage, for people and for scripts.

use std::path::Path;
use std::time::Duration;

use pack_format::convert::{
    Lost, TeacherConvertOptions, TeacherConvertReport, Undecided, Unscored, WithoutMove,
};
use pack_format::stream::Input;
use pack_format::{DataPlace, InvalidData, TeacherError, TeacherFormat};
use serde_json::{Value, json};
use yane_cli::{HumanCount, Settings};

use crate::names::is_standard;

/// Outcome of one conversion.
pub(crate) struct Outcome<'a> {
    pub(crate) inputs: &'a [Input],
    pub(crate) output: &'a Path,
    pub(crate) options: &'a TeacherConvertOptions,
    pub(crate) result: Result<TeacherConvertReport, TeacherError>,
    pub(crate) time: Duration,
}

impl Outcome<'_> {
    /// Returns true if everything was converted.
    pub(crate) fn is_good(&self) -> bool {
        self.result.as_ref().is_ok_and(|report| report.damaged == 0)
    }

    /// Tells errors, damage and, unless that is not wanted, a summary, on standard error.
    pub(crate) fn tell(&self, program: &str, settings: &Settings) {
        match &self.result {
            Err(error) => {
                if let TeacherError::NothingLeft { report, .. } = error {
                    for lost in &report.lost {
                        eprintln!("{program}: {}", lost_text(lost));
                    }
                }
                eprintln!("{program}: {error}");
                if matches!(error, TeacherError::Invalid { .. }) && !settings.quiet {
                    eprintln!("{}", self.hint());
                }
            }
            Ok(report) => {
                for lost in &report.lost {
                    eprintln!("{program}: {}", lost_text(lost));
                }
                if !settings.quiet {
                    self.tell_counts(report);
                }
            }
        }
    }

    fn tell_counts(&self, report: &TeacherConvertReport) {
        let inputs = self.inputs();
        let output = if is_standard(self.output) {
            Path::new("standard output")
        } else {
            self.output
        };
        let counts = counts(report, self.time);
        eprintln!("{inputs} -> {}: {counts}", output.display());
        if report.damaged > 0 {
            let places = counted(report.damaged, "damaged place");
            let lost = match report.bytes_lost {
                0 => String::new(),
                bytes => format!(", {} lost", counted(bytes, "byte")),
            };
            eprintln!("{inputs}: {places}{lost}");
        }
        if report.without_move > 0 {
            let records = counted(report.without_move, "record");
            let fate = match self.options.without_move {
                WithoutMove::Keep => "kept so",
                _ => "left out",
            };
            eprintln!("{inputs}: {records} without a move (0x0000), {fate}");
        }
        if report.unscored > 0 {
            let moves = counted(report.unscored, "move");
            let fate = match self.options.unscored {
                Unscored::Zero => "written with score 0",
                _ => "left out",
            };
            eprintln!("{inputs}: {moves} without an evaluation, {fate} (--no-score)");
        }
        if report.undecided > 0 {
            let games = counted(report.undecided, "game");
            let fate = match self.options.undecided {
                Undecided::Draw => "taken for draws",
                _ => "left out",
            };
            eprintln!("{inputs}: {games} without a result, {fate} (--no-result)");
        }
        if !report.losses.is_empty() {
            let losses = &report.losses;
            eprintln!("left out, as the format has no place for it: {losses}");
        }
        if report.contradictions > 0 {
            eprintln!(
                "warning: {inputs}: {} whose end reason cannot go with the result; \
                 --strict-reasons takes them for damage",
                counted(report.contradictions, "game")
            );
        }
    }

    fn hint(&self) -> String {
        let output = self.output;
        if let Err(TeacherError::Invalid { invalid, .. }) = &self.result
            && invalid.is_unrepresentable()
            && self.options.without_move == WithoutMove::Refuse
            && matches!(
                self.options.from.teacher(),
                Some(TeacherFormat::Psv | TeacherFormat::Hcpe | TeacherFormat::Jsonl)
            )
        {
            let keep = match self.options.to.teacher() {
                Some(TeacherFormat::Hcpe3) => "",
                _ => ", --no-move keep writes them with 0x0000",
            };
            return format!("--no-move skip leaves records without a move out{keep}");
        }
        let keep = "--recover keeps what is good before the damage, --resync also behind it";
        if is_standard(output) {
            format!("what was written is not all; {keep}")
        } else {
            format!("{} was not written; {keep}", output.display())
        }
    }

    fn inputs(&self) -> String {
        match self.inputs {
            [input] => input.to_string(),
            inputs => counted(inputs.len() as u64, "file"),
        }
    }

    fn as_json(&self) -> Value {
        let inputs = self.inputs.iter().map(ToString::to_string);
        let mut value = match &self.result {
            Ok(report) => with_lost(report),
            Err(error @ TeacherError::NothingLeft { report, .. }) => {
                let mut value = with_lost(report);
                value["error"] = json!(error.to_string());
                value
            }
            Err(error) => {
                let mut value = json!({"error": error.to_string()});
                if let TeacherError::Invalid { invalid, .. } = error {
                    value["damage"] = invalid_json(invalid);
                }
                value
            }
        };
        value["inputs"] = inputs.collect();
        value["output"] = json!(self.output.to_string_lossy());
        value["seconds"] = json!(self.time.as_secs_f64());
        value
    }
}

fn with_lost(report: &TeacherConvertReport) -> Value {
    let mut value = json!(report);
    value["lost"] = report.lost.iter().map(lost_json).collect();
    if !report.losses.is_empty() {
        let losses = report.losses.iter();
        let named = losses.map(|(kind, count)| (kind.name().to_owned(), json!(count)));
        value["losses"] = Value::Object(named.collect());
    }
    value
}

/// Games, positions, bytes and speed.
fn counts(report: &TeacherConvertReport, time: Duration) -> String {
    let games = if report.games > 0 {
        counted(report.games, "game") + ", "
    } else {
        String::new()
    };
    format!(
        "{games}{}, {} -> {} bytes, {:.2} s, {} positions/s",
        counted(report.positions, "position"),
        HumanCount(report.bytes_read),
        HumanCount(report.bytes_written),
        time.as_secs_f64(),
        HumanCount(speed(report, time))
    )
}

/// Positions a second.
fn speed(report: &TeacherConvertReport, time: Duration) -> u64 {
    let seconds = time.as_secs_f64().max(1e-9);
    (report.positions as f64 / seconds) as u64
}

/// The counts of all conversions that were made.
fn sum(outcomes: &[Outcome<'_>]) -> (TeacherConvertReport, Duration) {
    let mut sum = TeacherConvertReport::default();
    let reports = outcomes.iter().filter_map(|outcome| match &outcome.result {
        Ok(report) => Some(report),
        Err(TeacherError::NothingLeft { report, .. }) => Some(&**report),
        Err(_) => None,
    });
    for report in reports {
        sum.games += report.games;
        sum.positions += report.positions;
        sum.without_move += report.without_move;
        sum.unscored += report.unscored;
        sum.undecided += report.undecided;
        sum.losses.absorb(&report.losses);
        sum.bytes_read += report.bytes_read;
        sum.bytes_written += report.bytes_written;
        sum.contradictions += report.contradictions;
        sum.damaged += report.damaged;
        sum.bytes_lost += report.bytes_lost;
    }
    (sum, outcomes.iter().map(|outcome| outcome.time).sum())
}

/// Returns a one-line summary of all conversions.
pub(crate) fn total(outcomes: &[Outcome<'_>]) -> String {
    let (sum, time) = sum(outcomes);
    let good = outcomes.iter().filter(|outcome| outcome.is_good()).count();
    let all = outcomes.len();
    format!("{good} of {all} without errors: {}", counts(&sum, time))
}

/// Returns all outcomes as JSON.
pub(crate) fn as_json(outcomes: &[Outcome<'_>]) -> Value {
    let (sum, time) = sum(outcomes);
    let mut value = json!(sum);
    value["ok"] = json!(outcomes.iter().all(Outcome::is_good));
    value["seconds"] = json!(time.as_secs_f64());
    value["positions_per_second"] = json!(speed(&sum, time));
    value["conversions"] = outcomes.iter().map(Outcome::as_json).collect();
    value
}

/// Returns a count with its noun: `1 game`, `2,000 games`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", HumanCount(count))
}

/// A damaged place: file, byte or line, game or record, what is wrong, what is lost by it.
pub(crate) fn lost_text(lost: &Lost) -> String {
    let Lost {
        input,
        invalid,
        from,
        to,
    } = lost;
    let extent = match to {
        _ if invalid.begins_at().is_none() => return format!("{input}: {invalid}"),
        Some(to) => format!("bytes {from} to {to} ({})", HumanCount(to - from)),
        None => format!("everything from byte {from}"),
    };
    format!("{input}: {invalid}; lost: {extent}")
}

/// Returns the damaged place as JSON.
pub(crate) fn lost_json(lost: &Lost) -> Value {
    let mut value = invalid_json(&lost.invalid);
    value["file"] = json!(lost.input);
    if lost.invalid.begins_at().is_some() {
        value["lost_from"] = json!(lost.from);
        value["lost_to"] = json!(lost.to);
    }
    value
}

/// Returns the problem and its place as JSON.
pub(crate) fn invalid_json(invalid: &InvalidData) -> Value {
    let mut value = json!({
        "begins_at": invalid.begins_at(),
        "text": invalid.to_string(),
    });
    match invalid.place {
        DataPlace::Game { game, byte, .. } => {
            value["game"] = json!(game);
            value["byte"] = json!(byte);
        }
        DataPlace::Record { record, byte, .. } => {
            value["record"] = json!(record);
            value["byte"] = json!(byte);
        }
        DataPlace::Offset(offset) => value["byte"] = json!(offset),
        DataPlace::Line(line) => value["line"] = json!(line),
    }
    value
}
