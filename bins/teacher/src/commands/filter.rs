//! `filter`.

use std::process::ExitCode;

use pack_format::filter::{FilterOptions, TeacherFilterReport};
use serde_json::json;
use yane_cli::{HumanCount, Output, Settings};

use super::work::{list_skipped, tell, timed};
use crate::cli::FilterArgs;
use crate::names::check_output;
use crate::report::counted;

/// Keeps a part of the data.
pub(super) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let options = FilterOptions {
        format,
        conditions: args.conditions(),
        skip_bad: args.skip_bad,
        overwrite: settings.overwrite(),
    };
    let (report, time) = timed(settings, |job| {
        pack_format::filter::filter(&inputs, output, &options, job)
    })?;
    list_skipped(&report.skipped);
    if !settings.json && !settings.quiet {
        for dropped in &report.dropped {
            let count = HumanCount(dropped.count);
            eprintln!("{count} do not meet: {}", dropped.condition);
        }
        if report.without_move > 0 {
            let count = counted(report.without_move, "record");
            eprintln!("{count} without a move (0x0000) among those read");
        }
    }
    tell(
        settings,
        (&inputs, output),
        time,
        &kept(&report),
        json!(report),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn kept(report: &TeacherFilterReport) -> String {
    let positions = format!(
        "{} of {}",
        HumanCount(report.positions_kept),
        counted(report.positions_read, "position")
    );
    if report.games_read == 0 {
        return format!("{positions} kept");
    }
    let games = counted(report.games_read, "game");
    format!(
        "{} of {games}, {positions} kept",
        HumanCount(report.games_kept)
    )
}
