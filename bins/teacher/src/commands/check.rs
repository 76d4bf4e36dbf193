//! `check`.

use std::process::ExitCode;

use pack_format::check::{CheckOptions, TeacherCheckReport};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use serde_json::{Value, json};
use yane_cli::{FINDINGS, Settings, print};
use yane_io::Error;

use crate::cli::CheckArgs;
use crate::conversion::contradictions;
use crate::names::{format_of, inputs};
use crate::report::{counted, lost_json, lost_text};

/// What was found in a file.
struct Checked {
    input: Input,
    format: TeacherFormat,
    result: Result<TeacherCheckReport, TeacherError>,
}

/// Checks files.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let formats = args
        .files
        .iter()
        .map(|file| format_of(args.from, file, "--from"))
        .collect::<Result<Vec<_>, _>>()?;
    let job = settings.job()?;
    let options = CheckOptions {
        contradictions: contradictions(args.strict_reasons || args.strict),
        unused_bytes: args.strict,
    };
    let (mut all_good, mut found) = (true, Vec::new());
    let inputs = inputs(&args.files)?;
    let count = inputs.len();
    for (number, (input, format)) in inputs.into_iter().zip(formats).enumerate() {
        let part = settings.numbered_part_of(&job, number + 1, count);
        let result = pack_format::check::check(&input, format, options, &part);
        drop(part);
        let checked = Checked {
            input,
            format,
            result: match result {
                Err(TeacherError::File(Error::Cancelled)) => Err(Error::Cancelled)?,
                result => result,
            },
        };
        all_good &= checked
            .result
            .as_ref()
            .is_ok_and(TeacherCheckReport::is_good);
        if let Err(error) = &checked.result {
            eprintln!("teacher: {error}");
        } else if !settings.json {
            print::lines(checked.as_lines(args.max))?;
        }
        found.push(checked.as_json(args.max));
    }
    if settings.json {
        print::json(&json!({"good": all_good, "files": found}))?;
    }
    Ok(if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

impl Checked {
    fn as_lines(&self, max: usize) -> Vec<String> {
        let Ok(report) = &self.result else {
            return Vec::new();
        };
        let input = &self.input;
        let mut lines: Vec<_> = report.lost.iter().take(max).map(lost_text).collect();
        let unlisted = report.damaged - lines.len() as u64;
        if unlisted > 0 {
            lines.push(format!("{input}: {unlisted} more"));
        }
        let verdict = match report.damaged {
            0 => "good".to_owned(),
            count => counted(count, "damaged place"),
        };
        let games = if report.games > 0
            || matches!(self.format, TeacherFormat::Pack | TeacherFormat::Hcpe3)
        {
            counted(report.games, "game") + ", "
        } else {
            String::new()
        };
        let positions = counted(report.positions, "position");
        lines.push(format!("{input}: {verdict}; {games}{positions} in order"));
        for (count, thing, what) in [
            (
                report.contradictions,
                "game",
                "whose end reason cannot go with the result",
            ),
            (report.without_move, "position", "without a move (0x0000)"),
            (
                report.uncanonical,
                "position",
                "not in canonical order of the pieces in hand",
            ),
        ] {
            if count > 0 {
                lines.push(format!("{input}: {} {what}", counted(count, thing)));
            }
        }
        lines
    }

    fn as_json(&self, max: usize) -> Value {
        let mut value = match &self.result {
            Err(error) => json!({"good": false, "error": error.to_string()}),
            Ok(report) => {
                let mut value = json!(report);
                value["good"] = json!(report.is_good());
                value["faults"] = report.lost.iter().take(max).map(lost_json).collect();
                value
            }
        };
        value["file"] = json!(self.input.to_string());
        value["format"] = json!(self.format.name());
        value
    }
}
