//! `check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::check::{CheckReport, Finding, FindingKind};
use yane_cli::FINDINGS;

use crate::print;
use crate::settings::Settings;

/// `check BOOK`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// How many findings to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Kinds of findings that do not matter
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) ignore: Vec<FindingKind>,
}

const CHECK_EXAMPLES: &str = "\
Kinds of findings: header, format, position, move (illegal), reply (illegal after its move), order
(not sorted), spelling, too-long (8 KiB of moves or 1 KiB of SFEN: ShogiHome's search on disk misses
it), empty, repeated-move, duplicate, other-ply, turned (the position is there turned by 180
degrees).

Exit code: 0 when no problems were found, 1 otherwise.

Examples:
  makebook check book.db
  makebook check book.db --max 1000 --json
  makebook check book.db --ignore turned,other-ply
  makebook check book.ybb";

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
        lines.push("no problems found".to_owned());
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
