//! `diff`.

use std::process::ExitCode;

use serde_json::{Value, json};
use yane_book::diff::{DiffOptions, DiffReport, Difference, DifferenceKind, MoveChange};
use yane_book::{BookError, BookMove};

use super::{FINDINGS, list_skipped};
use crate::cli::DiffArgs;
use crate::print::{self, Printer};
use crate::settings::Settings;

/// Compares two books.
pub(crate) fn diff(args: &DiffArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = DiffOptions {
        ignore_ply: args.ignore_book_ply,
        bad_lines: settings.bad_lines(),
    };
    let most = if args.list { u64::MAX } else { args.max };
    let job = settings.job()?;
    let mut printer = Printer::new();
    let mut found = 0;
    let report = yane_book::diff::diff(&args.first, &args.second, options, &job, |difference| {
        found += 1;
        if printer.is_closed() {
            return Err(BookError::Cancelled);
        }
        match () {
            () if found > most => Ok(()),
            () if settings.json => printer.line(difference_json(&difference).to_string()),
            () => print_difference(&mut printer, &difference),
        }
    });
    drop(job);
    if printer.is_closed() {
        return Ok(ExitCode::from(FINDINGS));
    }
    let report = report?;
    list_skipped(&report.skipped);
    if settings.json {
        printer.line(report_json(&report).to_string())?;
    } else {
        if found > most {
            printer.line(format!("({} more)", found - most))?;
        }
        print_report(&mut printer, &report)?;
    }
    printer.finish()?;
    Ok(if report.is_same() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn print_difference(printer: &mut Printer, difference: &Difference) -> yane_book::Result<()> {
    let sign = match &difference.kind {
        DifferenceKind::OnlyFirst(_) => '<',
        DifferenceKind::OnlySecond(_) => '>',
        DifferenceKind::Moves(_) => '!',
    };
    printer.line(format!("{sign} sfen {}", difference.sfen))?;
    if let DifferenceKind::Moves(changes) = &difference.kind {
        for change in changes {
            match change {
                MoveChange::Removed(before) => print_move(printer, '-', before)?,
                MoveChange::Added(after) => print_move(printer, '+', after)?,
                MoveChange::Changed { before, after } => {
                    print_move(printer, '-', before)?;
                    print_move(printer, '+', after)?;
                }
            }
        }
    }
    Ok(())
}

fn print_move(printer: &mut Printer, sign: char, known: &BookMove) -> yane_book::Result<()> {
    printer.line(format!("  {sign} {}", print::move_line(known)))
}

fn difference_json(difference: &Difference) -> Value {
    let moves = |moves: &[BookMove]| moves.iter().map(print::move_json).collect::<Vec<_>>();
    let sfen = &difference.sfen;
    match &difference.kind {
        DifferenceKind::OnlyFirst(only) => json!({"sfen": sfen, "only_first": moves(only)}),
        DifferenceKind::OnlySecond(only) => json!({"sfen": sfen, "only_second": moves(only)}),
        DifferenceKind::Moves(changes) => {
            let changes: Vec<_> = changes
                .iter()
                .map(|change| match change {
                    MoveChange::Removed(before) => json!({"before": print::move_json(before)}),
                    MoveChange::Added(after) => json!({"after": print::move_json(after)}),
                    MoveChange::Changed { before, after } => json!({
                        "before": print::move_json(before),
                        "after": print::move_json(after),
                    }),
                })
                .collect();
            json!({"sfen": sfen, "moves": changes})
        }
    }
}

fn report_json(report: &DiffReport) -> Value {
    json!({
        "is_same": report.is_same(),
        "same": report.same,
        "only_first": report.only_first,
        "only_second": report.only_second,
        "different": report.different,
        "removed": report.removed,
        "added": report.added,
        "eval_changed": report.eval_changed,
        "rest_changed": report.rest_changed,
    })
}

fn print_report(printer: &mut Printer, report: &DiffReport) -> yane_book::Result<()> {
    for (name, count) in [
        ("same", report.same),
        ("only first", report.only_first),
        ("only second", report.only_second),
        ("different", report.different),
        ("moves removed", report.removed),
        ("moves added", report.added),
        ("evals changed", report.eval_changed),
        ("rest changed", report.rest_changed),
    ] {
        printer.line(format!("{name:<13} = {count}"))?;
    }
    Ok(())
}
