//! `unique`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::db::LineEnd;
use yane_book::unique::{Sameness, UniqueOptions};
use yane_cli::Output;

use super::{list_skipped, skipped_texts, text_books};
use crate::args::OutputArgs;
use crate::print;
use crate::settings::Settings;

/// `unique IN OUT`
#[derive(Args, Debug)]
#[command(after_help = UNIQUE_EXAMPLES)]
pub(crate) struct UniqueArgs {
    /// The book
    #[arg(value_name = "IN.db")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// A position and the same one turned by 180 degrees are one
    #[arg(long)]
    pub(crate) flip: bool,
    /// Join the moves of positions that differ only in ply, instead of keeping the smallest ply's
    #[arg(long, visible_alias = "ignore-ply")]
    pub(crate) ignore_book_ply: bool,
}

const UNIQUE_EXAMPLES: &str = "\
Of a position and its turned one the one with black to move remains, with black's moves unless
white's were searched deeper (or as deep, and are more): then white's, turned. Engines find what was
left out with FlippedBook and IgnoreBookPly on.

Examples:
  makebook unique book.db smaller.db
  makebook unique book.db smaller.db --flip
  makebook uniq book.db book.db flip --force";

/// Leaves out what is there more than once.
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
    };
    let job = settings.job()?;
    let report = yane_book::unique::unique(&args.input, &output.path, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json() {
        let json = json!({
            "read": report.read,
            "positions": report.positions,
            "moves": report.moves,
            "repeated": report.repeated,
            "turned": report.flipped,
            "skipped": skipped_texts(&report.skipped),
        });
        print::json(&json)?;
    } else {
        print::lines([
            format!("read      = {}", report.read),
            format!("positions = {}", report.positions),
            format!("moves     = {}", report.moves),
            format!("repeated  = {}", report.repeated),
            format!("turned    = {}", report.flipped),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}
