//! `convert`, `repair` and `check`: their arguments and what they do.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pack_format::check::{CheckOptions, TeacherCheckReport};
use pack_format::convert::{DataFormat, Recover, TeacherConvertOptions};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use serde_json::{Value, json};
use yane_cli::{FINDINGS, Output, OutputOption, Settings, UsageError, print};
use yane_io::Error;

use crate::conversion;
use crate::conversion::{
    Conversion, HowToConvert, MoveCodesArg, NoMove, NoResult, NoScore, contradictions,
    data_format_parser, format_of, format_parser, input_format, inputs, output_format,
    usual_output,
};
use crate::files::not_one;
use crate::outcome::{counted, lost_json, lost_text};

/// Converts files into another format.
pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let conversions = conversions(args)?;
    conversion::run("teacher", &conversions, settings)
}

fn conversions(args: &ConvertArgs) -> Result<Vec<Conversion>, UsageError> {
    let from = args
        .inputs
        .iter()
        .map(|input| input_format(args.from, input))
        .collect::<Result<Vec<_>, _>>()?;
    let inputs = inputs(&args.inputs)?;
    let to = match &args.output {
        Some(output) => output_format(args.to, output)?,
        None => args.to.expect("clap asks for it"),
    };
    if let Some(output) = &args.output {
        let from = same_kind(&from)?;
        return Ok(vec![Conversion {
            inputs,
            output: Output::by_option(output),
            options: options(args, from, to)?,
        }]);
    }
    let each = args.inputs.iter().zip(inputs).zip(from);
    each.map(|((name, input), from)| {
        Ok(Conversion {
            inputs: vec![input],
            // The name of this file was not given by the user.
            output: Output::by_option(usual_output(name, to)),
            options: options(args, from, to)?,
        })
    })
    .collect()
}

/// The format that all inputs have; formats of game records may be mixed.
fn same_kind(formats: &[DataFormat]) -> Result<DataFormat, UsageError> {
    let first = formats[0];
    let other = formats.iter().find(|format| match (first, **format) {
        (DataFormat::Teacher(first), DataFormat::Teacher(format)) => first != format,
        (DataFormat::Kifu(_), DataFormat::Kifu(_)) => false,
        _ => true,
    });
    other.map_or(Ok(first), |other| Err(not_one(first, *other)))
}

fn options(
    args: &ConvertArgs,
    from: DataFormat,
    to: DataFormat,
) -> Result<TeacherConvertOptions, UsageError> {
    let mut options = args.how.options(from, to)?;
    if let Some(what) = args.no_move {
        options.without_move = what.into();
    }
    if let Some(what) = args.no_score {
        options.unscored = what.into();
    }
    options.undecided = args.no_result.into();
    options.move_codes = args.move_codes.into();
    Ok(options)
}

/// Repairs a damaged file, in its own format.
pub(crate) fn repair(args: &RepairArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let format: TeacherFormat = format_of(args.from, &args.input, "--from")?;
    let options = TeacherConvertOptions {
        contradictions: contradictions(args.strict_reasons),
        recover: if args.prefix {
            Recover::Prefix
        } else {
            Recover::Resync
        },
        move_codes: args.move_codes.into(),
        ..TeacherConvertOptions::new(format, format)
    };
    let conversion = Conversion {
        inputs: vec![Input::named(&args.input)],
        output: args
            .output_option
            .or(args.output.clone().map(Output::behind_inputs))?,
        options,
    };
    conversion::run("teacher", &[conversion], settings)
}

