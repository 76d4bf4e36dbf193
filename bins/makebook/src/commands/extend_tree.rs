//! `extend_tree`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::extend_tree::ExtendTree;
use yane_cli::Output;

use super::text_books;
use crate::args::{ExtendArgs, OutputArgs};
use crate::print;
use crate::settings::Settings;

/// `extend_tree BOOK ROOTS OUT …`
#[derive(Args, Debug)]
#[command(after_help = EXTEND_TREE_EXAMPLES)]
pub(crate) struct ExtendTreeArgs {
    /// The book
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// Where to begin: a record file, one line of moves or SFEN each
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
    if settings.json() {
        let json = json!({
            "roots": report.roots,
            "visited": report.visited,
            "lines": report.lines,
        });
        print::json(&json)?;
    } else {
        print::lines([
            format!("roots   = {}", report.roots),
            format!("visited = {}", report.visited),
            format!("lines   = {}", report.lines),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}
