//! Conversions, as commands make them: several files, a summary of each, exit code.

use std::io::{ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use pack_format::convert::{
    DataFormat, Recover, Smoothing, TeacherConvertOptions, TeacherConvertReport, Undecided,
    Unscored, WithoutMove, convert,
};
use pack_format::move_codes::{MoveCodes, MoveCodesChoice, survey};
use pack_format::pack::Contradictions;
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use shogi_kifu::KifuFormat;
use yane_cli::{FINDINGS, Output, Settings, UsageError, print};
use yane_io::Error;

use crate::names::is_standard;
use crate::outcome;
use crate::outcome::Outcome;

/// Options of a conversion.
#[derive(Args, Clone, Debug)]
pub struct HowToConvert {
    /// Replace each score by the mean of it and those of the next plies of its game, N in all
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub smoothing: u32,
    /// With --smoothing: weight of each further ply, as a factor
    #[arg(long, value_name = "D", default_value_t = 1.0)]
    pub discount: f64,
    /// A game whose end reason cannot go with its result is an error
    #[arg(long)]
    pub strict_reasons: bool,
    /// Keep what is good before damage; the exit code is 1 all the same
    #[arg(long)]
    pub recover: bool,
    /// Keep what is provably good behind damage too: later games, and records that inserted or lost bytes
    /// moved (implies --recover)
    #[arg(long)]
    pub resync: bool,
}

/// Codes of the moves in psv files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MoveCodesArg {
    /// The codes that fit the beginning of each file
    Auto,
    /// Those of the format
    Yaneuraou,
    /// Those of hcpe
    Hcpe,
    /// Those of rshogi until July 2026
    RshogiOld,
}

impl From<MoveCodesArg> for MoveCodesChoice {
    fn from(codes: MoveCodesArg) -> Self {
        match codes {
            MoveCodesArg::Auto => Self::Auto,
            MoveCodesArg::Yaneuraou => Self::Fixed(MoveCodes::Yaneuraou),
            MoveCodesArg::Hcpe => Self::Fixed(MoveCodes::Hcpe),
            MoveCodesArg::RshogiOld => Self::Fixed(MoveCodes::RshogiOld),
        }
    }
}

/// Says on standard error when most of the moves that are illegal in a psv file are legal in other codes.
pub(crate) fn hint_at_move_codes(
    input: &Input,
    format: impl Into<DataFormat>,
    codes: MoveCodesChoice,
) {
    if !format.into().is(TeacherFormat::Psv) || codes != MoveCodesChoice::default() {
        return;
    }
    let Ok(survey) = survey(input) else { return };
    if let Some(other) = survey.other() {
        eprintln!("{input}: {survey}: read it with --move-codes {other}");
    }
}

/// Treatment of records without a move.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum NoMove {
    /// An error; with --recover or --resync they are left out as damage is
    Fail,
    /// Leave them out, and count them
    Skip,
    /// Keep them: the move of the new record is 0x0000 (the word none in text)
    Keep,
}

impl From<NoMove> for WithoutMove {
    fn from(what: NoMove) -> Self {
        match what {
            NoMove::Fail => Self::Refuse,
            NoMove::Skip => Self::Skip,
            NoMove::Keep => Self::Keep,
        }
    }
}

/// Treatment of moves of game records without an evaluation.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum NoScore {
    /// An error; with --recover or --resync the games are left out as damage is
    Fail,
    /// Leave out their positions, and count them; where games are written as a whole, the games
    Skip,
    /// Write 0, and count them
    Zero,
}

impl From<NoScore> for Unscored {
    fn from(what: NoScore) -> Self {
        match what {
            NoScore::Fail => Self::Refuse,
            NoScore::Skip => Self::Skip,
            NoScore::Zero => Self::Zero,
        }
    }
}

/// Treatment of game records without a result.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum NoResult {
    /// An error; with --recover or --resync they are left out as damage is
    Fail,
    /// Leave them out, and count them
    Skip,
    /// Take them for draws that were broken off, and count them
    Draw,
}

impl From<NoResult> for Undecided {
    fn from(what: NoResult) -> Self {
        match what {
            NoResult::Fail => Self::Refuse,
            NoResult::Skip => Self::Skip,
            NoResult::Draw => Self::Draw,
        }
    }
}

impl HowToConvert {
    /// The options of a conversion.
    ///
    /// # Errors
    /// When the smoothing makes no sense.
    pub fn options(
        &self,
        from: impl Into<DataFormat>,
        to: impl Into<DataFormat>,
    ) -> Result<TeacherConvertOptions, UsageError> {
        let smoothing = Smoothing::new(self.smoothing, self.discount)
            .map_err(|error| UsageError(error.to_string()))?;
        Ok(TeacherConvertOptions {
            smoothing: (self.smoothing > 1).then_some(smoothing),
            contradictions: contradictions(self.strict_reasons),
            recover: recover(self.recover, self.resync),
            ..TeacherConvertOptions::new(from, to)
        })
    }
}

