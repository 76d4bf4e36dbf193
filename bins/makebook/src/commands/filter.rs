//! A part of a book: `filter` and `unique`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shogi_core::Position;
use yane_book::db::{CommentPolicy, LineEnd};
use yane_book::filter::{Filter, FilterReport};
use yane_book::records::read_roots;
use yane_book::unique::{Sameness, UniqueOptions};
use yane_cli::{Output, Range};

use super::{list_skipped, skipped_texts, text_books};
use crate::args::{CommentArgs, OutputArgs, Settings, Side, comment_line};

/// `filter IN OUT …`
#[derive(Args, Debug)]
#[command(after_help = FILTER_EXAMPLES)]
pub(crate) struct FilterArgs {
    /// The book
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Only positions with these plies
    #[arg(long, value_name = "A..B")]
    pub(crate) ply: Option<Range<u32>>,
    /// Only positions whose best move has such a value
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) eval: Option<Range<i32>>,
    /// Only positions with this side to move
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Only positions that moves of the book reach from these: startpos or a record file
    #[arg(long, value_name = "ROOTS")]
    pub(crate) reachable_from: Option<PathBuf>,
    /// Only moves with such values
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub(crate) move_eval: Option<Range<i32>>,
    /// Only moves with at least this count
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_count: u64,
    /// Only moves with at least this depth
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) min_depth: Option<i32>,
    /// At most so many moves a position, the first by count and value
    #[arg(long, value_name = "N")]
    pub(crate) max_moves: Option<usize>,
    #[command(flatten)]
    pub(crate) comments: CommentArgs,
}

const FILTER_EXAMPLES: &str = "\
Ranges include both ends; one of them may be missing (`5..`, `..100`). Positions are judged by what
the book says, then moves are left out; a position without a move left goes too.

Examples:
  makebook filter book.db opening.db --ply 1..20
  makebook filter book.db even.db eval -200..200 move_eval -100..
  makebook filter book.db black.db side b
  makebook filter book.db tree.db --reachable-from startpos
  makebook filter book.db best.db max_moves 1 min_depth 10";

/// Keeps a part of a book.
pub(crate) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::behind_inputs)?;
    text_books("filter", &[&args.input, &output.path])?;
    let roots = args.reachable_from.as_deref().map(roots).transpose()?;
    let options = Filter {
        plies: args.ply.clone().map(|range| range.0),
        evals: args.eval.clone().map(|range| range.0),
        side: args.side.map(Into::into),
        reachable_from: roots,
        move_evals: args.move_eval.clone().map(|range| range.0),
        min_count: args.min_count,
        min_depth: args.min_depth,
        max_moves: args.max_moves,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
        comments: args.comments.policy(CommentPolicy::Keep),
    };
    let job = settings.job()?;
    let report = yane_book::filter::filter(&args.input, &output.path, &options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    let mut lines = vec![
        format!("positions = {} of {}", report.positions, report.read),
        format!("moves     = {} of {}", report.moves, report.moves_read),
    ];
    lines.extend(
        report
            .reachable
            .map(|reachable| format!("reachable = {reachable}")),
    );
    lines.extend(comment_line(report.comments, options.comments));
    settings.report(&as_json(&report), lines)
}

/// `startpos`, or the positions of a record file.
fn roots(name: &Path) -> anyhow::Result<Vec<Position>> {
    if name == Path::new("startpos") {
        return Ok(vec![Position::startpos()]);
    }
    let roots = read_roots(name)?;
    Ok(roots
        .iter()
        .map(|root| root.game().position().clone())
        .collect())
}

fn as_json(report: &FilterReport) -> serde_json::Value {
    json!({
        "read": report.read,
        "moves_read": report.moves_read,
        "positions": report.positions,
        "moves": report.moves,
        "reachable": report.reachable,
        "comments": report.comments.kept,
        "comments_left_out": report.comments.left_out,
        "skipped": skipped_texts(&report.skipped),
    })
}

// `unique`.

/// `unique IN OUT`
#[derive(Args, Debug)]
#[command(after_help = UNIQUE_EXAMPLES)]
pub(crate) struct UniqueArgs {
    /// The book
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// A position and the same one flipped (turned by 180 degrees) are one
    #[arg(long)]
    pub(crate) flip: bool,
    /// Join the moves of positions that differ only in ply, instead of keeping the smallest ply's
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
    #[command(flatten)]
    pub(crate) comments: CommentArgs,
}

const UNIQUE_EXAMPLES: &str = "\
Of a position and its turned one the one with black to move remains, with black's moves unless
white's were searched deeper (or as deep, and are more): then white's, turned. Engines find what was
left out with FlippedBook and IgnoreBookPly on.

Examples:
  makebook unique book.db smaller.db
  makebook unique book.db smaller.db --flip
  makebook uniq book.db book.db flip --force";

/// Removes duplicate positions.
pub(crate) fn unique(args: &UniqueArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::behind_inputs)?;
    text_books("unique", &[&args.input, &output.path])?;
    let options = UniqueOptions {
        sameness: if args.flip {
            Sameness::Flipped
        } else {
            Sameness::Plain
        },
        ignore_ply: args.ignore_book_ply,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
        comments: args.comments.policy(CommentPolicy::Keep),
    };
    let job = settings.job()?;
    let report = yane_book::unique::unique(&args.input, &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    let json = json!({
        "read": report.read,
        "positions": report.positions,
        "moves": report.moves,
        "repeated": report.repeated,
        "turned": report.flipped,
        "comments": report.comments.kept,
        "comments_left_out": report.comments.left_out,
        "skipped": skipped_texts(&report.skipped),
    });
    settings.report(
        &json,
        [
            format!("read      = {}", report.read),
            format!("positions = {}", report.positions),
            format!("moves     = {}", report.moves),
            format!("repeated  = {}", report.repeated),
            format!("turned    = {}", report.flipped),
        ]
        .into_iter()
        .chain(comment_line(report.comments, options.comments)),
    )
}
