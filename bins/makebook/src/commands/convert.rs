//! `convert` and its old names.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use shogi_core::Position;
use yane_book::Format;
use yane_book::convert::{BadInput, LostPosition, Options, OtherPlies, OutOfRange, Report};
use yane_book::records::read_roots;
use yane_book::ybb::MoveDepths;
use yane_cli::{Output, UsageError};

use crate::cli::{ConvertArgs, FromToArgs, HowToConvert};
use crate::print;
use crate::settings::Settings;

/// Any format into another.
pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let depths = if args.no_depth {
        MoveDepths::Omitted
    } else {
        MoveDepths::Stored
    };
    let output = args.output.clone().map(Output::behind_inputs);
    let output = args.output_option.or(output)?;
    run(&args.input, &output, depths, &args.how, settings)
}

/// Into Apery's format.
pub(crate) fn to_apery(args: &FromToArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.clone().map(Output::classic);
    let output = args.output_option.or(output)?;
    expect_apery(&output.path, "convert_to_apery writes")?;
    let depths = MoveDepths::default();
    run(&args.input, &output, depths, &args.how, settings)
}

/// From Apery's format.
pub(crate) fn from_apery(args: &FromToArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    expect_apery(&args.input, "convert_from_apery reads")?;
    let output = args.output.clone().map(Output::classic);
    let output = args.output_option.or(output)?;
    let depths = MoveDepths::default();
    run(&args.input, &output, depths, &args.how, settings)
}

fn expect_apery(path: &Path, what: &str) -> anyhow::Result<()> {
    if let Ok(Format::Apery) = Format::of_path(path) {
        return Ok(());
    }
    let path = path.display();
    let message = format!("{what} Apery books: expected a name that ends in .bin, found {path}");
    Err(UsageError(message).into())
}

fn run(
    input: &Path,
    output: &Output,
    depths: MoveDepths,
    how: &HowToConvert,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let options = Options {
        depths,
        out_of_range: if how.clamp {
            OutOfRange::Clamp
        } else {
            OutOfRange::Refuse
        },
        bad_input: if settings.skip_bad {
            BadInput::Skip
        } else {
            BadInput::Refuse
        },
        other_plies: if how.smallest_ply {
            OtherPlies::SmallestOnly
        } else {
            OtherPlies::Refuse
        },
        overwrite: settings.overwrite_by(output),
        line_end: settings.line_end(),
        roots: roots(how)?,
    };
    let job = settings.job()?;
    let report = yane_book::convert::convert(input, &output.path, &options, &job)?;
    drop(job);
    for error in &report.left_out {
        eprintln!("left out: {error}");
    }
    list_lost(&report);
    if settings.json() {
        print::json(&as_json(&report))?;
    } else {
        print::lines(as_lines(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn roots(how: &HowToConvert) -> anyhow::Result<Vec<Position>> {
    let Some(path) = &how.root_sfens_name else {
        return Ok(vec![Position::startpos()]);
    };
    let roots = read_roots(path)?;
    Ok(roots
        .iter()
        .map(|root| root.game().position().clone())
        .collect())
}

fn as_json(report: &Report) -> serde_json::Value {
    let left_out: Vec<_> = report.left_out.iter().map(ToString::to_string).collect();
    json!({
        "positions": report.positions,
        "moves": report.moves,
        "without_moves": report.without_moves,
        "other_plies": report.other_plies,
        "bad_positions": report.bad_positions,
        "bad_moves": report.bad_moves,
        "left_out": left_out,
        "lost": report.lost.iter().map(lost_json).collect::<Vec<_>>(),
        "collisions": report.collisions,
        "unreached": report.unreached,
    })
}

/// Positions of an Apery book that are named when some are lost.
const LOST_NAMED: usize = 10;

/// Names the first positions of an Apery book that are not in the output.
fn list_lost(report: &Report) {
    let all = report.collisions + report.unreached;
    if all == 0 {
        return;
    }
    for lost in report.lost.iter().take(LOST_NAMED) {
        eprintln!("left out: {lost}");
    }
    let more = all.saturating_sub(LOST_NAMED as u64);
    if more > 0 {
        eprintln!("left out: {more} more of these");
    }
    if report.unreached > 0 {
        eprintln!(
            "An Apery book has keys only, so positions are found by playing from the even start. \
             --root-sfens-name names others to play from."
        );
    }
}

fn lost_json(lost: &LostPosition) -> serde_json::Value {
    json!({
        "key": format!("{:016x}", lost.key),
        "sfen": lost.sfen,
        "moves": lost.moves,
        "byte": lost.offset,
    })
}

fn as_lines(report: &Report) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", report.positions),
        format!("moves     = {}", report.moves),
    ];
    for (count, what) in [
        (report.without_moves, "positions without moves"),
        (
            report.other_plies,
            "positions that are there with a smaller ply",
        ),
        (report.bad_positions, "bad positions"),
        (report.bad_moves, "bad moves"),
        (report.collisions, "positions with an illegal move"),
        (report.unreached, "positions that cannot be reached"),
    ] {
        if count > 0 {
            lines.push(format!("left out  = {count} {what}"));
        }
    }
    lines
}