/// Returns the treatment of games whose end reason contradicts their result.
pub(crate) const fn contradictions(strict: bool) -> Contradictions {
    if strict {
        Contradictions::Refuse
    } else {
        Contradictions::Accept
    }
}

/// Returns the treatment of damaged files.
pub(crate) const fn recover(prefix: bool, resync: bool) -> Recover {
    match (prefix, resync) {
        (_, true) => Recover::Resync,
        (true, false) => Recover::Prefix,
        (false, false) => Recover::No,
    }
}

/// Inputs that become one output.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The inputs, in their order in the output.
    pub inputs: Vec<Input>,
    /// The output; `-` is the standard output.
    pub output: Output,
    /// Options of the conversion; the output says whether a file may be replaced.
    pub options: TeacherConvertOptions,
}

/// Makes the conversions, one after the other, and says what came of each. A damaged or missing file
/// keeps none of the others from being converted.
///
/// # Errors
/// Wrong usage, an output that is also an input, Ctrl-C, a reader of the standard output that went
/// away.
pub fn run(
    program: &str,
    conversions: &[Conversion],
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    check(conversions, settings)?;
    let job = settings.job()?;
    let mut outcomes = Vec::new();
    for (number, conversion) in conversions.iter().enumerate() {
        let part = settings.numbered_part_of(&job, number + 1, conversions.len());
        let begin = Instant::now();
        let output = &conversion.output;
        let options = TeacherConvertOptions {
            overwrite: settings.overwrite_by(output),
            ..conversion.options.clone()
        };
        let result = convert(&conversion.inputs, &output.path, &options, &part);
        drop(part);
        let outcome = Outcome {
            inputs: &conversion.inputs,
            output: &output.path,
            options: &conversion.options,
            result: concerning_file(result)?,
            time: begin.elapsed(),
        };
        outcome.tell(program, settings);
        if !outcome.is_good() {
            for input in &conversion.inputs {
                let options = &conversion.options;
                hint_at_move_codes(input, options.from, options.move_codes);
            }
        }
        outcomes.push(outcome);
    }
    if settings.json {
        print::json(&outcome::as_json(&outcomes))?;
    } else if outcomes.len() > 1 && !settings.quiet {
        eprintln!("{}", outcome::total(&outcomes));
    }
    Ok(if outcomes.iter().all(Outcome::is_good) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

/// Checks names before anything is done.
fn check(conversions: &[Conversion], settings: &Settings) -> anyhow::Result<()> {
    let inputs: Vec<_> = conversions
        .iter()
        .flat_map(|conversion| conversion.inputs.iter().cloned())
        .collect();
    for Conversion {
        output, options, ..
    } in conversions
    {
        check_output(output, options.to, &inputs, settings)?;
    }
    Ok(())
}

/// The result of work on a file, unless it is an error that ends the work on all files.
fn concerning_file(
    result: Result<TeacherConvertReport, TeacherError>,
) -> anyhow::Result<Result<TeacherConvertReport, TeacherError>> {
    match result {
        Err(TeacherError::Unrepresentable { .. } | TeacherError::Option(_)) => {
            let reason = result.err().map(|error| error.to_string());
            Err(UsageError(reason.unwrap_or_default()).into())
        }
        Err(TeacherError::File(Error::Cancelled)) => Err(Error::Cancelled.into()),
        Err(TeacherError::File(Error::Io { path, reason }))
            if reason.kind() == ErrorKind::BrokenPipe =>
        {
            Err(Error::Io { path, reason }.into())
        }
        result => Ok(result),
    }
}

/// Reads the name of a format.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = TeacherFormat> {
    PossibleValuesParser::new(TeacherFormat::ALL.map(TeacherFormat::name))
        .try_map(|name| TeacherFormat::from_name(&name).ok_or("unknown format"))
}

/// Reads the name of a format of teacher data or game records.
pub(crate) fn data_format_parser() -> impl TypedValueParser<Value = DataFormat> {
    PossibleValuesParser::new(DataFormat::all().map(DataFormat::name)).try_map(|name| {
        let found = DataFormat::all().find(|format| format.name() == name);
        found.ok_or("unknown format")
    })
}

/// The format of a file that is converted: the one that was `named`, else the one its extension says, else that of game
/// records, which its contents say. A folder has game records.
pub(crate) fn input_format(
    named: Option<DataFormat>,
    file: &Path,
) -> Result<DataFormat, UsageError> {
    if let Some(named) = named {
        return Ok(named);
    }
    if file.is_dir() || file.as_os_str().to_string_lossy().ends_with('/') {
        return Ok(KifuFormat::Csa.into());
    }
    let by_name = TeacherFormat::of_path(file);
    // JKF is JSON, too.
    if by_name.is_none_or(|format| format == TeacherFormat::Jsonl)
        && let Ok(Some(format)) = shogi_kifu::detect_file(file)
        && (by_name.is_none() || is_jkf(file))
    {
        return Ok(format.into());
    }
    match by_name
        .map(DataFormat::from)
        .or_else(|| record_format(file))
    {
        Some(format) => Ok(format),
        None => format_of(None, file, "--from").map(Into::into),
    }
}

/// The format of game records that the extension of a file says.
fn record_format(file: &Path) -> Option<DataFormat> {
    let extension = file.extension()?.to_str()?;
    KifuFormat::of_extension(extension).map(DataFormat::from)
}

/// Returns whether a file of JSON begins with a game of JKF, whose header games of teacher data do not have.
fn is_jkf(file: &Path) -> bool {
    yane_io::sniff::Head::read(file).is_ok_and(|head| {
        let text = head.text();
        text.windows(8).any(|bytes| bytes == b"\"header\"")
    })
}

/// The format of an output: the one that was `named`, or else the one its extension says.
pub(crate) fn output_format(
    named: Option<DataFormat>,
    file: &Path,
) -> Result<DataFormat, UsageError> {
    let by_name = || TeacherFormat::of_path(file).map(DataFormat::from);
    match named.or_else(by_name).or_else(|| record_format(file)) {
        Some(format) => Ok(format),
        None => format_of(None, file, "--to").map(Into::into),
    }
}

/// The format of a file: the one that was `named`, or else the one its extension says.
pub(crate) fn format_of(
    named: Option<TeacherFormat>,
    file: &Path,
    option: &str,
) -> Result<TeacherFormat, UsageError> {
    named
        .or_else(|| TeacherFormat::of_path(file))
        .ok_or_else(|| {
            let file = file.display();
            UsageError(format!(
                "the name {file} does not say the format: give it with {option}"
            ))
        })
}

/// The inputs that a command line names.
///
/// # Errors
/// When the standard input is named more than once.
pub fn inputs(names: &[PathBuf]) -> Result<Vec<Input>, UsageError> {
    if names.iter().filter(|name| is_standard(name)).count() > 1 {
        let text = "the standard input (-) can be read only once";
        return Err(UsageError(text.to_owned()));
    }
    Ok(names.iter().map(Input::named).collect())
}

/// `IN` with `.FORMAT` behind it; the standard output for the standard input.
pub fn usual_output(input: &Path, format: impl Into<DataFormat>) -> PathBuf {
    if is_standard(input) {
        return input.to_owned();
    }
    let extension = match format.into() {
        DataFormat::Teacher(format) => format.name(),
        DataFormat::Kifu(format) => format.extension(),
    };
    // A folder's name may end in a slash.
    let mut name = input.components().collect::<PathBuf>().into_os_string();
    name.push(".");
    name.push(extension);
    name.into()
}

/// Checks an output before work begins.
///
/// # Errors
/// When it is there and may not be replaced, when binary data would go to a terminal, or data and JSON to the
/// same place.
pub(crate) fn check_output(
    output: &Output,
    format: impl Into<DataFormat>,
    inputs: &[Input],
    settings: &Settings,
) -> anyhow::Result<()> {
    let text = matches!(
        format.into(),
        DataFormat::Teacher(TeacherFormat::Jsonl | TeacherFormat::Csv) | DataFormat::Kifu(_)
    );
    if is_standard(&output.path) && !settings.json && !text && std::io::stdout().is_terminal() {
        let reason = "the standard output is a terminal, which cannot show binary data";
        return Err(UsageError(reason.to_owned()).into());
    }
    check_page(output, inputs, settings)
}

/// Checks an output for text, which may go to a terminal, before work begins.
pub(crate) fn check_page(
    output: &Output,
    inputs: &[Input],
    settings: &Settings,
) -> anyhow::Result<()> {
    if is_standard(&output.path) {
        if settings.json {
            let reason = "--json and the output - both want the standard output";
            return Err(UsageError(reason.to_owned()).into());
        }
        return Ok(());
    }
    let files: Vec<_> = inputs
        .iter()
        .filter_map(|input| match input {
            Input::File(path) => Some(path),
            Input::Stdin => None,
        })
        .collect();
    let overwrite = settings.overwrite_by(output);
    Ok(overwrite.check(&output.path, &files)?)
}
