//! `convert` and `repair`.

use std::process::ExitCode;

use pack_format::TeacherFormat;
use pack_format::convert::{Recover, TeacherConvertOptions};
use pack_format::stream::Input;
use yane_cli::{Output, Settings, UsageError};

use crate::cli::{ConvertArgs, RepairArgs, only};
use crate::conversion::{self, Conversion, contradictions};
use crate::names::{format_of, inputs, usual_output};

/// Any format into another.
pub(crate) fn convert(args: &ConvertArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let conversions = conversions(args)?;
    conversion::run("teacher", &conversions, settings)
}

fn conversions(args: &ConvertArgs) -> Result<Vec<Conversion>, UsageError> {
    let from = args
        .inputs
        .iter()
        .map(|input| format_of(args.from, input, "--from"))
        .collect::<Result<Vec<_>, _>>()?;
    let inputs = inputs(&args.inputs)?;
    let to = match &args.output {
        Some(output) => format_of(args.to, output, "--to")?,
        None => args.to.expect("clap asks for it"),
    };
    if let Some(output) = &args.output {
        let from = only(&from)?;
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
            // Nobody named this file.
            output: Output::by_option(usual_output(name, to)),
            options: options(args, from, to)?,
        })
    })
    .collect()
}

fn options(
    args: &ConvertArgs,
    from: TeacherFormat,
    to: TeacherFormat,
) -> Result<TeacherConvertOptions, UsageError> {
    let mut options = args.how.options(from, to)?;
    if let Some(what) = args.no_move {
        options.without_move = what.into();
    }
    Ok(options)
}

/// A damaged file into a good one of the same format.
pub(crate) fn repair(args: &RepairArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let format: TeacherFormat = format_of(args.from, &args.input, "--from")?;
    let options = TeacherConvertOptions {
        contradictions: contradictions(args.strict_reasons),
        recover: if args.prefix {
            Recover::Prefix
        } else {
            Recover::Resync
        },
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
