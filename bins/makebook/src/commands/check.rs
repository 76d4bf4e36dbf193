//! `check`.

use std::process::ExitCode;

use serde_json::json;
use yane_book::check::{CheckReport, Finding};
use yane_cli::FINDINGS;

use crate::cli::CheckArgs;
use crate::print;
use crate::settings::Settings;

/// Checks a book.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let mut report = yane_book::check::check(&args.book, args.max, &job)?;
    drop(job);
    report.counts.retain(|kind, _| !args.ignore.contains(kind));
    report
        .findings
        .retain(|finding| !args.ignore.contains(&finding.kind));
    report.findings.truncate(args.max);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        print::lines(as_lines(&report, args))?;
    }
    Ok(if report.is_clean() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn as_json(report: &CheckReport) -> serde_json::Value {
    let counts: serde_json::Map<_, _> = report
        .counts
        .iter()
        .map(|(kind, count)| (kind.to_string(), (*count).into()))
        .collect();
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "kind": finding.kind.name(),
                "line": finding.line,
                "offset": finding.offset,
                "text": finding.text,
                "repeats": finding.repeats,
            })
        })
        .collect();
    json!({
        "format": report.format.extension(),
        "clean": report.is_clean(),
        "positions": report.positions,
        "moves": report.moves,
        "counts": counts,
        "findings": findings,
    })
}

fn as_lines(report: &CheckReport, args: &CheckArgs) -> Vec<String> {
    let name = args.book.display();
    let mut lines: Vec<_> = report
        .findings
        .iter()
        .map(|finding| format!("{name}: {}", text(finding)))
        .collect();
    lines.push(format!("positions = {}", report.positions));
    lines.push(format!("moves     = {}", report.moves));
    if report.is_clean() {
        lines.push("nothing found".to_owned());
    }
    let counts = report.counts.iter();
    lines.extend(counts.map(|(kind, count)| format!("found     = {count} {kind}")));
    lines
}

fn text(finding: &Finding) -> String {
    let Finding {
        kind,
        offset,
        line,
        text,
        repeats,
    } = finding;
    let unit = if line.is_some() { "line" } else { "byte" };
    let place = line.unwrap_or(*offset);
    let other = repeats.map_or_else(String::new, |other| format!(" ({unit} {other})"));
    format!("{unit} {place}: {kind}: {text}{other}")
}
