//! `shuffle`, `dedup`, `split`, `concat`.

use std::process::ExitCode;

use pack_format::TeacherFormat;
use pack_format::dedup::DedupOptions;
use pack_format::parts::{ConcatOptions, SplitOptions, SplitParts};
use pack_format::shuffle::ShuffleOptions;
use serde_json::json;
use yane_cli::{HumanCount, Output, Settings};

use super::work::{tell, timed};
use crate::cli::{ConcatArgs, DedupArgs, ShuffleArgs, SplitArgs};
use crate::names::check_output;
use crate::report::counted;

/// Puts everything into random order.
pub(super) fn shuffle(args: &ShuffleArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let options = ShuffleOptions {
        seed: args.seed,
        overwrite: settings.overwrite(),
        ..ShuffleOptions::new(format)
    };
    let (report, time) = timed(settings, |job| {
        pack_format::shuffle::shuffle(&inputs, output, &options, job)
    })?;
    let what = format!(
        "{}, {}{}",
        counted(report.units, unit_of(format)),
        counted(report.bytes, "byte"),
        remarks(report.without_move, report.spilled)
    );
    let json = json!({
        "units": report.units,
        "without_move": report.without_move,
        "bytes": report.bytes,
        "spilled": report.spilled,
        "seed": args.seed,
    });
    tell(settings, (&inputs, output), time, &what, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Records without a move, and bytes that went through temporary files, where there were any.
fn remarks(without_move: u64, spilled: u64) -> String {
    let mut remarks = Vec::new();
    if without_move > 0 {
        remarks.push(format!(
            "{} without a move",
            counted(without_move, "record")
        ));
    }
    if spilled > 0 {
        remarks.push(format!(
            "{} through temporary files",
            counted(spilled, "byte")
        ));
    }
    if remarks.is_empty() {
        String::new()
    } else {
        format!(" ({})", remarks.join(", "))
    }
}

/// Leaves out duplicates.
pub(super) fn dedup(args: &DedupArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let usual = DedupOptions::new(format);
    let options = DedupOptions {
        by: args.by.map_or(usual.by, Into::into),
        keep: args.keep.into(),
        overwrite: settings.overwrite(),
        ..usual
    };
    let (report, time) = timed(settings, |job| {
        pack_format::dedup::dedup(&inputs, output, &options, job)
    })?;
    let what = format!(
        "{} of {} kept, {} left out{}",
        HumanCount(report.kept),
        counted(report.records, unit_of(format)),
        HumanCount(report.dropped),
        remarks(report.without_move, report.spilled)
    );
    let json = json!({
        "records": report.records,
        "without_move": report.without_move,
        "kept": report.kept,
        "dropped": report.dropped,
        "spilled": report.spilled,
    });
    tell(settings, (&inputs, output), time, &what, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes several files of one.
pub(super) fn split(args: &SplitArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    let parts = &args.parts;
    let parts = match (parts.parts, parts.each, &parts.ratio) {
        (Some(count), ..) => SplitParts::Count(count),
        (_, Some(units), _) => SplitParts::Units(units),
        (.., Some(ratio)) => SplitParts::Ratio(ratio.clone()),
        (None, None, None) => unreachable!("clap asks for one of them"),
    };
    let options = SplitOptions {
        seed: args.seed,
        overwrite: settings.overwrite(),
        ..SplitOptions::new(format, parts)
    };
    let (report, time) = timed(settings, |job| {
        pack_format::parts::split(&inputs, output, &options, job)
    })?;
    let parts = report.parts.iter().map(|part| {
        json!({
            "path": part.path.to_string_lossy(),
            "units": part.units,
            "bytes": part.bytes,
        })
    });
    let json = json!({
        "parts": parts.collect::<Vec<_>>(),
        "without_move": report.without_move,
    });
    if !settings.json && !settings.quiet {
        for part in &report.parts {
            let units = counted(part.units, unit_of(format));
            eprintln!("{}: {units}", part.path.display());
        }
    }
    let parts = counted(report.parts.len() as u64, "part");
    let what = format!("{parts}{}", remarks(report.without_move, 0));
    tell(settings, (&inputs, output), time, &what, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes one file of several.
pub(super) fn concat(args: &ConcatArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let options = ConcatOptions {
        overwrite: settings.overwrite(),
        ..ConcatOptions::new(format)
    };
    let (report, time) = timed(settings, |job| {
        pack_format::parts::concat(&inputs, output, &options, job)
    })?;
    let units = counted(report.units, unit_of(format));
    let bytes = counted(report.bytes, "byte");
    let what = format!("{units}, {bytes}{}", remarks(report.without_move, 0));
    let json = json!({
        "units": report.units,
        "without_move": report.without_move,
        "bytes": report.bytes,
    });
    tell(settings, (&inputs, output), time, &what, json)?;
    Ok(ExitCode::SUCCESS)
}

/// What files of a format consist of.
const fn unit_of(format: TeacherFormat) -> &'static str {
    match format {
        TeacherFormat::Pack | TeacherFormat::Hcpe3 => "game",
        TeacherFormat::Hcpe | TeacherFormat::Psv => "record",
        TeacherFormat::Jsonl | TeacherFormat::Csv => "line",
    }
}
