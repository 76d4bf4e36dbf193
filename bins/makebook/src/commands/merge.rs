//! `merge` and `sort`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shogi_core::Color;
use yane_book::db::{CommentPolicy, LineEnd};
use yane_book::merge::{Legality, MergeInput, MergeOptions, MergeReport, Preference};
use yane_cli::{Output, OutputOption, UsageError};

use super::{list_skipped, skipped_texts, text_books};
use crate::args::{CommentArgs, OutputArgs, Settings, comment_line};

/// Identity of positions, and the legality check of moves.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct RuleArgs {
    /// Positions that differ only in ply are one position
    #[arg(long, visible_alias = "ignore-ply")]
    ignore_book_ply: bool,
    /// Check all rules of shogi for every move, not only that the pieces can make it; takes longer
    #[arg(long)]
    all_rules: bool,
    #[command(flatten)]
    comments: CommentArgs,
}

/// `merge [bw|wb] IN… OUT`
#[derive(Args, Debug)]
#[command(
    override_usage = "makebook merge [OPTIONS] <IN.db>... <OUT.db>
       makebook merge bw|wb [OPTIONS] <A.db> <B.db> <OUT.db>",
    after_help = MERGE_EXAMPLES
)]
pub(crate) struct MergeArgs {
    /// The books to merge, and the book to write unless -o names it
    #[arg(required = true, num_args = 1.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Take black's positions from the first book and white's from the second
    #[arg(long, conflicts_with = "wb")]
    pub(crate) bw: bool,
    /// Take white's positions from the first book and black's from the second
    #[arg(long)]
    pub(crate) wb: bool,
    /// Prefer moves that have values to moves that have none, such as those of records (depth 32), however deep
    #[arg(long)]
    pub(crate) prefer_values: bool,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

const MERGE_EXAMPLES: &str = "\
For a position that is in several books, the moves of one book are taken whole: the one whose first
line was searched deeper; with equal depth the one with more moves; else the earlier one. Moves of
records have depth 32 and no value: --prefer-values takes searched ones instead. Books of any size;
those that are sorted are not even copied to a temporary file.

Examples:
  makebook merge book1.db book2.db merged.db
  makebook merge a.db b.db c.db d.db merged.db --memory 512M
  makebook merge bw for_black.db for_white.db both.db
  makebook merge old.db new.db old.db
  makebook merge own_games.db searched.db both.db --prefer-values
  makebook merge a.db b.db c.db -o merged.db";

/// `sort IN OUT`
#[derive(Args, Debug)]
#[command(after_help = SORT_EXAMPLES)]
pub(crate) struct SortArgs {
    /// The book to sort
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
}

const SORT_EXAMPLES: &str = "\
Examples:
  makebook sort book.db sorted.db
  makebook sort book.db book.db
  makebook sort book.db -o sorted.db
  makebook sort huge.db sorted.db --memory 1G --temp-dir /mnt/scratch";

/// Merges two books or more.
pub(crate) fn merge(args: MergeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (inputs, output) = args.output_option.or_last(args.files, 2, Output::classic)?;
    text_books("merge", &inputs)?;
    text_books("merge", &[&output])?;
    let sides = match (args.bw, args.wb) {
        (true, _) => [Some(Color::Black), Some(Color::White)],
        (_, true) => [Some(Color::White), Some(Color::Black)],
        _ => [None, None],
    };
    if sides[0].is_some() && inputs.len() != 2 {
        let message = "bw and wb need exactly two inputs and the output";
        return Err(UsageError(message.to_owned()).into());
    }
    let inputs: Vec<_> = inputs
        .into_iter()
        .enumerate()
        .map(|(number, path)| MergeInput {
            path,
            side: sides[number.min(1)],
        })
        .collect();
    let paths: Vec<_> = inputs.iter().map(|input| input.path.as_path()).collect();
    let mut options = options(args.rules, &paths, &output, settings);
    if args.prefer_values {
        options.preference = Preference::Values;
    }
    let job = settings.job()?;
    let report = yane_book::merge::merge(&inputs, &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    let alone: Vec<String> = report.alone.iter().map(u64::to_string).collect();
    let same = report.common;
    let nodes = format!(
        "same nodes = {same} , different nodes =  {}",
        alone.join(" + ")
    );
    settings.report(
        &as_json(&report),
        [nodes].into_iter().chain(totals(&report, options)),
    )
}

/// Sorts a book.
pub(crate) fn sort(args: SortArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::classic)?;
    text_books("sort", &[&args.input, &output.path])?;
    let options = options(args.rules, &[&args.input], &output, settings);
    let job = settings.job()?;
    let input = MergeInput::new(args.input);
    let report = yane_book::merge::merge(&[input], &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    settings.report(&as_json(&report), totals(&report, options))
}

fn options(
    rules: RuleArgs,
    inputs: &[&Path],
    output: &Output,
    settings: &Settings,
) -> MergeOptions {
    // Nothing may be lost: where an input stays, its comments are still there.
    let usual = if replaces(output, inputs) {
        CommentPolicy::Keep
    } else {
        CommentPolicy::LeaveOut
    };
    MergeOptions {
        comments: rules.comments.policy(usual),
        preference: Preference::default(),
        ignore_ply: rules.ignore_book_ply,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(output),
        bad_lines: settings.bad_lines(),
        legality: if rules.all_rules {
            Legality::Rules
        } else {
            Legality::Pieces
        },
    }
}

/// Returns whether the output is one of the inputs.
fn replaces(output: &Output, inputs: &[&Path]) -> bool {
    let same = |input: &&Path| match (input.canonicalize(), output.path.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    };
    inputs.iter().any(same)
}

fn totals(report: &MergeReport, options: MergeOptions) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", report.positions),
        format!("moves     = {}", report.moves),
    ];
    if report.larger_ply > 0 {
        let dropped = report.larger_ply;
        lines.push(format!(
            "dropped   = {dropped} (same position with a smaller ply)"
        ));
    }
    if report.without_value > 0 {
        let positions = yane_cli::counted(report.without_value, "position", "positions");
        lines.push(format!(
            "no value  = {positions}, though another book has values (--prefer-values takes those)"
        ));
    }
    lines.extend(comment_line(report.comments, options.comments));
    lines
}

fn as_json(report: &MergeReport) -> serde_json::Value {
    json!({
        "read": report.read,
        "common": report.common,
        "alone": report.alone,
        "positions": report.positions,
        "moves": report.moves,
        "larger_ply": report.larger_ply,
        "without_moves": report.without_moves,
        "without_value": report.without_value,
        "comments": report.comments.kept,
        "comments_left_out": report.comments.left_out,
        "skipped": skipped_texts(&report.skipped),
    })
}
