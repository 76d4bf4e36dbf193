//! `check` and `diff`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use yane_book::check::{CheckReport, Finding, FindingKind};
use yane_book::diff::{DiffOptions, DiffReport, Difference, DifferenceKind, MoveChange};
use yane_book::{BookMove, io};
use yane_cli::FINDINGS;

use super::list_skipped;
use crate::args::Settings;
use crate::print;
use crate::print::Printer;

/// `check BOOK`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// Number of findings to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Kinds of findings to ignore, with commas between them
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
    settings.report(&as_json(&report), as_lines(&report, args))?;
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
        "without_value": report.without_value,
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
    if report.without_value > 0 {
        let positions = yane_cli::counted(report.without_value, "position", "positions");
        let text = "never searched (makebook analyze gives their moves values)";
        lines.push(format!("no value  = {positions}, {text}"));
    }
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

// `diff`.

/// `diff A B`
#[derive(Args, Debug)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The first book, .db or .ybb
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// The second book, .db or .ybb
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
    /// List all differences
    #[arg(long, conflicts_with = "max")]
    pub(crate) list: bool,
    /// Number of differences to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: u64,
    /// Positions that differ only in ply are one position
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
}

const DIFF_EXAMPLES: &str = "\
`< sfen` is only in the first book, `> sfen` only in the second, `! sfen` in both, followed by its
moves that were removed (-), added (+) or changed (both). The order of positions and moves makes no
difference. With a .ybb book neither replies nor counts are compared.

Exit code: 0 when the books say the same, 1 when they do not.

Examples:
  makebook diff old.db new.db
  makebook diff old.db new.db --list > changes.txt
  makebook diff book.db book.ybb --ignore-ply --json";

/// Compares two books.
pub(crate) fn diff(args: &DiffArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = DiffOptions {
        ignore_ply: args.ignore_book_ply,
        bad_lines: settings.bad_lines(),
    };
    let (most, job) = if args.list {
        (u64::MAX, settings.printing_job()?)
    } else {
        (args.max, settings.job()?)
    };
    let mut printer = Printer::new();
    let mut held = Vec::new();
    let mut found = 0;
    let report = yane_book::diff::diff(&args.first, &args.second, options, &job, |difference| {
        found += 1;
        if found > most {
            return Ok(());
        }
        let lines = if settings.json() {
            vec![difference_json(&difference).to_string()]
        } else {
            difference_lines(&difference)
        };
        if args.list {
            print_lines(&mut printer, lines)
        } else {
            held.extend(lines);
            Ok(())
        }
    });
    drop(job);
    if printer.is_closed() {
        return Ok(ExitCode::from(FINDINGS));
    }
    print_lines(&mut printer, held)?;
    let report = report?;
    list_skipped(&report.skipped);
    if settings.json() {
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

/// Prints lines; returns an error if the reader has closed the output.
fn print_lines(printer: &mut Printer, lines: Vec<String>) -> yane_book::Result<()> {
    for line in lines {
        printer.line(line)?;
    }
    if printer.is_closed() {
        return Err(io::Error::Cancelled.into());
    }
    Ok(())
}

fn difference_lines(difference: &Difference) -> Vec<String> {
    let sign = match &difference.kind {
        DifferenceKind::OnlyFirst(_) => '<',
        DifferenceKind::OnlySecond(_) => '>',
        DifferenceKind::Moves(_) => '!',
    };
    let mut lines = vec![format!("{sign} sfen {}", difference.sfen)];
    if let DifferenceKind::Moves(changes) = &difference.kind {
        for change in changes {
            match change {
                MoveChange::Removed(before) => lines.push(signed_move('-', before)),
                MoveChange::Added(after) => lines.push(signed_move('+', after)),
                MoveChange::Changed { before, after } => {
                    lines.push(signed_move('-', before));
                    lines.push(signed_move('+', after));
                }
            }
        }
    }
    lines
}

fn signed_move(sign: char, known: &BookMove) -> String {
    format!("  {sign} {}", print::move_line(known))
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
