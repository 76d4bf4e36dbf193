//! Lists from a book: `extend_tree` and `startsfens`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::Format;
use yane_book::extend_tree::ExtendTree;
use yane_book::startsfens::{StartSfens, start_sfens};
use yane_cli::{Output, OutputOption};

use super::{list_problems, problem_texts, tell_variations, text_books};
use crate::args::{ExtendArgs, OutputArgs, Settings, StrictArgs, VariationArgs};

/// `extend_tree BOOK ROOTS OUT …`
#[derive(Args, Debug)]
#[command(after_help = EXTEND_TREE_EXAMPLES)]
pub(crate) struct ExtendTreeArgs {
    /// The book
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// Root positions: a record file, one line of moves or SFEN each, or in another format (KIF, KI2, CSA, JKF)
    #[arg(value_name = "ROOTS.txt")]
    pub(crate) roots: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) extend: ExtendArgs,
}

const EXTEND_TREE_EXAMPLES: &str = "\
A line is written for every position outside the book that a followed move of the book leads to.

Examples:
  makebook extend_tree book.db startpos.txt think.txt
  makebook extend_tree book.db roots.txt think.txt black_eval_limit 0 white_eval_limit -100
  makebook extend_tree book.db roots.txt think.txt extend_range -20 30 max_game_ply 40";

/// Lists the lines by which a book can grow.
pub(crate) fn extend_tree(args: &ExtendTreeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    text_books("extend_tree", &[&args.book])?;
    let output = args.output.named(Output::classic)?;
    let usual = args.extend.options();
    let options = ExtendTree {
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(&output),
        ..usual
    };
    let job = settings.job()?;
    let report =
        yane_book::extend_tree::extend_tree(&args.book, &args.roots, &output.path, &options, &job)?;
    drop(job);
    let json = json!({
        "roots": report.roots,
        "visited": report.visited,
        "lines": report.lines,
    });
    settings.report(
        &json,
        [
            format!("roots   = {}", report.roots),
            format!("visited = {}", report.visited),
            format!("lines   = {}", report.lines),
        ],
    )
}

// `startsfens`.

/// `startsfens BOOK [OUT]`
#[derive(Args, Debug)]
#[command(after_help = START_SFENS_EXAMPLES)]
pub(crate) struct StartSfensArgs {
    /// The book, .db or .ybb, or game records (KIF, KI2, CSA, JKF, USI lines): a file or a folder
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The list [default: BOOK.db-startsfens.txt]
    #[arg(value_name = "OUT.txt")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Leave out positions that are in the book themselves
    #[arg(long)]
    pub(crate) tips_only: bool,
    #[command(flatten)]
    pub(crate) variations: VariationArgs,
    #[command(flatten)]
    pub(crate) strict: StrictArgs,
}

const START_SFENS_EXAMPLES: &str = "\
Plays every move of the book and writes each position reached once, as SFEN: positions for games
between engines to start from. A position and the same one turned by 180 degrees are one. Game records are read as
the book of their moves.

Examples:
  startsfens user_book1.db
  makebook startsfens user_book1.db start.txt
  makebook startsfens games/ last.txt --tips-only
  makebook startsfens user_book1.db tips.txt --tips-only";

/// Lists the positions after the moves of a book.
pub(crate) fn startsfens(args: &StartSfensArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    if !matches!(Format::of_path(&args.book), Ok(Format::Ybb)) {
        text_books("startsfens", &[&args.book])?;
    }
    let behind = args.output.clone().map(Output::classic);
    let output = if behind.is_some() || args.output_option.is_given() {
        args.output_option.or(behind)?
    } else {
        // A folder's name may end in a slash.
        let mut name = OsString::from(args.book.components().collect::<PathBuf>());
        name.push("-startsfens.txt");
        Output::classic(name)
    };
    let usual = StartSfens::default();
    let options = StartSfens {
        tips_only: args.tips_only,
        variations: args.variations.choice(),
        bad_lines: args.strict.bad_lines(),
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(&output),
    };
    let job = settings.job()?;
    let report = start_sfens(&args.book, &output.path, &options, &job)?;
    drop(job);
    list_problems(&report.problems);
    tell_variations(report.variations_left_out);
    let json = json!({
        "positions": report.positions,
        "moves": report.moves,
        "written": report.written,
        "in_book": report.in_book,
        "variations_left_out": report.variations_left_out,
        "faults": report.problems.count,
        "first_faults": problem_texts(&report.problems),
    });
    settings.report(&json, [format!("positions = {}", report.written)])
}
