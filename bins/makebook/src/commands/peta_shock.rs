//! `peta_shock`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::db::LineEnd;
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport};
use yane_cli::Output;

use crate::args::OutputArgs;
use crate::print;
use crate::settings::Settings;

/// `peta_shock IN OUT [shrink] [fast]`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_EXAMPLES)]
pub(crate) struct PetaShockArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Keep only the best moves of every position
    #[arg(long)]
    pub(crate) shrink: bool,
    /// Taken for the sake of old scripts: it is always fast
    #[arg(long)]
    pub(crate) fast: bool,
}

const PETA_SHOCK_EXAMPLES: &str = "\
A move that leads to a position of the book gets the value of best play from there on; positions are
the same whatever their ply and turned by 180 degrees. Depth 9999 stands for a line that repeats for
ever. Illegal moves are errors unless --skip-bad is given.

Examples:
  makebook peta_shock book.db peta.db
  makebook peta_shock book.db best_only.db shrink
  makebook peta_shock book.ybb peta.ybb";

/// Gives every move the value of the best play behind it.
pub(crate) fn peta_shock(args: &PetaShockArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::classic)?;
    let options = PetaShockOptions {
        shrink: args.shrink,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
    };
    let job = settings.job()?;
    let report = yane_book::peta_shock::peta_shock(&args.input, &output.path, options, &job)?;
    drop(job);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        print::lines(as_lines(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(report: &PetaShockReport) -> serde_json::Value {
    json!({
        "positions": report.positions,
        "moves": report.moves,
        "constant": report.constant,
        "in_check": report.in_check,
        "loops_in_check": report.loops_in_check,
        "loops": report.loops,
        "joined": report.joined,
        "left_out": report.left_out,
    })
}

/// The lines of the field's tool.
fn as_lines(report: &PetaShockReport) -> Vec<String> {
    let changing = report.positions.saturating_sub(report.constant);
    let mut lines = vec![
        "[ PetaShock Result ]".to_owned(),
        format!("write book nodes   : {}", report.positions),
        format!("const_nodes        : {}", report.constant),
        format!("non-const_nodes    : {changing}"),
        format!("in-check nodes     : {}", report.in_check),
        format!("check-loops nodes1 : {}", report.loops_in_check),
        format!("check-loops nodes2 : {}", report.loops),
        format!("converged_moves    : {}", report.joined),
    ];
    if report.left_out > 0 {
        lines.push(format!("left out           : {}", report.left_out));
    }
    lines
}
