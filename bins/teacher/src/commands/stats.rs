//! `stats`.

use std::path::Path;
use std::process::ExitCode;

use pack_format::stats::StatsOptions;
use pack_format::stream::StreamOutput;
use yane_cli::{Output as Named, Settings, UsageError, print};

use super::work::timed;
use crate::cli::StatsArgs;
use crate::names::{check_page, is_standard};

/// Writes a page or a picture.
fn write(name: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = StreamOutput::create(name)?;
    file.put(text.as_bytes())?;
    Ok(file.commit()?)
}

/// Tells what is in files.
pub(super) fn stats(args: &StatsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (inputs, format) = args.files.open()?;
    let outputs = [&args.html, &args.svg];
    let named = || outputs.into_iter().flatten();
    for output in named() {
        check_page(&Named::by_option(output), &inputs, settings)?;
    }
    if let (Some(page), Some(picture)) = (&args.html, &args.svg)
        && page == picture
    {
        let text = format!("--html and --svg both want {}", page.display());
        return Err(UsageError(text).into());
    }
    let options = StatsOptions {
        skip_bad: args.skip_bad,
    };
    let (stats, _) = timed(settings, |job| {
        pack_format::stats::stats(&inputs, format, &options, job)
    })?;
    if let Some(page) = &args.html {
        write(page, &stats.to_html())?;
    }
    if let Some(picture) = &args.svg {
        write(picture, &stats.to_svg())?;
    }
    if named().any(|output| is_standard(output)) {
        return Ok(ExitCode::SUCCESS);
    }
    if settings.json {
        print::lines([stats.to_json()])?;
    } else {
        print::lines([stats.to_text().trim_end()])?;
    }
    Ok(ExitCode::SUCCESS)
}
