//! `rescore`: its arguments and what it does.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use farm::FarmError;
use pack_format::TeacherError;
use rescore::{RescoreDepth, RescoreEngine, RescoreError, RescoreOptions, RescoreReport, rescore};
use serde_json::json;
use yane_cli::{HumanCount, Output, Settings, UsageError};
use yane_io::Error;

use super::tell;
use crate::cli::Files;
use crate::conversion::{check_output, is_standard};
use crate::outcome::counted;

/// Gives every position a new score.
pub(super) fn run(args: &RescoreArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let options = RescoreOptions {
        best_move: args.best_move,
        overwrite: settings.overwrite(),
        ..RescoreOptions::new(args.depth())
    };
    let named = yane_cli::engine_options(&args.option)?;
    let folders = yane_cli::evaluation_folders();
    let mut engine = RescoreEngine::new(format, &named, &folders).map_err(usage)?;
    let evaluation = engine.evaluation();
    let job = settings.job()?;
    if !settings.json {
        job.progress.note(&format!("evaluation: {evaluation}"));
    }
    let begin = Instant::now();
    let result = rescore(&inputs, output, &mut engine, &options, &job);
    let time = begin.elapsed();
    drop(job);
    if matches!(&result, Err(error) if is_interruption(error))
        && !settings.quiet
        && !is_standard(output)
    {
        eprintln!("Run the same command to continue.");
    }
    let report = result.map_err(usage)?;
    let speed = (report.positions - report.resumed) as f64 / time.as_secs_f64().max(1e-9);
    let mut json = json!(report);
    json["evaluation"] = json!(evaluation);
    json["positions_per_second"] = json!(speed);
    let what = summary(&report, speed);
    tell(settings, (&inputs, output), time, &what, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns whether the user ended the run.
const fn is_interruption(error: &RescoreError) -> bool {
    matches!(
        error,
        RescoreError::Data(TeacherError::File(Error::Cancelled))
    )
}

/// A wrong option is wrong usage.
fn usage(error: RescoreError) -> anyhow::Error {
    match error {
        RescoreError::Data(TeacherError::Option(reason)) => UsageError(reason).into(),
        // The user named the option.
        RescoreError::Engine(error @ FarmError::Option { .. }) => {
            UsageError(error.to_string()).into()
        }
        error => error.into(),
    }
}

fn summary(report: &RescoreReport, speed: f64) -> String {
    let moves = match report.moves_changed {
        0 => String::new(),
        count => format!(", {} other moves", HumanCount(count)),
    };
    let resumed = match report.resumed {
        0 => String::new(),
        count => format!(", {} of them earlier", HumanCount(count)),
    };
    format!(
        "{}{resumed}, {} changed, by {:.1} on average{moves}, {speed:.1} positions/s",
        counted(report.positions, "position"),
        HumanCount(report.changed),
        report.mean_change,
    )
}

/// `rescore FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RescoreArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The file with the new scores
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Positions to search for each; playouts with the deep engine
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: u64,
    /// No search: the value of the quiescence search, or of the network of the deep engine
    #[arg(long, conflicts_with = "nodes")]
    pub(crate) eval_only: bool,
    /// A USI option for the engine, such as EvalDir=eval; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) option: Vec<String>,
    /// Let the best move take the place of the move of each record (hcpe, psv)
    #[arg(long, conflicts_with = "eval_only")]
    pub(crate) best_move: bool,
}

impl RescoreArgs {
    const fn depth(&self) -> RescoreDepth {
        if self.eval_only {
            RescoreDepth::Evaluation
        } else {
            RescoreDepth::Nodes(self.nodes)
        }
    }
}

const EXAMPLES: &str = "\
The engine is the one of yaneura, in this program; with a policy and value network (EvalDir names a
model.onnx) the deep engine. Positions, moves, results and visits stay as they are. The same command
resumes a run that was interrupted.

Examples:
  teacher rescore old.psv -o new.psv --nodes 20000 --option EvalDir=eval
  teacher rescore games.pack -o new.pack --eval-only
  teacher rescore games.hcpe3 -o deep.hcpe3 --nodes 800 --option EvalDir=nets/model.onnx
  teacher rescore a.hcpe b.hcpe -o all.hcpe --best-move --threads 8";
