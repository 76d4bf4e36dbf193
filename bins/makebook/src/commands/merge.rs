//! `merge` and `sort`.

use std::process::ExitCode;

use serde::Serialize;
use shogi_core::Color;
use yane_book::merge::{MergeInput, MergeOptions, MergeReport};

use super::list_skipped;
use crate::classic::{Classic, UsageError, flag};
use crate::cli::{MergeArgs, SortArgs};
use crate::settings::Settings;

/// Merges two books or more.
pub(crate) fn merge(args: &MergeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let classic = Classic::parse(&args.words, &[flag("bw"), flag("wb")])?;
    let (inputs, output) = classic.inputs_and_output(2)?;
    let sides = match (classic.has("bw"), classic.has("wb")) {
        (true, false) => [Some(Color::Black), Some(Color::White)],
        (false, true) => [Some(Color::White), Some(Color::Black)],
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
    let options = options(args.ignore_ply, settings);
    let job = settings.job()?;
    let report = yane_book::merge::merge(&inputs, &output, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json {
        print_json(&report)?;
    } else {
        let alone: Vec<String> = report.alone.iter().map(u64::to_string).collect();
        println!(
            "same nodes = {} , different nodes =  {}",
            report.common,
            alone.join(" + ")
        );
        print_totals(&report);
    }
    Ok(ExitCode::SUCCESS)
}

/// Sorts a book.
pub(crate) fn sort(args: &SortArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let classic = Classic::parse(&args.words, &[])?;
    let [input, output] = classic.files(["the book to sort", "the output"])?;
    let options = options(args.ignore_ply, settings);
    let job = settings.job()?;
    let report = yane_book::merge::merge(&[MergeInput::new(input)], &output, options, &job)?;
    drop(job);
    list_skipped(&report.skipped);
    if settings.json {
        print_json(&report)?;
    } else {
        print_totals(&report);
    }
    Ok(ExitCode::SUCCESS)
}

fn options(ignore_ply: bool, settings: &Settings) -> MergeOptions {
    MergeOptions {
        ignore_ply,
        line_end: settings.line_end(),
        overwrite: settings.overwrite(),
        bad_lines: settings.bad_lines(),
    }
}

fn print_totals(report: &MergeReport) {
    println!("positions = {}", report.positions);
    println!("moves     = {}", report.moves);
    if report.larger_ply > 0 {
        let dropped = report.larger_ply;
        println!("dropped   = {dropped} (same position with a smaller ply)");
    }
}

fn print_json(report: &MergeReport) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Json<'a> {
        read: &'a [u64],
        common: u64,
        alone: &'a [u64],
        positions: u64,
        moves: u64,
        larger_ply: u64,
        without_moves: u64,
        skipped: Vec<String>,
    }
    let json = Json {
        read: &report.read,
        common: report.common,
        alone: &report.alone,
        positions: report.positions,
        moves: report.moves,
        larger_ply: report.larger_ply,
        without_moves: report.without_moves,
        skipped: report.skipped.iter().map(ToString::to_string).collect(),
    };
    println!("{}", serde_json::to_string(&json)?);
    Ok(())
}
