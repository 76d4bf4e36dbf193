//! Names on the command line: formats, inputs, outputs.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use pack_format::TeacherFormat;
use pack_format::stream::Input;
use yane_cli::{Output, Settings, UsageError};

/// Reads the name of a format.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = TeacherFormat> {
    PossibleValuesParser::new(TeacherFormat::ALL.map(TeacherFormat::name))
        .try_map(|name| TeacherFormat::from_name(&name).ok_or("unknown format"))
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

/// Whether a name stands for the standard input or output.
pub(crate) fn is_standard(name: &Path) -> bool {
    name.as_os_str() == "-"
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
pub fn usual_output(input: &Path, format: TeacherFormat) -> PathBuf {
    if is_standard(input) {
        return input.to_owned();
    }
    let mut name = input.as_os_str().to_owned();
    name.push(".");
    name.push(format.name());
    name.into()
}

/// Checks an output before work begins.
///
/// # Errors
/// When it is there and may not be replaced, when binary data would go to a terminal, or data and JSON to the
/// same place.
pub(crate) fn check_output(
    output: &Output,
    format: TeacherFormat,
    inputs: &[Input],
    settings: &Settings,
) -> anyhow::Result<()> {
    let text = matches!(format, TeacherFormat::Jsonl | TeacherFormat::Csv);
    if is_standard(&output.path) && !settings.json && !text && std::io::stdout().is_terminal() {
        let reason = "the standard output is a terminal, which cannot show binary data";
        return Err(UsageError(reason.to_owned()).into());
    }
    check_page(output, inputs, settings)
}

/// The same for text, which may go to a terminal.
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
