//! Questions about a book: `info` and `lookup`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use shogi_core::{Color, Position};
use yane_book::info::{BookInfo, EVAL_BIN, EVAL_END};
use yane_book::lookup::{LookupResult, Match};
use yane_book::records::Root;
use yane_cli::{FINDINGS, UsageError};

use super::{list_skipped, skipped_texts};
use crate::args::Settings;
use crate::print;

/// `info BOOK`
#[derive(Args, Debug)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct InfoArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
}

const INFO_EXAMPLES: &str = "\
Examples:
  makebook info book.db
  makebook info book.ybb --json";

/// Prints information about a book.
pub(crate) fn info(args: &InfoArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let info = yane_book::info::info(&args.book, settings.bad_lines(), &job)?;
    drop(job);
    list_skipped(&info.skipped);
    settings.report(&as_json(&info), as_lines(&info))
}

fn as_json(info: &BookInfo) -> Value {
    let text = info.text.as_ref().map(|text| {
        json!({
            "header": text.header,
            "announced": text.announced,
            "byte_order_mark": text.byte_order_mark,
            "lf": text.lf,
            "crlf": text.crlf,
            "cr": text.cr,
        })
    });
    json!({
        "format": info.format.extension(),
        "bytes": info.bytes,
        "positions": info.positions,
        "moves": info.moves,
        "black_to_move": info.sides[Color::Black],
        "white_to_move": info.sides[Color::White],
        "sorted": info.sorted,
        "without_value": info.without_value,
        "unusual": info.unusual,
        "memory": info.memory,
        "eval": range_json(info.eval_range.as_ref()),
        "depth": range_json(info.depth_range.as_ref()),
        "count": range_json(info.count_range.as_ref()),
        "plies": counts_json(&info.plies),
        "moves_per_position": counts_json(&info.move_counts),
        "first_evals": counts_json(&info.evals),
        "eval_bin": EVAL_BIN,
        "text": text,
        "skipped": skipped_texts(&info.skipped),
    })
}

fn range_json<T: Copy + Into<Value>>(range: Option<&RangeInclusive<T>>) -> Option<[Value; 2]> {
    range.map(|range| [(*range.start()).into(), (*range.end()).into()])
}

fn counts_json<K: Display>(counts: &BTreeMap<K, u64>) -> BTreeMap<String, u64> {
    counts
        .iter()
        .map(|(key, count)| (key.to_string(), *count))
        .collect()
}

fn as_lines(info: &BookInfo) -> Vec<String> {
    let mut lines = vec![
        format!("format          = {} ({} bytes)", info.format, info.bytes),
        format!("positions       = {}", info.positions),
        format!("moves           = {}", info.moves),
        format!("black to move   = {}", info.sides[Color::Black]),
        format!("white to move   = {}", info.sides[Color::White]),
        format!("sorted          = {}", yes_no(info.sorted)),
    ];
    if info.without_value > 0 {
        let positions = yane_cli::counted(info.without_value, "position", "positions");
        let text = "never searched (makebook analyze gives their moves values)";
        lines.push(format!("without value   = {positions}, {text}"));
    }
    if info.unusual > 0 {
        let text = "positions, which searching in the file misses (sort mends them)";
        lines.push(format!("unusually spelt = {} {text}", info.unusual));
    }
    for (name, range) in [
        ("evals", range_text(info.eval_range.as_ref())),
        ("depths", range_text(info.depth_range.as_ref())),
        ("counts", range_text(info.count_range.as_ref())),
    ] {
        lines.extend(range.map(|range| format!("{name:<15} = {range}")));
    }
    lines.extend(file_lines(info));
    lines.extend(histogram("ply", &info.plies, ToString::to_string));
    lines.extend(histogram("moves", &info.move_counts, ToString::to_string));
    lines.extend(histogram("first eval", &info.evals, |bin| bin_text(*bin)));
    lines
}

