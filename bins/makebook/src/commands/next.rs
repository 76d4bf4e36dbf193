//! What to search next: `peta_next`, `peta_shock_next`, `peta_shock_next2`.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use yane_book::peta_next::{PetaNext, PetaShockNext, PetaShockNext2, ShockNextReport, ShockOutput};
use yane_cli::{Output, OutputOption, UsageError};

use super::{text_books, usual_roots};
use crate::cli::{PetaNextArgs, PetaShockNext2Args, PetaShockNextArgs, RootArgs};
use crate::print;
use crate::settings::Settings;

/// `PetaNext`'s selection.
pub(crate) fn peta_next(args: &PetaNextArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let book = args.book.as_ref().or(args.peta_book.as_ref());
    let book = book.cloned().unwrap_or_default();
    text_books("peta_next", &[&book])?;
    let folder = args
        .output
        .as_ref()
        .map_or_else(|| Output::behind_inputs(&args.folder), Output::by_option);
    let options = PetaNext {
        eval_diff: args.eval_diff,
        max_ply: args.max_ply,
        side: args.side.map(Into::into),
        overwrite: settings.overwrite_by(&folder),
    };
    let job = settings.job()?;
    let roots = args.roots.as_deref();
    let report = yane_book::peta_next::peta_next(&book, roots, &folder.path, &options, &job)?;
    drop(job);
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    if settings.json() {
        let json = json!({
            "positions": report.positions,
            "roots": report.roots,
            "black": report.black,
            "white": report.white,
            "illegal_moves": report.illegal_moves,
            "files": files,
        });
        print::json(&json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sides = [("black", report.black), ("white", report.white)];
    let mut lines = vec![format!("positions = {}", report.positions)];
    lines.extend(
        sides
            .iter()
            .filter_map(|(name, count)| Some(format!("{name}     = {}", (*count)?))),
    );
    if report.illegal_moves > 0 {
        lines.push(format!("illegal   = {}", report.illegal_moves));
    }
    print::lines(lines)?;
    Ok(ExitCode::SUCCESS)
}

/// Ends of best lines.
pub(crate) fn peta_shock_next(
    args: &PetaShockNextArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    text_books("peta_shock_next", &[&args.book])?;
    let (output, count) = output_and_count(&args.output_option, &args.output_and_count)?;
    let options = PetaShockNext {
        eval_noise: args.eval_noise,
        seed: args.seed,
        output: how_to_write(&args.roots, &output, settings),
        ..PetaShockNext::new(count)
    };
    let roots = usual_roots(args.roots.root_sfens_name.as_ref());
    let job = settings.job()?;
    let report = yane_book::peta_next::peta_shock_next(
        &args.book,
        roots.as_deref(),
        &output.path,
        &options,
        &job,
    )?;
    drop(job);
    print_report(&report, settings)
}

/// One side's best moves against all of the other's.
pub(crate) fn peta_shock_next2(
    args: &PetaShockNext2Args,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    text_books("peta_shock_next2", &[&args.book])?;
    let (output, count) = output_and_count(&args.output_option, &args.output_and_count)?;
    let options = PetaShockNext2 {
        eval_limit: args.eval_limit,
        output: how_to_write(&args.roots, &output, settings),
        ..PetaShockNext2::new(count)
    };
    let roots = usual_roots(args.roots.root_sfens_name.as_ref());
    let job = settings.job()?;
    let report = yane_book::peta_next::peta_shock_next2(
        &args.book,
        roots.as_deref(),
        &output.path,
        &options,
        &job,
    )?;
    drop(job);
    print_report(&report, settings)
}

/// `OUT N`, or with `-o OUT` only `N`.
fn output_and_count(
    option: &OutputOption,
    words: &[PathBuf],
) -> Result<(Output, usize), UsageError> {
    let (behind, count) = match words {
        [output, count] => (Some(Output::classic(output)), count),
        [count] if option.is_given() => (None, count),
        _ => {
            return Err(UsageError(
                "expected OUT.txt N, or N and -o OUT.txt".to_owned(),
            ));
        }
    };
    let number = count.to_str().and_then(|count| count.parse().ok());
    let count = number.ok_or_else(|| {
        let count = count.display();
        UsageError(format!("{count}: expected N, a number of positions"))
    })?;
    Ok((option.or(behind)?, count))
}

fn how_to_write(args: &RootArgs, output: &Output, settings: &Settings) -> ShockOutput {
    let usual = PetaShockNext::new(0).output;
    ShockOutput {
        from_startpos: args.from_startpos,
        on_fault: settings.on_graph_fault(),
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(output),
    }
}

fn print_report(report: &ShockNextReport, settings: &Settings) -> anyhow::Result<ExitCode> {
    if settings.json() {
        let json = json!({
            "positions": report.positions,
            "roots": report.roots,
            "written": report.written,
            "left_out": report.left_out,
        });
        print::json(&json)?;
    } else {
        print::lines([
            format!("positions = {}", report.positions),
            format!("written   = {}", report.written),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}