/// `convert IN...`
#[derive(Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The files to convert, each to a file of its own unless there is --output
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Format of the inputs [default: by extension; of game records by content]
    #[arg(long, value_name = "FORMAT", value_parser = data_format_parser())]
    pub(crate) from: Option<DataFormat>,
    /// Format of the output [default: by the extension of --output]
    #[arg(long, value_name = "FORMAT", value_parser = data_format_parser(), required_unless_present = "output")]
    pub(crate) to: Option<DataFormat>,
    /// One output for all inputs [default: IN with the format behind its name, such as x.pack.hcpe]
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Treatment of records that have no move (0x0000) [default: keep; fail for hcpe and hcpe3,
    /// whose readers need the move]
    #[arg(long, value_name = "WHAT")]
    pub(crate) no_move: Option<NoMove>,
    /// Treatment of moves of game records that have no evaluation [default: skip for hcpe, psv and csv; zero for games]
    #[arg(long, value_name = "WHAT")]
    pub(crate) no_score: Option<NoScore>,
    /// Treatment of game records that do not say how the game came out
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = NoResult::Skip)]
    pub(crate) no_result: NoResult,
    /// Codes of the moves in psv files: those of the format (yaneuraou), of hcpe, of rshogi until July 2026, or the
    /// ones that fit the beginning of each file (auto); what is written has the codes of its format
    #[arg(long, value_name = "CODES", value_enum, default_value_t = MoveCodesArg::Yaneuraou)]
    pub(crate) move_codes: MoveCodesArg,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const CONVERT_EXAMPLES: &str = "\
A damaged input makes no output, unless --recover or --resync is given; the other inputs are
converted. What a format cannot hold is lost: hcpe has no ply and no end reason, psv no end reason;
psv files made of hcpe have ply 0. Games cannot be made of single positions.

Records without a move, as `qsearch_psv` writes them, are whole. hcpe3 cannot keep them.

Game records (KIF, KI2, CSA, JKF, USI lines; a file, or a folder with files) become any of the others, and games become
records. The evaluations are those in the comments of the moves: floodgate's '** 30, ShogiHome's *評価値=30.

Examples:
  teacher convert a.pack --to hcpe
  teacher convert a.pack b.pack --to psv
  teacher convert a.hcpe b.hcpe -o all.psv
  teacher convert a.pack -o smooth.hcpe --smoothing 8 --discount 0.9
  teacher convert damaged.pack --to hcpe --resync
  teacher convert quiet.psv --to hcpe --no-move skip
  teacher convert floodgate/2025/ -o 2025.pack --recover
  teacher convert wdoor.csa --to hcpe3 --no-score skip
  teacher convert kifu.pack --to csa
  teacher convert - --from pack --to psv < a.pack > a.psv";

/// `check FILE...`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The files to check
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
    /// Number of problems of a file to list, at most 100; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Tell also of what readers do not mind: unused bytes that are not 0, and what --strict-reasons tells
    #[arg(long)]
    pub(crate) strict: bool,
    /// A game whose end reason cannot go with its result is a problem; otherwise they are counted
    #[arg(long)]
    pub(crate) strict_reasons: bool,
    /// Codes of the moves in psv files: those of the format (yaneuraou), of hcpe, of rshogi until July 2026, or the
    /// ones that fit the beginning of the file (auto)
    #[arg(long, value_name = "CODES", value_enum, default_value_t = MoveCodesArg::Yaneuraou)]
    pub(crate) move_codes: MoveCodesArg,
}

const CHECK_EXAMPLES: &str = "\
Everything is looked at: starts, positions, the legality of every move, results, ends. Behind damage
the check goes on: in a pack where good games provably begin again, in hcpe and psv with the next whole
record, wherever it is. Records without a move (0x0000) are whole, and counted.

Exit code: 0 when nothing is damaged, 1 when something is.

Examples:
  teacher check a.pack
  teacher check *.pack *.hcpe --json
  teacher check a.pack --max 100 --strict
  cat a.psv | teacher check - --from psv";

/// `repair IN OUT`
#[derive(Args, Debug)]
#[command(after_help = REPAIR_EXAMPLES)]
pub(crate) struct RepairArgs {
    /// The damaged file
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The repaired file
    #[arg(value_name = "OUT", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Format of both [default: by the extension of IN]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
    /// Keep only what is before the first damage of a pack, and of hcpe and psv the records that stand
    /// where they should
    #[arg(long, conflicts_with = "resync")]
    pub(crate) prefix: bool,
    /// Find games and records again behind damage, wherever they are (this is what it does anyway)
    #[arg(long)]
    pub(crate) resync: bool,
    /// Leave out games whose end reason cannot go with their result
    #[arg(long)]
    pub(crate) strict_reasons: bool,
    /// Codes of the moves in psv files: those of the format (yaneuraou), of hcpe, of rshogi until July 2026, or the
    /// ones that fit the beginning of the file (auto)
    #[arg(long, value_name = "CODES", value_enum, default_value_t = MoveCodesArg::Yaneuraou)]
    pub(crate) move_codes: MoveCodesArg,
}

