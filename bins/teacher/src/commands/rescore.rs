//! `rescore`: its arguments and what it does.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use pack_format::{TeacherError, TeacherFormat};
use serde_json::json;
use shogi_farm::EngineSetupError;
use shogi_farm::rescore::{
    RescoreDepth, RescoreEngine, RescoreError, RescoreOptions, RescoreProgram, RescoreReport,
    rescore,
};
use yane_cli::{HumanCount, Output, Settings, UsageError};
use yane_io::Error;

use super::tell;
use crate::conversion::check_output;
use crate::files::Files;
use crate::names::is_standard;
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
    let mut engine = args.engine(format, &named).map_err(usage)?;
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
        RescoreError::Engine(error @ EngineSetupError::Option { .. }) => {
            UsageError(error.to_string()).into()
        }
        RescoreError::Think(error) if error.is_reported() => {
            anyhow::anyhow!("{error} (--allow-engine-errors uses it all the same)")
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
    /// Depth of each search in plies, in place of a number of positions
    #[arg(long, value_name = "PLIES", conflicts_with = "nodes", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// No search: the value of the quiescence search, or of the network of the deep engine
    #[arg(long, conflicts_with_all = ["nodes", "depth", "engine"])]
    pub(crate) eval_only: bool,
    /// A USI engine in place of the one in this program: a program, or a command such as `ssh host engine`. Each of --threads
    /// has a process of it
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Option<String>,
    /// Seconds after which a search of this engine has failed, and its process is started again
    #[arg(long, value_name = "SECONDS", requires = "engine", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) think_timeout: u64,
    /// Use this engine though it says of an error while it gets ready (`info string Error! ...`)
    #[arg(long, requires = "engine")]
    pub(crate) allow_engine_errors: bool,
    /// A USI option for the engine, such as EvalDir=eval; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(crate) option: Vec<String>,
    /// Let the best move take the place of the move of each record (hcpe, psv)
    #[arg(long, conflicts_with = "eval_only")]
    pub(crate) best_move: bool,
}

impl RescoreArgs {
    const fn depth(&self) -> RescoreDepth {
        match self.depth {
            _ if self.eval_only => RescoreDepth::Evaluation,
            Some(plies) => RescoreDepth::Depth(plies),
            None => RescoreDepth::Nodes(self.nodes),
        }
    }

    /// The engine with these options.
    fn engine(
        &self,
        format: TeacherFormat,
        options: &[(String, String)],
    ) -> Result<RescoreEngine, RescoreError> {
        match &self.engine {
            Some(command) => RescoreEngine::program(
                format,
                RescoreProgram {
                    think_timeout: Duration::from_secs(self.think_timeout),
                    allow_errors: self.allow_engine_errors,
                    ..RescoreProgram::new(command, options)
                },
            ),
            None => RescoreEngine::new(format, options, &yane_cli::evaluation_folders()),
        }
    }
}

const EXAMPLES: &str = "\
The engine is the one of yaneura, in this program; with a policy and value network (EvalDir names a
model.onnx) the deep engine; or with --engine any program that speaks USI. Positions, moves, results and visits stay as they are. The same command
resumes a run that was interrupted.

Examples:
  teacher rescore old.psv -o new.psv --nodes 20000 --option EvalDir=eval
  teacher rescore games.pack -o new.pack --eval-only
  teacher rescore games.hcpe3 -o deep.hcpe3 --nodes 800 --option EvalDir=nets/model.onnx
  teacher rescore old.psv -o new.psv --engine ./YaneuraOu --option EvalDir=eval --depth 10
  teacher rescore a.hcpe b.hcpe -o all.hcpe --best-move --threads 8";
