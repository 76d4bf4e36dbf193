//! `startsfens`.

use std::ffi::OsString;
use std::process::ExitCode;

use serde_json::json;
use yane_book::records::OnFault;
use yane_book::startsfens::{StartSfens, start_sfens};
use yane_cli::Output;

use super::{fault_texts, list_faults, text_books};
use crate::cli::StartSfensArgs;
use crate::print;
use crate::settings::Settings;

/// Lists what the moves of a book lead to.
pub(crate) fn startsfens(args: &StartSfensArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    text_books("startsfens", &[&args.book])?;
    let behind = args.output.clone().map(Output::classic);
    let output = if behind.is_some() || args.output_option.is_given() {
        args.output_option.or(behind)?
    } else {
        let mut name = OsString::from(&args.book);
        name.push("-startsfens.txt");
        Output::classic(name)
    };
    let usual = StartSfens::default();
    let options = StartSfens {
        tips_only: args.tips_only,
        on_fault: if args.strict {
            OnFault::Fail
        } else {
            usual.on_fault
        },
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(&output),
    };
    let job = settings.job()?;
    let report = start_sfens(&args.book, &output.path, &options, &job)?;
    drop(job);
    list_faults(&report.faults);
    if settings.json() {
        let json = json!({
            "positions": report.positions,
            "moves": report.moves,
            "written": report.written,
            "in_book": report.in_book,
            "faults": report.faults.count,
            "first_faults": fault_texts(&report.faults),
        });
        print::json(&json)?;
    } else {
        print::lines([format!("positions = {}", report.written)])?;
    }
    Ok(ExitCode::SUCCESS)
}
