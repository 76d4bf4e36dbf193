//! The commands: each makes one call of [`pack_format`], or of [`mod@rescore`], and reports on it.

pub(crate) mod arrange;
pub(crate) mod convert;
pub(crate) mod filter;
pub(crate) mod list;
pub(crate) mod rescore;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use pack_format::stream::Input;
use pack_format::{Skipped, TeacherError};
use serde_json::{Value, json};
use yane_cli::{Settings, UsageError, print};
use yane_io::Job;

use crate::cli::{Cli, Command};
use crate::conversion::is_standard;
use crate::outcome::counted;

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let settings = &cli.settings;
    match &cli.command {
        Command::Convert(args) => convert::convert(args, settings),
        Command::Check(args) => convert::check(args, settings),
        Command::Repair(args) => convert::repair(args, settings),
        Command::Stats(args) => list::stats(args, settings),
        Command::Head(args) => list::head(args, settings),
        Command::Sample(args) => list::sample(args, settings),
        Command::Shuffle(args) => arrange::shuffle(args, settings),
        Command::Dedup(args) => arrange::dedup(args, settings),
        Command::Filter(args) => filter::filter(args, settings),
        Command::Split(args) => arrange::split(args, settings),
        Command::Concat(args) => arrange::concat(args, settings),
        Command::Rescore(args) => rescore::run(args, settings),
    }
}

/// Runs `work` and measures its time. A wrong option is reported as wrong usage.
fn timed<T>(
    settings: &Settings,
    work: impl FnOnce(&Job) -> Result<T, TeacherError>,
) -> anyhow::Result<(T, Duration)> {
    let job = settings.job()?;
    let begin = Instant::now();
    let done = work(&job);
    let time = begin.elapsed();
    drop(job);
    match done {
        Ok(done) => Ok((done, time)),
        Err(error @ (TeacherError::Option(_) | TeacherError::Unrepresentable { .. })) => {
            Err(UsageError(error.to_string()).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Reports the output: as JSON, or as text on standard error unless the user asked for quiet.
fn tell(
    settings: &Settings,
    (inputs, output): (&[Input], &Path),
    time: Duration,
    what: &str,
    mut json: Value,
) -> anyhow::Result<()> {
    if settings.json {
        json["inputs"] = inputs.iter().map(ToString::to_string).collect();
        json["output"] = json!(output.to_string_lossy());
        json["seconds"] = json!(time.as_secs_f64());
        print::json(&json)?;
    } else if !settings.quiet {
        let inputs = match inputs {
            [input] => input.to_string(),
            inputs => counted(inputs.len() as u64, "file"),
        };
        let output = if is_standard(output) {
            "standard output".into()
        } else {
            output.to_string_lossy()
        };
        let seconds = time.as_secs_f64();
        eprintln!("{inputs} -> {output}: {what}, {seconds:.2} s");
    }
    Ok(())
}

/// Lists damaged records that were left out.
fn list_skipped(skipped: &Skipped) {
    for (path, invalid) in &skipped.first {
        eprintln!("left out: {}: {invalid}", path.display());
    }
    if skipped.count > 0 {
        eprintln!("{} left out", counted(skipped.count, "damaged record"));
        if skipped.count > 1 {
            eprintln!("teacher repair finds records again behind inserted or lost bytes");
        }
    }
}
