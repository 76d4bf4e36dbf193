//! `filter`.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use shogi_core::Position;
use yane_book::db::LineEnd;
use yane_book::filter::{Filter, FilterReport};
use yane_book::records::read_roots;
use yane_cli::Output;

use super::{list_skipped, skipped_texts, text_books};
use crate::cli::FilterArgs;
use crate::print;
use crate::settings::Settings;

/// Keeps a part of a book.
pub(crate) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args
        .output_option
        .or(args.output.clone().map(Output::behind_inputs))?;
    text_books("filter", &[&args.input, &output.path])?;
    let roots = args.reachable_from.as_deref().map(roots).transpose()?;
    let options = Filter {
        plies: args.ply.clone().map(|range| range.0),
        evals: args.eval.clone().map(|range| range.0),
        side: args.side.map(Into::into),
        reachable_from: roots,
        move_evals: args.move_eval.clone().map(|range| range.0),
        min_count: args.min_count,
        min_depth: args.min_depth,
        max_moves: args.max_moves,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
    };
    let job = settings.job()?;
    let report = yane_book::filter::filter(&args.input, &output.path, &options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        let mut lines = vec![
            format!("positions = {} of {}", report.positions, report.read),
            format!("moves     = {} of {}", report.moves, report.moves_read),
        ];
        if let Some(reachable) = report.reachable {
            lines.push(format!("reachable = {reachable}"));
        }
        print::lines(lines)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `startpos`, or the positions of a record file.
fn roots(name: &Path) -> anyhow::Result<Vec<Position>> {
    if name == Path::new("startpos") {
        return Ok(vec![Position::startpos()]);
    }
    let roots = read_roots(name)?;
    Ok(roots
        .iter()
        .map(|root| root.game().position().clone())
        .collect())
}

fn as_json(report: &FilterReport) -> serde_json::Value {
    json!({
        "read": report.read,
        "moves_read": report.moves_read,
        "positions": report.positions,
        "moves": report.moves,
        "reachable": report.reachable,
        "skipped": skipped_texts(&report.skipped),
    })
}
