//! `unique`.

use std::process::ExitCode;

use serde_json::json;
use yane_book::db::LineEnd;
use yane_book::unique::{Sameness, UniqueOptions};
use yane_cli::Output;

use super::{list_skipped, skipped_texts, text_books};
use crate::cli::UniqueArgs;
use crate::print;
use crate::settings::Settings;

/// Leaves out what is there more than once.
pub(crate) fn unique(args: &UniqueArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args
        .output_option
        .or(args.output.clone().map(Output::behind_inputs))?;
    text_books("unique", &[&args.input, &output.path])?;
    let options = UniqueOptions {
        sameness: if args.flip {
            Sameness::Turned
        } else {
            Sameness::Plain
        },
        ignore_ply: args.ignore_book_ply,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
    };
    let job = settings.job()?;
    let report = yane_book::unique::unique(&args.input, &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json() {
        let json = json!({
            "read": report.read,
            "positions": report.positions,
            "moves": report.moves,
            "repeated": report.repeated,
            "turned": report.turned,
            "skipped": skipped_texts(&report.skipped),
        });
        print::json(&json)?;
    } else {
        print::lines([
            format!("read      = {}", report.read),
            format!("positions = {}", report.positions),
            format!("moves     = {}", report.moves),
            format!("repeated  = {}", report.repeated),
            format!("turned    = {}", report.turned),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}
