//! `merge` and `sort`.

use std::process::ExitCode;

use serde_json::json;
use shogi_core::Color;
use yane_book::db::LineEnd;
use yane_book::merge::{Legality, MergeInput, MergeOptions, MergeReport};
use yane_cli::{Output, UsageError};

use super::{list_skipped, skipped_texts, text_books};
use crate::cli::{MergeArgs, SortArgs};
use crate::print;
use crate::settings::Settings;

/// Merges two books or more.
pub(crate) fn merge(args: MergeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (inputs, output) = args.output_option.or_last(args.files, 2, Output::classic)?;
    text_books("merge", &inputs)?;
    text_books("merge", &[&output])?;
    let sides = match (args.bw, args.wb) {
        (true, _) => [Some(Color::Black), Some(Color::White)],
        (_, true) => [Some(Color::White), Some(Color::Black)],
        _ => [None, None],
    };
    if sides[0].is_some() && inputs.len() != 2 {
        let message = "bw and wb need exactly two inputs and the output";
        return Err(UsageError(message.to_owned()).into());
    }
    let inputs: Vec<_> = inputs
        .into_iter()
        .enumerate()
        .map(|(number, path)| MergeInput {
            path,
            side: sides[number.min(1)],
        })
        .collect();
    let options = options(args.ignore_book_ply, args.all_rules, &output, settings);
    let job = settings.job()?;
    let report = yane_book::merge::merge(&inputs, &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        let alone: Vec<String> = report.alone.iter().map(u64::to_string).collect();
        let same = report.common;
        let nodes = format!(
            "same nodes = {same} , different nodes =  {}",
            alone.join(" + ")
        );
        print::lines([nodes].into_iter().chain(totals(&report)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sorts a book.
pub(crate) fn sort(args: SortArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output_option.or(args.output.map(Output::classic))?;
    text_books("sort", &[&args.input, &output.path])?;
    let options = options(args.ignore_book_ply, args.all_rules, &output, settings);
    let job = settings.job()?;
    let input = MergeInput::new(args.input);
    let report = yane_book::merge::merge(&[input], &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        print::lines(totals(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn options(
    ignore_ply: bool,
    all_rules: bool,
    output: &Output,
    settings: &Settings,
) -> MergeOptions {
    MergeOptions {
        ignore_ply,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(output),
        bad_lines: settings.bad_lines(),
        legality: if all_rules {
            Legality::Rules
        } else {
            Legality::Pieces
        },
    }
}

fn totals(report: &MergeReport) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", report.positions),
        format!("moves     = {}", report.moves),
    ];
    if report.larger_ply > 0 {
        let dropped = report.larger_ply;
        lines.push(format!(
            "dropped   = {dropped} (same position with a smaller ply)"
        ));
    }
    lines
}

fn as_json(report: &MergeReport) -> serde_json::Value {
    json!({
        "read": report.read,
        "common": report.common,
        "alone": report.alone,
        "positions": report.positions,
        "moves": report.moves,
        "larger_ply": report.larger_ply,
        "without_moves": report.without_moves,
        "skipped": skipped_texts(&report.skipped),
    })
}
