//! Commands that read game records, and the list of a book's positions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use yane_book::db::{Fault, LineEnd};
use yane_book::extract::{Extract, ExtractReport, extract_sfen_from_db, extract_sfen_from_sfen};
use yane_book::from_sfen::{FromSfen, RecordInput};
use yane_book::records::{OnFault, RecordFault};
use yane_cli::{Output, OutputOption, UsageError};

use super::{fault_texts, list_faults, text_books};
use crate::cli::{ExtractFromDbArgs, ExtractFromSfenArgs, FromSfenArgs};
use crate::print;
use crate::settings::Settings;

/// Makes a book from records.
pub(crate) fn from_sfen(args: FromSfenArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (mut files, output) = args.output_option.or_last(args.files, 1, Output::classic)?;
    files.push(output.path.clone());
    let (inputs, _) = inputs_and_output("from_sfen", files, args.bw)?;
    text_books("from_sfen", &[&output])?;
    let options = FromSfen {
        moves: args.moves,
        on_fault: on_fault(args.strict),
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
    };
    let job = settings.job()?;
    let report = yane_book::from_sfen::from_sfen(&inputs, &output.path, &options, &job)?;
    drop(job);
    if settings.json() {
        let json = json!({
            "games": report.games,
            "positions": report.positions,
            "moves": report.moves,
            "faults": report.faults.count,
            "first_faults": fault_texts(&report.faults),
        });
        print::json(&json)?;
    } else {
        let mut lines: Vec<_> = report.faults.first.iter().map(classic_fault).collect();
        lines.push(format!("games     = {}", report.games));
        lines.push(format!("positions = {}", report.positions));
        lines.push(format!("moves     = {}", report.moves));
        print::lines(lines)?;
    }
    list_faults(&report.faults);
    Ok(ExitCode::SUCCESS)
}

/// The records to read and the book to write.
pub(super) fn inputs_and_output(
    command: &str,
    files: Vec<PathBuf>,
    bw: bool,
) -> Result<(Vec<RecordInput>, PathBuf), UsageError> {
    let expected = if bw { 3 } else { 2 };
    if let Some(extra) = files.get(expected) {
        return Err(UsageError(format!(
            "unexpected argument {}",
            extra.display()
        )));
    }
    let mut files = files.into_iter();
    let mut next = || files.next();
    match (next(), next(), next()) {
        (Some(records), Some(output), None) if !bw => Ok((vec![RecordInput::new(records)], output)),
        (Some(black), Some(white), Some(output)) => {
            Ok((RecordInput::black_white(black, white), output))
        }
        _ => {
            let needs = "needs black's records, white's records and the output";
            Err(UsageError(format!("{command} bw {needs}")))
        }
    }
}

/// The line by which the field's tools tell an illegal move.
fn classic_fault(fault: &RecordFault) -> String {
    let (game, text) = (fault.game, &fault.text);
    match &fault.fault {
        Fault::Illegal(mv) | Fault::Move(mv) => {
            format!("illegal move : line = {game} , {text} , move = {mv}")
        }
        other => format!("illegal line : line = {game} , {text} , {other}"),
    }
}

pub(super) const fn on_fault(strict: bool) -> OnFault {
    if strict {
        OnFault::Fail
    } else {
        OnFault::Report
    }
}

/// Lists the positions of a book.
pub(crate) fn extract_from_db(
    args: &ExtractFromDbArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    text_books("extract_sfen_from_db", &[&args.read_book])?;
    let output = named(&args.output_option, &args.write_sfen)?;
    let options = extract_options(false, &output, settings);
    let job = settings.job()?;
    let report = extract_sfen_from_db(&args.read_book, &output.path, &options, &job)?;
    drop(job);
    print_extracted(&report, settings)
}

/// Lists the positions of records.
pub(crate) fn extract_from_sfen(
    args: &ExtractFromSfenArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let output = named(&args.output_option, &args.write_sfen)?;
    let options = extract_options(args.strict, &output, settings);
    let job = settings.job()?;
    let report = extract_sfen_from_sfen(&args.read_sfen, &output.path, &options, &job)?;
    drop(job);
    print_extracted(&report, settings)
}

/// The output of `-o`, or else the one that a classic option names.
pub(super) fn named(option: &OutputOption, classic: &Path) -> Result<Output, UsageError> {
    let classic = (!option.is_given()).then(|| Output::classic(classic));
    option.or(classic)
}

fn extract_options(strict: bool, output: &Output, settings: &Settings) -> Extract {
    let usual = Extract::default();
    Extract {
        on_fault: on_fault(strict),
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(output),
    }
}

fn print_extracted(report: &ExtractReport, settings: &Settings) -> anyhow::Result<ExitCode> {
    list_faults(&report.faults);
    if settings.json() {
        let json = json!({
            "games": report.games,
            "positions": report.positions,
            "faults": report.faults.count,
            "first_faults": fault_texts(&report.faults),
        });
        print::json(&json)?;
    } else {
        print::lines([format!("positions = {}", report.positions)])?;
    }
    Ok(ExitCode::SUCCESS)
}