const REPAIR_EXAMPLES: &str = "\
Damaged records of hcpe and psv are left out; behind bytes that were inserted or lost the others are
found again. Where a transfer in text mode put carriage returns before line feeds, they are taken out and
the records kept. Of a pack, damaged games are left out, with all that follows until good games provably
begin again. What is left out is told with its bytes. Positions are written in canonical order of the
pieces in hand, unused bytes as 0.

Exit code: 0 when nothing was damaged, 1 when something was left out.

Examples:
  teacher repair damaged.pack good.pack
  teacher repair damaged.pack good.pack --prefix
  teacher repair damaged.pack -o good.pack
  teacher repair of_hcpe_tool.psv good.psv --move-codes auto
  teacher repair x.psv x.psv --force";

/// Result of checking a file.
struct Checked {
    input: Input,
    format: TeacherFormat,
    result: Result<TeacherCheckReport, TeacherError>,
}

/// Checks files.
pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let formats = args
        .files
        .iter()
        .map(|file| format_of(args.from, file, "--from"))
        .collect::<Result<Vec<_>, _>>()?;
    let job = settings.job()?;
    let options = CheckOptions {
        contradictions: contradictions(args.strict_reasons || args.strict),
        unused_bytes: args.strict,
        move_codes: args.move_codes.into(),
    };
    let (mut all_good, mut found) = (true, Vec::new());
    let inputs = inputs(&args.files)?;
    let count = inputs.len();
    for (number, (input, format)) in inputs.into_iter().zip(formats).enumerate() {
        let part = settings.numbered_part_of(&job, number + 1, count);
        let result = pack_format::check::check(&input, format, options, &part);
        drop(part);
        let checked = Checked {
            input,
            format,
            result: match result {
                Err(TeacherError::File(Error::Cancelled)) => Err(Error::Cancelled)?,
                result => result,
            },
        };
        all_good &= checked
            .result
            .as_ref()
            .is_ok_and(TeacherCheckReport::is_good);
        if let Err(error) = &checked.result {
            eprintln!("teacher: {error}");
        } else if !settings.json {
            print::lines(checked.as_lines(args.max))?;
        }
        if !checked
            .result
            .as_ref()
            .is_ok_and(TeacherCheckReport::is_good)
        {
            conversion::hint_at_move_codes(&checked.input, checked.format, options.move_codes);
        }
        found.push(checked.as_json(args.max));
    }
    if settings.json {
        print::json(&json!({"good": all_good, "files": found}))?;
    }
    Ok(if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

impl Checked {
    fn as_lines(&self, max: usize) -> Vec<String> {
        let Ok(report) = &self.result else {
            return Vec::new();
        };
        let input = &self.input;
        let mut lines: Vec<_> = report.lost.iter().take(max).map(lost_text).collect();
        let unlisted = report.damaged - lines.len() as u64;
        if unlisted > 0 {
            lines.push(format!("{input}: {unlisted} more"));
        }
        let verdict = match report.damaged {
            0 => "good".to_owned(),
            count => counted(count, "damaged place"),
        };
        let games = if report.games > 0
            || matches!(self.format, TeacherFormat::Pack | TeacherFormat::Hcpe3)
        {
            counted(report.games, "game") + ", "
        } else {
            String::new()
        };
        let positions = counted(report.positions, "position");
        lines.push(format!("{input}: {verdict}; {games}{positions} in order"));
        for (count, thing, what) in [
            (
                report.contradictions,
                "game",
                "whose end reason cannot go with the result",
            ),
            (report.without_move, "position", "without a move (0x0000)"),
            (
                report.uncanonical,
                "position",
                "not in canonical order of the pieces in hand",
            ),
        ] {
            if count > 0 {
                lines.push(format!("{input}: {} {what}", counted(count, thing)));
            }
        }
        lines
    }

    fn as_json(&self, max: usize) -> Value {
        let mut value = match &self.result {
            Err(error) => json!({"good": false, "error": error.to_string()}),
            Ok(report) => {
                let mut value = json!(report);
                value["good"] = json!(report.is_good());
                value["faults"] = report.lost.iter().take(max).map(lost_json).collect();
                value
            }
        };
        value["file"] = json!(self.input.to_string());
        value["format"] = json!(self.format.name());
        value
    }
}
