//! What commands for teacher data tell alike.

use std::path::Path;
use std::time::{Duration, Instant};

use pack_format::stream::Input;
use pack_format::{Skipped, TeacherError};
use serde_json::{Value, json};
use yane_cli::{Settings, UsageError, print};
use yane_io::Job;

use crate::names::is_standard;
use crate::outcome::counted;

/// Runs `work` and measures its time. A wrong option is reported as wrong usage.
pub(super) fn timed<T>(
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
pub(super) fn tell(
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
pub(super) fn list_skipped(skipped: &Skipped) {
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