/// Returns lines about the file itself.
fn file_lines(info: &BookInfo) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(text) = &info.text {
        let header = text.header.as_deref().unwrap_or("none");
        lines.push(format!("header          = {header}"));
        if let Some(announced) = text.announced {
            lines.push(format!("announced       = {announced} positions"));
        }
        let ends = [("LF", text.lf), ("CR LF", text.crlf), ("CR", text.cr)];
        let ends: Vec<_> = ends
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        lines.push(format!("line ends       = {}", ends.join(", ")));
        lines.push(format!("encoding        = {}", text.encoding.name()));
        lines.push(format!(
            "byte order mark = {}",
            yes_no(text.byte_order_mark)
        ));
    }
    let memory = match info.memory {
        0 => "none (looked up in place)".to_owned(),
        bytes => format!("{} MiB", bytes.div_ceil(1 << 20)),
    };
    lines.push(format!("memory          = {memory}"));
    lines
}

const fn yes_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn range_text<T: Display>(range: Option<&RangeInclusive<T>>) -> Option<String> {
    range.map(|range| format!("{} .. {}", range.start(), range.end()))
}

fn bin_text(bin: i32) -> String {
    if bin < -EVAL_END {
        format!("< {}", -EVAL_END)
    } else if bin >= EVAL_END {
        format!(">= {EVAL_END}")
    } else {
        format!("{bin} .. {}", bin + EVAL_BIN - 1)
    }
}

/// Characters of the longest bar.
const BAR: u64 = 40;

fn histogram<K>(
    name: &str,
    counts: &BTreeMap<K, u64>,
    label: impl Fn(&K) -> String,
) -> Vec<String> {
    let largest = counts.values().copied().max().unwrap_or(0).max(1);
    let title = format!("\n{name:>15}  positions");
    let bars = counts.iter().map(|(key, &count)| {
        let bar = "#".repeat((count * BAR).div_ceil(largest) as usize);
        format!("{:>15} {count:>10} {bar}", label(key))
    });
    [title].into_iter().chain(bars).collect()
}

// `lookup`.

/// `lookup BOOK POSITION`
#[derive(Args, Debug)]
#[command(after_help = LOOKUP_EXAMPLES)]
pub(crate) struct LookupArgs {
    /// The book: .db, .ybb or .bin
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// As after the USI command `position`: `startpos` or an SFEN, then `moves` and the moves; or moves alone
    #[arg(required = true, value_name = "POSITION")]
    pub(crate) position: Vec<String>,
}

const LOOKUP_EXAMPLES: &str = "\
The position is looked for as it is, at any other ply, and turned by 180 degrees. A sorted book is
searched in place; one that is not is read to its end.

Exit code: 0 when the position was found, 1 when it was not.

Examples:
  makebook lookup book.db startpos
  makebook lookup book.db startpos moves 7g7f 3c3d
  makebook lookup book.db 7g7f 3c3d
  makebook lookup book.ybb sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 --json";

/// Prints the moves of a book in a position.
pub(crate) fn lookup(args: &LookupArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let line = args.position.join(" ");
    let root = Root::parse(line.as_bytes())
        .map_err(|problem| UsageError(format!("position {line:?}: {problem}")))?;
    let position = root.game().position();
    let job = settings.job()?;
    let found = yane_book::lookup::lookup(&args.book, position, &job)?;
    drop(job);
    let found = found.as_ref();
    settings.report(&lookup_json(position, found), lookup_lines(position, found))?;
    Ok(if found.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn lookup_json(position: &Position, found: Option<&LookupResult>) -> serde_json::Value {
    let moves: Option<Vec<_>> =
        found.map(|found| found.moves.iter().map(print::move_json).collect());
    json!({
        "sfen": position.to_sfen(),
        "found": found.map(|found| match found.matched {
            Match::Exact => "exact",
            Match::OtherPly => "other-ply",
            Match::Flipped => "turned",
            Match::FlippedOtherPly => "turned-other-ply",
        }),
        "moves": moves,
    })
}

/// The entry as it would stand in a text book, with a comment on how it was found.
fn lookup_lines(position: &Position, found: Option<&LookupResult>) -> Vec<String> {
    let mut lines = vec![format!("sfen {}", position.to_sfen())];
    let Some(found) = found else {
        lines.push("# not found".to_owned());
        return lines;
    };
    lines.extend(match found.matched {
        Match::Exact => None,
        Match::OtherPly => Some("# found at another ply".to_owned()),
        Match::Flipped => Some("# found turned by 180 degrees".to_owned()),
        Match::FlippedOtherPly => Some("# found turned by 180 degrees, at another ply".to_owned()),
    });
    lines.extend(found.moves.iter().map(print::move_line));
    lines
}
