//! `shuffle`, `dedup`, `split` and `concat`: their arguments and what they do.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use pack_format::TeacherFormat;
use pack_format::dedup::{DedupBy, DedupOptions, Keep};
use pack_format::parts::{ConcatOptions, SplitOptions, SplitParts};
use pack_format::shuffle::ShuffleOptions;
use serde_json::json;
use yane_cli::{HumanCount, Output, Settings};

use super::{tell, timed};
use crate::conversion::check_output;
use crate::files::Files;
use crate::outcome::counted;

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
        if args.average {
            pack_format::average::average(&inputs, output, &options, job)
        } else {
            pack_format::dedup::dedup(&inputs, output, &options, job)
        }
    })?;
    let averaged = if args.average {
        format!(", {} with a mean score", HumanCount(report.averaged))
    } else {
        String::new()
    };
    let what = format!(
        "{} of {} kept, {} left out{averaged}{}",
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
        "averaged": report.averaged,
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

/// Returns the name of one unit of a format.
const fn unit_of(format: TeacherFormat) -> &'static str {
    match format {
        TeacherFormat::Pack | TeacherFormat::Hcpe3 => "game",
        TeacherFormat::Hcpe | TeacherFormat::Psv => "record",
        TeacherFormat::Jsonl | TeacherFormat::Csv => "line",
    }
}

/// `shuffle FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = SHUFFLE_EXAMPLES)]
pub(crate) struct ShuffleArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The shuffled file
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The same seed gives the same order, whatever the memory and the threads
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

const SHUFFLE_EXAMPLES: &str = "\
All files are shuffled together. Games of pack and hcpe3 stay whole. What does not fit in --memory
goes once through a temporary file of the size of the inputs (--temp-dir).

Examples:
  teacher shuffle a.psv -o shuffled.psv --seed 1
  teacher shuffle a.hcpe b.hcpe c.hcpe -o all.hcpe --seed 2026 --memory 8G
  teacher shuffle a.psv -o a.psv --force";

/// `dedup FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = DEDUP_EXAMPLES)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The file without duplicates
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Key of the comparison [default: position in hcpe and psv, record in other formats]
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<By>,
    /// Duplicate to keep
    #[arg(long, value_name = "WHICH", default_value = "first")]
    pub(crate) keep: Which,
    /// Give what is kept the mean of the scores of all that are the same, and the result that most of them have (hcpe
    /// and psv, by position or move)
    #[arg(long)]
    pub(crate) average: bool,
}

const DEDUP_EXAMPLES: &str = "\
Positions are the same whatever the order in which the pieces in hand are written. The order of what
stays is kept. What does not fit in --memory goes through temporary files (--temp-dir).

Examples:
  teacher dedup a.psv -o unique.psv
  teacher dedup old.hcpe new.hcpe -o all.hcpe --keep last
  teacher dedup a.psv -o b.psv --by move
  teacher dedup a.psv -o mean.psv --average
  teacher dedup a.pack b.pack -o games.pack";

/// Key by which duplicates are found.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum By {
    /// Board, hands and side to move
    Position,
    /// The same and the move played
    Move,
    /// Everything; whole games of pack and hcpe3, lines of text
    Record,
}

impl From<By> for DedupBy {
    fn from(by: By) -> Self {
        match by {
            By::Position => Self::Position,
            By::Move => Self::PositionAndMove,
            By::Record => Self::WholeRecord,
        }
    }
}

/// Duplicate to keep.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Which {
    /// The first
    First,
    /// The last
    Last,
}

impl From<Which> for Keep {
    fn from(which: Which) -> Self {
        match which {
            Which::First => Self::First,
            Which::Last => Self::Last,
        }
    }
}

/// `split FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = SPLIT_EXAMPLES)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The parts are OUT with a number before the extension: train.psv gives train.0001.psv ...
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) parts: PartsArgs,
    /// With --ratio: the same seed makes the same choices
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Division into parts.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct PartsArgs {
    /// N parts of about the same size, in order
    #[arg(long, value_name = "N")]
    pub(crate) parts: Option<u64>,
    /// Parts of N records, games or lines each, in order
    #[arg(long, value_name = "N")]
    pub(crate) each: Option<u64>,
    /// A part for each number; which one a record, game or line goes to is chosen at random
    #[arg(long, value_name = "A,B,...", value_delimiter = ',')]
    pub(crate) ratio: Option<Vec<f64>>,
}

const SPLIT_EXAMPLES: &str = "\
Records and games stay whole. No part appears before all are complete.

Examples:
  teacher split a.psv -o part.psv --parts 8
  teacher split a.hcpe b.hcpe -o part.hcpe --each 1000000
  teacher split a.psv -o set.psv --ratio 98,1,1 --seed 7";

/// `concat FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = CONCAT_EXAMPLES)]
pub(crate) struct ConcatArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The file that has all of them
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

const CONCAT_EXAMPLES: &str = "\
A file that ends inside a record or game is an error: what follows it could not be read. Of several
csv files one header stays.

Examples:
  teacher concat a.pack b.pack c.pack -o all.pack
  teacher concat a.psv - -o - < b.psv > all.psv";
