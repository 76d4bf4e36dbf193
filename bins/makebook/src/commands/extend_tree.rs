//! `extend_tree`.

use std::process::ExitCode;

use serde_json::json;
use shogi_core::ByColor;
use yane_book::extend_tree::ExtendTree;
use yane_cli::Output;

use super::text_books;
use crate::cli::ExtendTreeArgs;
use crate::print;
use crate::settings::Settings;

/// Lists the lines by which a book can grow.
pub(crate) fn extend_tree(args: &ExtendTreeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    text_books("extend_tree", &[&args.book])?;
    let output = args
        .output_option
        .or(args.output.clone().map(Output::classic))?;
    let usual = ExtendTree::default();
    let options = ExtendTree {
        eval_limit: ByColor([args.black_eval_limit, args.white_eval_limit]),
        extend_range: match args.extend_range.as_deref() {
            Some(&[min, max]) => Some((min, max)),
            _ => None,
        },
        max_game_ply: args.max_game_ply,
        ignore_book_ply: args.ignore_book_ply,
        all_leaves: args.all_leaves,
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
