//! `stats`.

use std::process::ExitCode;

use pack_format::stats::StatsOptions;
use pack_format::stream::Output;
use yane_cli::{Output as Named, Settings, print};

use super::work::timed;
use crate::cli::StatsArgs;
use crate::names::{check_page, is_standard};

/// Tells what is in files.
pub(super) fn stats(args: &StatsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (inputs, format) = args.files.open()?;
    if let Some(page) = &args.html {
        check_page(&Named::by_option(page), &inputs, settings)?;
    }
    let options = StatsOptions {
        skip_bad: args.skip_bad,
    };
    let (stats, _) = timed(settings, |job| {
        pack_format::stats::stats(&inputs, format, &options, job)
    })?;
    if let Some(page) = &args.html {
        let mut file = Output::create(page)?;
        file.put(stats.to_html().as_bytes())?;
        file.commit()?;
        if is_standard(page) {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if settings.json {
        print::lines([stats.to_json()])?;
    } else {
        print::lines([stats.to_text().trim_end()])?;
    }
    Ok(ExitCode::SUCCESS)
}
