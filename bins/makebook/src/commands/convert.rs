//! `convert` and its old names.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shogi_core::Position;
use yane_book::Format;
use yane_book::convert::{ConvertOptions, ConvertReport, LostPosition, OtherPlies, OutOfRange};
use yane_book::db::CommentCounts;
use yane_book::records::read_roots;
use yane_book::ybb::MoveDepths;
use yane_cli::{Output, UsageError};

use crate::args::{OutputArgs, Settings};

/// `convert IN OUT`
#[derive(Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The book
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// To .ybb: write moves without depths
    #[arg(long)]
    pub(crate) no_depth: bool,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const CONVERT_EXAMPLES: &str = "\
Formats: .db (text), .ybb (binary, with or without depths), .bin (Apery), and .sbk (ShogiGUI, read
only). What a format cannot hold is lost or takes a default: .ybb has no replies and counts, .bin no
plies, depths and replies, .sbk no values; only .db has comments.

Examples:
  makebook convert book.db book.ybb
  makebook convert book.db small.ybb --no-depth
  makebook convert book.ybb book.db
  makebook convert book.db book.bin
  makebook convert book.sbk book.db
  makebook convert book.bin book.db --root-sfens-name roots.txt --unreg-depth 2";

/// Options of a conversion.
#[derive(Args, Debug)]
pub(crate) struct HowToConvert {
    /// Write the nearest number where one does not fit, instead of stopping
    #[arg(long)]
    pub(crate) clamp: bool,
    /// Of a position at several plies write the smallest one, instead of stopping
    #[arg(long)]
    pub(crate) smallest_ply: bool,
    /// From Apery: where lines to its positions start, a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) root_sfens_name: Option<PathBuf>,
    /// From Apery: positions in a row that may be missing from the book on the way to its next position; each more
    /// takes some hundred times as long
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(0..=8))]
    pub(crate) unreg_depth: u32,
}

/// `convert_to_apery IN OUT`, `convert_from_apery IN OUT`
#[derive(Args, Debug)]
#[command(after_help = APERY_EXAMPLES)]
pub(crate) struct FromToArgs {
    /// The book
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const APERY_EXAMPLES: &str = "\
The same as convert, under the names of older tools.

Examples:
  makebook convert_to_apery book.db book.bin
  makebook convert_from_apery book.bin book.db";

/// Converts files into another format.
pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let depths = if args.no_depth {
        MoveDepths::Omitted
    } else {
        MoveDepths::Stored
    };
    let output = args.output.named(Output::behind_inputs)?;
    run(&args.input, &output, depths, &args.how, settings)
}

/// Into Apery's format.
pub(crate) fn to_apery(args: &FromToArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::classic)?;
    expect_apery(&output.path, "convert_to_apery writes")?;
    let depths = MoveDepths::default();
    run(&args.input, &output, depths, &args.how, settings)
}

/// From Apery's format.
pub(crate) fn from_apery(args: &FromToArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    expect_apery(&args.input, "convert_from_apery reads")?;
    let output = args.output.named(Output::classic)?;
    let depths = MoveDepths::default();
    run(&args.input, &output, depths, &args.how, settings)
}

fn expect_apery(path: &Path, what: &str) -> anyhow::Result<()> {
    if let Ok(Format::Apery) = Format::of_path(path) {
        return Ok(());
    }
    let path = path.display();
    let message = format!("{what} Apery books: expected a name that ends in .bin, found {path}");
    Err(UsageError(message).into())
}

fn run(
    input: &Path,
    output: &Output,
    depths: MoveDepths,
    how: &HowToConvert,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let options = ConvertOptions {
        depths,
        out_of_range: if how.clamp {
            OutOfRange::Clamp
        } else {
            OutOfRange::Refuse
        },
        bad_lines: settings.bad_lines(),
        other_plies: if how.smallest_ply {
            OtherPlies::SmallestOnly
        } else {
            OtherPlies::Refuse
        },
        overwrite: settings.overwrite_by(output),
        line_end: settings.line_end(),
        roots: roots(how)?,
        unregistered_depth: how.unreg_depth,
    };
    let job = settings.job()?;
    let report = yane_book::convert::convert(input, &output.path, &options, &job)?;
    drop(job);
    for error in &report.left_out {
        eprintln!("left out: {error}");
    }
    let is_apery = matches!(Format::of_path(input), Ok(Format::Apery));
    list_lost(&report, is_apery);
    settings.report(&as_json(&report), as_lines(&report))
}

fn roots(how: &HowToConvert) -> anyhow::Result<Vec<Position>> {
    let Some(path) = &how.root_sfens_name else {
        return Ok(vec![Position::startpos()]);
    };
    let roots = read_roots(path)?;
    Ok(roots
        .iter()
        .map(|root| root.game().position().clone())
        .collect())
}

fn as_json(report: &ConvertReport) -> serde_json::Value {
    let left_out: Vec<_> = report.left_out.iter().map(ToString::to_string).collect();
    json!({
        "positions": report.positions,
        "moves": report.moves,
        "without_moves": report.without_moves,
        "other_plies": report.other_plies,
        "bad_positions": report.bad_positions,
        "bad_moves": report.bad_moves,
        "left_out": left_out,
        "lost": report.lost.iter().map(lost_json).collect::<Vec<_>>(),
        "collisions": report.collisions,
        "unreached": report.unreached,
        "comments": report.comments.kept,
        "comments_left_out": report.comments.left_out,
    })
}

/// Positions of an Apery book that are named when some are lost.
const LOST_NAMED: usize = 10;

/// Names the first positions of an Apery book that are not in the output.
fn list_lost(report: &ConvertReport, is_apery: bool) {
    let all = report.collisions + report.unreached;
    if all == 0 || !is_apery {
        return;
    }
    for lost in report.lost.iter().take(LOST_NAMED) {
        eprintln!("left out: {lost}");
    }
    let more = all.saturating_sub(LOST_NAMED as u64);
    if more > 0 {
        eprintln!("left out: {more} more of these");
    }
    if report.unreached > 0 {
        eprintln!(
            "An Apery book has keys only, so positions are found by playing from the even start. \
             --root-sfens-name names others to play from, --unreg-depth plays over more positions that it lacks."
        );
    }
}

fn lost_json(lost: &LostPosition) -> serde_json::Value {
    json!({
        "key": format!("{:016x}", lost.key),
        "sfen": lost.sfen,
        "moves": lost.moves,
        "byte": lost.offset,
    })
}

fn as_lines(report: &ConvertReport) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", report.positions),
        format!("moves     = {}", report.moves),
    ];
    for (count, what) in [
        (report.without_moves, "positions without moves"),
        (
            report.other_plies,
            "positions that are there with a smaller ply",
        ),
        (report.bad_positions, "bad positions"),
        (report.bad_moves, "bad moves"),
        (report.collisions, "positions with an illegal move"),
        (report.unreached, "positions that cannot be reached"),
    ] {
        if count > 0 {
            lines.push(format!("left out  = {count} {what}"));
        }
    }
    let CommentCounts { kept, left_out } = report.comments;
    match (kept, left_out) {
        (0, 0) => {}
        (kept, 0) => lines.push(format!("comments  = {kept} kept")),
        (_, left_out) => lines.push(format!("left out  = {left_out} comments")),
    }
    lines
}
